// The layout of a column in a light encoding, shared by kernels and host, on disk and in memory.
// docs/formats/light-encodings.md describes it; light_load.kc reads it.
//
// A column is one block of 32-bit words:
//
//     head         LIGHT_HEAD_WORDS words
//     descriptors  LIGHT_DESCRIPTOR_WORDS words for each vector of LIGHT_VECTOR_VALUES values
//     data         what descriptors and head point to, and LIGHT_PADDING_WORDS words that are read
//                  but not used
//
// A descriptor's words:
//
//     0    bits 0-7 the kind, 8-15 the width of packed values in bits, 16-31 a count
//     1    the first word of the vector's data: what the kind has first, then packed values
//     2-3  the base, which is added to packed values
//     4-7  of the kind
#pragma once

#define LIGHT_MARK 0x31564c50u /* "PLV1" */
#define LIGHT_VECTOR_VALUES 1024u

#define LIGHT_HEAD_WORDS 8u
#define LIGHT_HEAD_MARK 0u
#define LIGHT_HEAD_ROWS 1u
#define LIGHT_HEAD_FIRST 2u /* of vector 0, the value that is row 0 */
#define LIGHT_HEAD_BITS 3u  /* of a value: 32 or 64 */
#define LIGHT_HEAD_VECTORS 4u
#define LIGHT_HEAD_WORD_COUNT 5u
#define LIGHT_HEAD_DICTIONARY 6u /* first word of the dictionary; 0: none */
#define LIGHT_HEAD_ENTRIES 7u    /* of the dictionary */

#define LIGHT_DESCRIPTOR_WORDS 8u
#define LIGHT_PADDING_WORDS 2u

#define LIGHT_PACKED 0u     /* packed values */
#define LIGHT_DELTA 1u      /* checkpoints, then differences; word 4 their width, 6-7 least one */
#define LIGHT_RUNS 2u       /* bits and ranks of runs, then a value for each of `count` runs */
#define LIGHT_DICTIONARY 3u /* indices into the dictionary */
#define LIGHT_ALP 4u /* `count` exceptions, then integers; 4-5 the factor, 6-7 the fraction */

/* Delta: values that begin at a checkpoint, and the words of 128 checkpoints of one bit. */
#define LIGHT_CHECKPOINT_VALUES 8u
#define LIGHT_CHECKPOINT_WORDS 4u
/* Runs: 32 words of bits, 16 of ranks. */
#define LIGHT_RUN_BIT_WORDS 32u
#define LIGHT_RUN_WORDS 48u
