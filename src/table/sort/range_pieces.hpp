// How rows are divided into ranges of a key, and which ranges are sorted and leave a device at a
// time: its pieces. Ranges are made by samples, and so their lengths are not known before. As there
// are several in a piece, devices and pieces can share them out by their lengths.
#pragma once
#include <vector>

#include "table/sort/key_ranges.hpp"

namespace penstock::plan {

struct RangeNumbers {  // of ranges one after another
  std::size_t begin = 0, end = 0;
};

// Returns how many ranges rows are divided into: four of a piece, which is what is sorted and
// leaves a device at a time, and max_key_ranges at most. There are not more shares than that.
std::size_t range_count(std::uint64_t pieces_of_share, std::size_t shares);
constexpr std::uint64_t samples_per_range = 16;

// Puts samples in order, by a radix sort. With 8192 samples a step that looks at 2^27 keys, too,
// took 0.8 to 1.0 ms by comparisons on an H100, and 0.5 to 0.6 so on an H200.
void sort_samples(std::vector<KeyRanges::Word>& samples);

// Returns the keys with which all ranges but the first begin: fewer where keys repeat often, none
// where all are equal. Ranges are about equal. `samples` are in order.
std::vector<KeyRanges::Word> bounds_of(const std::vector<KeyRanges::Word>& samples,
                                       std::size_t ranges);

// Returns the ranges of each piece. It has `piece_rows` rows at most, or one range: the first one a
// quarter of that, and the second one a half, so that something soon leaves the device.
std::vector<RangeNumbers> pieces_of(const std::vector<std::uint64_t>& rows_of_ranges,
                                    RangeNumbers ranges, std::uint64_t piece_rows);

// Returns the ranges of a share: those whose middle row is in its part of the whole order.
RangeNumbers ranges_of_share(const std::vector<std::uint64_t>& rows_of_ranges, std::size_t share,
                             std::size_t shares);

std::uint64_t rows_of(const std::vector<std::uint64_t>& rows_of_ranges, RangeNumbers ranges);
std::uint64_t max_rows_of(const std::vector<std::uint64_t>& rows_of_ranges,
                          const std::vector<RangeNumbers>& pieces);  // of a piece

}  // namespace penstock::plan
