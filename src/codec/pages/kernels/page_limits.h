// The layout of a paged column in device memory, shared by kernels and host. page_load.kc reads it;
// page_index.kc and page_decoder.cpp write it.
//
// A column is two buffers of 32-bit words. `bytes` has the decompressed pages; the columns of a
// batch share it. `index` has these parts, which begin at the words that its head names:
//
//     head     PAGE_HEAD_WORDS words
//     rows     a pair for every 32 rows: their validity bits (least significant first), and the
//              number of values before them. Absent if no value is NULL: row v is value v
//     blocks   for every PAGE_BLOCK_VALUES values, and for the values after the last such block,
//     the
//              number of the run that has the first of them
//     runs     PAGE_RUN_WORDS words each, in the order of their values; after the last one two runs
//              with first value 2^32 - 1, so that a column without values has one to read
//
// A run has values that are stored alike. Its words:
//
//     0  the number of its first value
//     1  the low 32 bits of its place, a byte of `bytes`; repeated: the value or dictionary index
//     2  bits 0-7 of it the place's high bits, 8-15 the width in bits, 16-23 the kind
//     3  dictionary: the place of entry 0 in units of 8 bytes; other kinds: 0
//
// A plain value begins at byte place + (v - first) * width / 8. A packed one begins at bit
// 8 * place + (v - first) * width, least significant bit first; width is 0 to 32.
#pragma once

#define PAGE_HEAD_WORDS 8u
#define PAGE_HEAD_ROWS 0u   /* first word of the rows; 0: absent */
#define PAGE_HEAD_BLOCKS 1u /* first word of the blocks */
#define PAGE_HEAD_RUNS 2u   /* first word of the runs, a multiple of 4 */
#define PAGE_HEAD_RUN_COUNT 3u
#define PAGE_HEAD_VALUE_COUNT 4u
#define PAGE_HEAD_ROW_COUNT 5u

#define PAGE_BLOCK_VALUES 128u
#define PAGE_RUN_WORDS 4u

#define PAGE_RUN_PLAIN 0u          /* values of width bits, 32 or 64; at any byte */
#define PAGE_RUN_PACKED 1u         /* values of width bits, packed: booleans, dictionary indices */
#define PAGE_RUN_REPEATED 2u       /* one value, or dictionary index, for all */
#define PAGE_RUN_HAS_DICTIONARY 4u /* added to packed or repeated: what is stored is an index */

// Strings that are not codes are plain values of 64 bits: the string's first byte in `bytes`, then
// its length in the low bits. Longer strings are left to the host.
#define PAGE_STRING_LENGTH_BITS 24u

// The strings of a page that have to be put together have fewer bytes than this.
#define PAGE_MAX_MADE_BYTES 0x40000000u

// Elements of LIKE patterns that are not bytes.
#define PAGE_LIKE_ANY_ONE 256u
#define PAGE_LIKE_ANY_NUMBER 257u
#define PAGE_LIKE_END 258u
