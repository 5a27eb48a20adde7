#include "table/sort/range_pieces.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace penstock::plan {

std::size_t range_count(std::uint64_t pieces_of_share, std::size_t shares) {
  constexpr std::uint64_t ranges_of_piece = 4;
  const std::uint64_t pieces =
      std::min<std::uint64_t>(pieces_of_share, max_key_ranges) * shares * ranges_of_piece;
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(pieces, 1, max_key_ranges));
}

namespace {

constexpr std::uint32_t sample_digit_bits = 11, sample_digits = 1u << sample_digit_bits;

// Puts samples in the order of a digit. Equal ones keep theirs.
template <class Digit>
void sort_by_digit(std::vector<KeyRanges::Word>& samples, std::vector<KeyRanges::Word>& spare,
                   const Digit& digit) {
  std::array<std::uint32_t, sample_digits> places{};
  for (const KeyRanges::Word& sample : samples) places[digit(sample)]++;
  if (samples.empty() || places[digit(samples[0])] == samples.size()) return;
  std::exclusive_scan(places.begin(), places.end(), places.begin(), 0u);
  for (const KeyRanges::Word& sample : samples) spare[places[digit(sample)]++] = sample;
  samples.swap(spare);
}

}  // namespace

void sort_samples(std::vector<KeyRanges::Word>& samples) {
  std::vector<KeyRanges::Word> spare(samples.size());
  for (std::uint32_t shift = 0; shift < 64; shift += sample_digit_bits)
    sort_by_digit(samples, spare, [shift](const KeyRanges::Word& sample) {
      return sample.value >> shift & (sample_digits - 1);
    });
  sort_by_digit(samples, spare, [](const KeyRanges::Word& sample) { return sample.nulls; });
}

// No range begins with the least sample: few or no rows come before it.
std::vector<KeyRanges::Word> bounds_of(const std::vector<KeyRanges::Word>& samples,
                                       std::size_t ranges) {
  std::vector<KeyRanges::Word> bounds;
  for (std::size_t range = 1; range < ranges && !samples.empty(); range++) {
    const KeyRanges::Word& bound = samples[range * samples.size() / ranges];
    if (bound != samples.front() && (bounds.empty() || bound != bounds.back()))
      bounds.push_back(bound);
  }
  return bounds;
}

std::vector<RangeNumbers> pieces_of(const std::vector<std::uint64_t>& rows_of_ranges,
                                    RangeNumbers ranges, std::uint64_t piece_rows) {
  std::vector<RangeNumbers> pieces;
  std::uint64_t max_rows = piece_rows / 4, rows = 0;
  for (std::size_t range = ranges.begin; range < ranges.end; range++) {
    rows += rows_of_ranges[range];
    if (!pieces.empty() && rows <= max_rows) {
      pieces.back().end = range + 1;
      continue;
    }
    if (!pieces.empty()) max_rows = std::min(2 * max_rows, piece_rows);
    pieces.push_back({range, range + 1});
    rows = rows_of_ranges[range];
  }
  return pieces;
}

RangeNumbers ranges_of_share(const std::vector<std::uint64_t>& rows_of_ranges, std::size_t share,
                             std::size_t shares) {
  const std::size_t ranges = rows_of_ranges.size();
  const std::uint64_t all_rows = std::max<std::uint64_t>(rows_of(rows_of_ranges, {0, ranges}), 1);
  std::uint64_t before = 0;
  RangeNumbers of_share{ranges, ranges};
  for (std::size_t range = 0; range < ranges; range++) {
    const std::uint64_t owner = std::min<std::uint64_t>(
        (before + rows_of_ranges[range] / 2) * shares / all_rows, shares - 1);
    before += rows_of_ranges[range];
    if (owner >= share) of_share.begin = std::min(of_share.begin, range);
    if (owner > share) of_share.end = std::min(of_share.end, range);
  }
  return of_share;
}

std::uint64_t rows_of(const std::vector<std::uint64_t>& rows_of_ranges, RangeNumbers ranges) {
  std::uint64_t rows = 0;
  for (std::size_t range = ranges.begin; range < ranges.end; range++) rows += rows_of_ranges[range];
  return rows;
}

std::uint64_t max_rows_of(const std::vector<std::uint64_t>& rows_of_ranges,
                          const std::vector<RangeNumbers>& pieces) {
  std::uint64_t rows = 0;
  for (const RangeNumbers& piece : pieces) rows = std::max(rows, rows_of(rows_of_ranges, piece));
  return rows;
}

}  // namespace penstock::plan
