// Numbers that Zstandard kernels and the host share.
#pragma once

// Local memory in bytes, of a thread or of a warp.
#define ZSTD_SEQUENCES_THREAD_BYTES 3060u
#define ZSTD_LITERALS_THREAD_BYTES 1244u
#define ZSTD_OUTPUT_WARP_BYTES 2560u
#define ZSTD_SOURCE_WARP_BYTES 1024u

// No frame of a batch has more output: products of larger numbers would not fit into 64 bits.
#define ZSTD_MAX_FRAME_OUTPUT 0x1fffffffu
// Words of a chunk's plan (zstd_frame.kc), of a block's row and plan, and of a frame's state
// (zstd_stream.kc).
#define ZSTD_PLAN_WORDS 6u
#define ZSTD_ROW_WORDS 16u
#define ZSTD_BLOCK_PLAN_WORDS 8u
