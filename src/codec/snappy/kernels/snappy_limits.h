// Numbers that Snappy kernels and the host share.
#pragma once

// Local memory of a warp, in bytes.
#define SNAPPY_DECODE_WARP_BYTES 4112u
#define SNAPPY_FIND_WARP_BYTES 5152u

// Large blocks: snappy_segments.kc has the meanings.
#define SNAPPY_SEGMENT_BYTES 65536u
#define SNAPPY_SEGMENT_WORDS 3u
