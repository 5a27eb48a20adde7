// Numbers that first_rows.kc and the host share.
#pragma once

// Whether a row is among the first ones by the keys so far. The order of tied rows is not known
// yet.
#define FIRST_TIED 0u
#define FIRST_BEFORE 1u
#define FIRST_AFTER 2u

// Ways to turn the word of a group or of a row into a number with the order of the values.
#define FIRST_OF_U64 0u
#define FIRST_OF_I64 1u
#define FIRST_OF_F32 2u
#define FIRST_OF_F64 3u
#define FIRST_OF_I128 4u          // two words, as far as 64 bits tell them apart
#define FIRST_OF_AVERAGE_I128 5u  // a sum by a count
#define FIRST_OF_AVERAGE_F64 6u

// The bits of `order`.
#define FIRST_DESCENDING 1u
#define FIRST_NULLS_FIRST 2u

// Stand in place of the number of a bit.
#define FIRST_NEVER_NULL 64u
#define FIRST_NULL_WITHOUT_COUNT 65u

#define FIRST_DIGITS 256u
