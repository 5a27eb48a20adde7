// Numbers that group_merge.kc and the host share.
#pragma once

#include "fuse/kernels/merge_operations.h"

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
