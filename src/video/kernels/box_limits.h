// The number of positions of a row that a group decimates (decimate_box.kc), for kernels and host.
#pragma once

// A thread takes a word of columns. One word is spare, as parts need not begin at a word. A thread
// that is alone takes 512 columns.
#define BOX_COLUMNS_OF(group_size, samples_per_word) \
  ((group_size) == 1u ? 512u : ((group_size) - 1u) * (samples_per_word))
#define BOX_PART_OF(group_size, factor, samples_per_word)        \
  (BOX_COLUMNS_OF(group_size, samples_per_word) >= (factor)      \
       ? BOX_COLUMNS_OF(group_size, samples_per_word) / (factor) \
       : 1u)
