// The shape of a group's tile of positions, for kernels and host: in window_tile.kc, and in the
// low-pass filter (decimate_low_pass.kc). step: from one position to the next, in samples of the
// image. taps: the window's length.
#pragma once

// Positions that one thread sums along a row, and rows of positions.
#define WINDOW_RUN_OF(group_size, step) ((group_size) == 1u ? 64u : 8u / (step))
#define WINDOW_ROWS_OF(group_size) ((group_size) == 1u ? 16u : 8u)
// Columns of positions: whole runs, with windows that need at most one column of samples per
// thread.
#define WINDOW_WIDTH_OF(group_size, taps, step) \
  ((group_size) == 1u ? 64u                     \
                      : (((group_size) - (taps)) / (step) + 1u) / (8u / (step)) * (8u / (step)))
