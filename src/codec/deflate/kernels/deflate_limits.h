// Numbers that Deflate kernels and the host share.
#pragma once

// Local memory of a warp, in bytes. SEGMENT: of one stream's segments, measured or decoded.
#define DEFLATE_DECODE_WARP_BYTES 7424u
#define DEFLATE_ENCODE_WARP_BYTES 13312u
#define DEFLATE_FIND_WARP_BYTES 1536u
#define DEFLATE_SEGMENT_WARP_BYTES 8448u

// Tokens, a u32 each, that a warp lists in scratch memory: of a window, or of a block.
#define DEFLATE_DECODE_TOKENS 2048u
#define DEFLATE_SEGMENT_TOKENS 16384u
#define DEFLATE_ENCODE_TOKENS 16384u

// Segments of one stream: deflate_segments.kc and deflate_scans.kc have the meanings.
#define DEFLATE_WINDOW_SYMBOLS 32768u
#define DEFLATE_SPAN_WORDS 4u
#define DEFLATE_GUESSED_ENTRY_BIT 63
#define DEFLATE_SCAN_SLOT_BITS 8192u
