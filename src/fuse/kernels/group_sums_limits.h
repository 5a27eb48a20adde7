// Numbers that group_sums.kc and the host share.
#pragma once

// The words of `numbers` of each key: how many values it has in `from` and in `to`, by how much the
// first one in `to` is greater, and whether there are NULLs, whose digit comes after the values.
#define SUMS_KEY_WORDS 4u
// Of a slot, which have a bit each in a word.
#define SUMS_MAX_LIMBS 64u
