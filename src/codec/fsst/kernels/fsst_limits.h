// Numbers that FSST kernels and the host share.
#pragma once

// A symbol table on the device, in words; an entry of an escape, and of a code without a symbol
// (fsst_tables.kc).
#define FSST_TABLE_WORDS 768u
#define FSST_ESCAPE 0x02000000u
#define FSST_NO_SYMBOL 0x02000001u
// Bits of the second status word (fsst_tables.kc).
#define FSST_ERROR_CODE 1u
#define FSST_ERROR_OFFSETS 2u
#define FSST_ERROR_ROW 4u
#define FSST_ERROR_CAPACITY 8u
// The length of a code without a symbol (fsst_lengths.kc).
#define FSST_LENGTH_NO_SYMBOL 255u

// Work of a thread: codes of a tile, rows that are measured, bytes that are encoded.
#define FSST_CODES_PER_THREAD 16u
#define FSST_MEASURED_ROWS 8u
#define FSST_SEGMENT_BYTES 64u
// Codes of a candidate block (fsst_find_candidates.kc).
#define FSST_BLOCK_CODES 16u

// Spans: codes of a warp's step, its stage, and local memory besides tables and stages
// (fsst_warps.kc).
#define FSST_STEP_CODES 512u
#define FSST_STAGE_BYTES 3024u
#define FSST_SPAN_HEAD_BYTES 0x280u

// Samples of strings (fsst_sample.kc).
#define FSST_SAMPLE_SLOTS 512u
#define FSST_SLOT_ROWS 16u
#define FSST_SLOT_STRING_BYTES 112u
