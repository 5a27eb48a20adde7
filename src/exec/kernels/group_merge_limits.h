// Numbers that group_merge.kc and the host share.
#pragma once

// Ways to merge an accumulator. A maximum is the minimum of its type and MERGE_IS_MAXIMUM.
#define MERGE_SUM_I64 0u
#define MERGE_SUM_I128 1u
#define MERGE_SUM_F64 2u
#define MERGE_MINIMUM_I64 4u
#define MERGE_MINIMUM_U64 5u
#define MERGE_MINIMUM_F32 6u
#define MERGE_MINIMUM_F64 7u
#define MERGE_IS_MAXIMUM 4u

// The words of `totals`.
#define MERGE_GROUP_COUNT 0u
#define MERGE_OVERFLOWED 1u
#define MERGE_COLLECTED 2u
#define MERGE_TOTAL_WORDS 3u

// The words of `layout` before the accumulators' words.
#define MERGE_LAYOUT_WORDS 2u

// The states of slots. From MERGE_FIRST_LAUNCH on they are the numbers of launches. MERGE_LINKED
// and the number of an entry are the last entry that was linked to the slot.
#define MERGE_FREE 0u
#define MERGE_MOVED 1u
#define MERGE_FIRST_LAUNCH 2u
#define MERGE_LINKED 0x80000000u

// Slots side by side for the values of a key. A table has a multiple of them.
#define MERGE_BLOCK_SLOTS 64u
