/* The tables with which the host tells kernels of the pages of a batch, and what kernels tell the
 * host and later kernels. All are of 32-bit words; places are bytes of the batch's memory. */
#pragma once

#include "codec/pages/kernels/page_limits.h"

/* A task is a page with values to find or convert. */
#define PAGE_TASK_WORDS 16u
#define PAGE_TASK_PLACE 0u     /* of the body: 64 bits */
#define PAGE_TASK_CONVERTED 2u /* of the converted values: 64 bits, a multiple of 16 */
#define PAGE_TASK_BYTES 4u
#define PAGE_TASK_VALUES 5u /* NULLs included */
#define PAGE_TASK_FORM 6u
#define PAGE_TASK_CONVERSION 7u /* the number of pages::Conversion */
#define PAGE_TASK_WIDTH 8u      /* bytes of a stored value; 0: one bit */
#define PAGE_TASK_LEVELS 9u     /* how definition levels are stored */
#define PAGE_TASK_LEVEL_BYTES 10u
#define PAGE_TASK_VALIDITY 11u /* first word of its pairs of validity bits and counts */
#define PAGE_TASK_FIRST_SLICE 12u
#define PAGE_TASK_ENTRIES 13u    /* indices are below it */
#define PAGE_TASK_MADE 13u       /* chains: where the bytes of strings are put together: 64 bits */
#define PAGE_TASK_DICTIONARY 14u /* the place of entry 0 in units of 8 bytes */
#define PAGE_TASK_OUT_WIDTH 15u  /* bytes of a converted value, 4 or 8; 0: none is converted */

#define PAGE_FORM_PLAIN 0u
#define PAGE_FORM_INDICES 1u  /* a byte with their width, then runs */
#define PAGE_FORM_BOOLEANS 2u /* four bytes with the runs' size, then runs */
#define PAGE_FORM_DELTA 3u
#define PAGE_FORM_STREAMS 4u
#define PAGE_FORM_TEXTS 5u   /* strings, each with its length in four bytes before it */
#define PAGE_FORM_LENGTHS 6u /* DELTA_LENGTH_BYTE_ARRAY */
#define PAGE_FORM_CHAINS 7u  /* DELTA_BYTE_ARRAY */

#define PAGE_LEVELS_NONE 0u
#define PAGE_LEVELS_V1 1u /* four bytes with their size before them */
#define PAGE_LEVELS_V2 2u /* the size is in the page header */

#define PAGE_CONVERT_NONE 0u
#define PAGE_CONVERT_MILLISECONDS 1u
#define PAGE_CONVERT_NANOSECONDS 2u
#define PAGE_CONVERT_INT96 3u
#define PAGE_CONVERT_BIG_ENDIAN 4u
#define PAGE_CONVERT_TEXT 5u /* only checked, to be UTF-8 */
/* Values that a kernel cuts to fewer bits are only looked at. */
#define PAGE_CONVERT_FIT_INT8 6u
#define PAGE_CONVERT_FIT_UINT8 7u
#define PAGE_CONVERT_FIT_INT16 8u
#define PAGE_CONVERT_FIT_UINT16 9u

/* The results of a task. */
#define PAGE_RESULT_WORDS 8u
#define PAGE_RESULT_ERROR 0u
#define PAGE_RESULT_AT 1u /* the byte of the body where the error is */
#define PAGE_RESULT_PRESENT 2u
#define PAGE_RESULT_RUNS 3u
#define PAGE_RESULT_BEGIN 4u /* the byte of the body where values or runs begin */
#define PAGE_RESULT_END 5u   /* and end */
#define PAGE_RESULT_WIDTH 6u /* bits of what runs pack; chains: where what is shared begins */
#define PAGE_RESULT_MADE 7u  /* chains: bytes of strings that have to be put together */

/* Values that a warp or thread takes at once. A slice of a page of runs has a checkpoint: where the
 * run with its first value begins, the number of that run's first value, the number of the run. */
#define PAGE_SLICE_VALUES 8192u
#define PAGE_CHECKPOINT_WORDS 3u

/* The second pass's data of a column's page. A last entry has the totals. */
#define PAGE_FIRST_WORDS 4u
#define PAGE_FIRST_VALUE 0u
#define PAGE_FIRST_ROW 1u
#define PAGE_FIRST_RUN 2u
