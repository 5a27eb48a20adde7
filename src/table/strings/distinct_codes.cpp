#include "table/strings/distinct_codes.hpp"

#include <bit>

#include "base/parallel.hpp"

namespace penstock::plan {
namespace {

std::string_view codes_of_row(const fsst::EncodedStrings& strings, std::uint64_t row) {
  const std::uint64_t first = strings.offset(row);
  return {strings.codes.as<char>() + first, strings.offset(row + 1) - first};
}

std::vector<std::uint64_t> hashes_of(const fsst::EncodedStrings& strings) {
  std::vector<std::uint64_t> hashes(strings.row_count);
  in_parallel(strings.row_count, 1 << 12, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      hashes[row] = std::hash<std::string_view>()(codes_of_row(strings, row)) * 0x9E3779B97F4A7C15u;
  });
  return hashes;
}

// Numbers the codes of one row group. Returns the first row of each number.
std::vector<std::uint64_t> number_group(const Column& column, const fsst::EncodedStrings& strings,
                                        std::size_t group, const std::vector<std::uint64_t>& hashes,
                                        std::vector<std::uint32_t>& numbers) {
  const std::uint64_t first = strings.row_groups[group].first_row, end = strings.end_row(group);
  std::vector<std::uint64_t> first_rows;
  std::vector<std::uint32_t> positions(
      std::bit_ceil(2 * (end - first)));  // a number plus 1, by hash
  const int shift = 64 - std::countr_zero(positions.size());
  for (std::uint64_t row = first; row < end; row++) {
    if (!column.is_valid(row)) continue;
    const auto is_row = [&](std::uint32_t number) {
      const std::uint64_t other = first_rows[number - 1];
      return hashes[other] == hashes[row] &&
             codes_of_row(strings, other) == codes_of_row(strings, row);
    };
    std::uint64_t at = hashes[row] >> shift;
    while (positions[at] != 0 && !is_row(positions[at])) at = (at + 1) & (positions.size() - 1);
    if (positions[at] == 0) {
      first_rows.push_back(row);
      positions[at] = static_cast<std::uint32_t>(first_rows.size());
    }
    numbers[row] = positions[at] - 1;
  }
  return first_rows;
}

}  // namespace

std::vector<std::uint64_t> number_codes(const Column& column, const fsst::EncodedStrings& strings,
                                        std::vector<std::uint32_t>& numbers) {
  numbers.assign(strings.row_count, 0);
  const std::vector<std::uint64_t> hashes = hashes_of(strings);
  std::vector<std::vector<std::uint64_t>> of_groups(strings.row_groups.size());
  in_parallel(of_groups.size(), 1, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t group = first; group < last; group++)
      of_groups[group] = number_group(column, strings, group, hashes, numbers);
  });
  std::vector<std::uint64_t> first_rows;
  for (std::size_t group = 0; group < of_groups.size(); group++) {
    const auto base = static_cast<std::uint32_t>(first_rows.size());
    for (std::uint64_t row = strings.row_groups[group].first_row;
         base > 0 && row < strings.end_row(group); row++)
      numbers[row] += base;
    first_rows.insert(first_rows.end(), of_groups[group].begin(), of_groups[group].end());
  }
  return first_rows;
}

}  // namespace penstock::plan
