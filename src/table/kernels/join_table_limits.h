// Numbers that join_table.kc and the host share.
#pragma once

// Ways to turn a key's value into a word.
#define JOIN_KEY_UNSIGNED 0u
#define JOIN_KEY_SIGNED 1u
#define JOIN_KEY_FLOAT 2u

// The words of a table's header: see table/join/join_layout.hpp.
#define JOIN_BASE 0u
#define JOIN_FACTOR 1u
#define JOIN_SHIFT 2u
#define JOIN_LAST_POSITION 3u
#define JOIN_IS_EXACT 4u
#define JOIN_HAS_ROWS 5u
#define JOIN_HAS_NULLS 6u
#define JOIN_BUCKETS 7u
#define JOIN_HEADER_WORDS 8u

// The words of `totals`: rows with the key of an earlier row; whether there is a NULL key; whether
// a table in the order of its key is uneven; the sum of all keys' steps from their own positions.
#define JOIN_TOTAL_REPEATED 0u
#define JOIN_TOTAL_NULLS 1u
#define JOIN_TOTAL_UNEVEN 2u
#define JOIN_TOTAL_STEPS 3u
#define JOIN_TOTAL_WORDS 4u

// A table in the order of its key is uneven in three cases. One key lies more than JOIN_MAX_STEPS
// from its own position. Or keys lie more than JOIN_MEAN_STEPS from their own on average: the 4 was
// not tuned. Or a block of positions is full: other runs within the table are shorter than two
// blocks. The host looks for runs of more than two blocks.
#define JOIN_MAX_STEPS 64u
#define JOIN_MEAN_STEPS 4u
#define JOIN_RUN_BLOCK 128u
#define JOIN_ANY_STEPS 0xffffffffu  // for hashed keys

// The number of buckets that keys are dealt out to for joins by partitions.
#define JOIN_BUCKET_COUNT 256u

// Stands in place of a row if there is none.
#define JOIN_NO_ROW 0xffffffffu
