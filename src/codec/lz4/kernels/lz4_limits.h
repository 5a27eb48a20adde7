// Numbers that LZ4 kernels and the host share.
#pragma once

// Local memory of a warp, in bytes.
#define LZ4_DECODE_WARP_BYTES 4112u
#define LZ4_ENCODE_WARP_BYTES 9728u
#define LZ4_SCAN_WARP_BYTES 2816u
#define LZ4_SOURCE_WARP_BYTES 3456u

// Large blocks: lz4_segments.kc has the meanings.
#define LZ4_SEGMENT_BYTES 4032u
#define LZ4_SCRATCH_HEAD_WORDS 66u
#define LZ4_BLOCK_WORDS 2u
#define LZ4_SEGMENT_WORDS 8u
#define LZ4_KEPT_WINDOWS 5u
#define LZ4_SEGMENTS_PER_CORRECTION 8u
#define LZ4_MAX_WINDOW_BYTES 65536u
