// Numbers that order_rows.kc, order_columns.kc, order_ranges.kc and the host share.
#pragma once

// Ways to turn a value into a word that has the order of the values.
#define ORDER_UNSIGNED 0u
#define ORDER_SIGNED 1u
#define ORDER_FLOAT 2u
#define ORDER_RANKED 3u  // a code of the string pool, by a table of ranks

// Stand in place of the number of a bit: there are no NULLs; or all NULLs have one word, and
// another pass places them, as values leave no bit free.
#define ORDER_NO_NULLS 64u
#define ORDER_EQUAL_NULLS 65u

// The most ranges that rows are divided into: their numbers are bytes.
#define ORDER_MAX_RANGES 256u
