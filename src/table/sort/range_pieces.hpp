// Divides rows into ranges of a key, and ranges into pieces: a piece is sorted, and leaves a
// device, at a time. Samples bound the ranges, so their lengths are not known before. As a piece
// has several ranges, devices and pieces can share them out by their lengths.
#pragma once
#include <vector>

#include "table/sort/key_ranges.hpp"

namespace penstock::plan {

struct RangeNumbers {  // of ranges one after another
  std::size_t begin = 0, end = 0;
};

// Returns how many ranges rows are divided into: four for each piece, and max_key_ranges at most.
// There are not more shares than that.
std::size_t range_count(std::uint64_t pieces_of_share, std::size_t shares);
constexpr std::uint64_t samples_per_range = 16;

// Puts samples in order, by a radix sort. A step with 8192 samples, which also looks at 2^27 keys,
// took 0.8 to 1.0 ms by comparisons on an H100, and 0.5 to 0.6 by this sort on an H200.
void sort_samples(std::vector<KeyRanges::Word>& samples);

// Returns the first keys of all ranges but the first: fewer if keys repeat often, none if all are
// equal. Ranges are about equal. `samples` are in order.
std::vector<KeyRanges::Word> bounds_of(const std::vector<KeyRanges::Word>& samples,
                                       std::size_t ranges);

// Returns the ranges of each piece: `piece_rows` rows at most, or one range. The first piece has a
// quarter of that, and the second one a half, so that rows soon leave the device.
std::vector<RangeNumbers> pieces_of(const std::vector<std::uint64_t>& rows_of_ranges,
                                    RangeNumbers ranges, std::uint64_t piece_rows);

// Returns the ranges of a share: it gets a range if its part of the whole order has the range's
// middle row.
RangeNumbers ranges_of_share(const std::vector<std::uint64_t>& rows_of_ranges, std::size_t share,
                             std::size_t shares);

std::uint64_t rows_of(const std::vector<std::uint64_t>& rows_of_ranges, RangeNumbers ranges);
std::uint64_t max_rows_of(const std::vector<std::uint64_t>& rows_of_ranges,
                          const std::vector<RangeNumbers>& pieces);  // of a piece

}  // namespace penstock::plan
