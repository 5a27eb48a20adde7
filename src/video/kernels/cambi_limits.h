// Numbers that CAMBI's kernels and the host share.
#pragma once

#define CAMBI_SCALES 5u

// A sample of an image is its level of 10 bits, 0 to 1024, with this added where the mask leaves it
// out.
#define CAMBI_UNCOUNTED 2048u

// The samples of a group of cambi_prepare.kc.
#define CAMBI_TILE_WIDTH 64u
#define CAMBI_TILE_HEIGHT 32u
// The rows of a group of cambi_scale.kc, and its columns where it has one thread.
#define CAMBI_SCALE_ROWS 8u
#define CAMBI_SCALE_COLUMNS_OF_THREAD 256u
// The columns of a group of cambi_contrast.kc, and the levels of a range.
#define CAMBI_STRIP 128u
#define CAMBI_RANGE_LEVELS 16u
// The contrasts of a group of cambi_select.kc, its passes, and the digits of one.
#define CAMBI_SELECT_VALUES 16384u
#define CAMBI_SELECT_PASSES 3u
#define CAMBI_SELECT_DIGITS 1024u

// The host's description of each scale, in this many words.
#define CAMBI_SHAPE_WORDS 12u
#define CAMBI_SHAPE_FIRST 0u          // the image's sample at column 0 of row 0, in samples: even
#define CAMBI_SHAPE_STRIDE 1u         // from one row to the next, in samples: even
#define CAMBI_SHAPE_WIDTH 2u          // columns
#define CAMBI_SHAPE_HEIGHT 3u         // rows
#define CAMBI_SHAPE_STRIPS 4u         // strips of columns
#define CAMBI_SHAPE_GROUP 5u          // the first group of cambi_contrast.kc
#define CAMBI_SHAPE_ROWS 11u          // the rows of such a group
#define CAMBI_SHAPE_VALUE 6u          // the first contrast: even
#define CAMBI_SHAPE_VALUE_STRIDE 7u   // contrasts of a row, with what pads it: even
#define CAMBI_SHAPE_VALUE_COUNT 8u    // contrasts of the scale, with what pads rows
#define CAMBI_SHAPE_KEPT 9u           // the highest contrasts that are pooled
#define CAMBI_SHAPE_SELECT_GROUP 10u  // the first group of cambi_select.kc

// The sums of a scale. Contrasts are multiples of 2^-24 below 2^18, so that a sum is a whole number
// and a fraction in units of 2^-24.
#define CAMBI_SUMS 5u
#define CAMBI_SUM_COUNT 0u  // contrasts that are not 0
#define CAMBI_SUM_WHOLE 1u
#define CAMBI_SUM_FRACTION 2u
#define CAMBI_SUM_KEPT_WHOLE 3u  // of the highest, where they had to be selected
#define CAMBI_SUM_KEPT_FRACTION 4u
#define CAMBI_FRACTION_BITS 24u
