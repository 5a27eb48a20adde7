// Numbers that order_merge.kc and the host share.
#pragma once

// Rows of the output that a group merges at a time. An odd number for each thread, so that threads
// begin in different banks of local memory. All of a tile's words take less than 32 KiB.
#define MERGE_TILE_ROWS(group_size) ((group_size) == 1u ? 1792u : 7u * (group_size))
#define MERGE_ROW_BYTES 12u  // of local memory: a word and a slot
