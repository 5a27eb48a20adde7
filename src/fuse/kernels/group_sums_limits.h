// Numbers that group_sums.kc and the host share.
#pragma once

// The words of `numbers` of each key: its count of values in `from` and in `to`, by how much the
// first value in `to` is greater, and whether there are NULLs. The digit of NULL comes after the
// values.
#define SUMS_KEY_WORDS 4u
// The most limbs of a slot: each has a bit in a word.
#define SUMS_MAX_LIMBS 64u
