// Segmented prefix sums over rows, on the host.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.hpp"

namespace penstock::plan {

// Adds to each value the earlier values of its segment; starts[i] is 1 if a segment begins there.
// Returns false if a sum overflows its type. Blocks of one size are added up in threads and then
// put together in order, so that a sum of floats has the same bits whatever the number of cores.
template <class T> bool running_sums(std::span<T> values, std::span<const std::uint8_t> starts) {
  constexpr std::uint64_t block_rows = 1 << 14;
  const auto add = [](T& into, T value) {
    if constexpr (std::is_floating_point_v<T>)
      return into += value, true;
    else
      return !__builtin_add_overflow(into, value, &into);
  };
  const std::uint64_t rows = values.size(), blocks = (rows + block_rows - 1) / block_rows;
  std::vector<std::uint64_t> first_starts(
      blocks);  // the first row of a block that does not go on from the block before
  std::vector<std::uint8_t> fits(blocks, 1);
  in_parallel(blocks, 4, [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t block = from; block < to; block++) {
      const std::uint64_t begin = block * block_rows, end = std::min(rows, begin + block_rows);
      first_starts[block] = end;
      for (std::uint64_t i = begin; i < end; i++) {
        if (starts[i] != 0)
          first_starts[block] = std::min(first_starts[block], i);
        else if (i > begin)
          fits[block] &= add(values[i], values[i - 1]);
      }
    }
  });
  bool all_fit = std::all_of(fits.begin(), fits.end(), [](std::uint8_t fit) { return fit != 0; });
  std::vector<T> carried(blocks);  // the sum at the end of the block before
  for (std::uint64_t block = 1; block < blocks; block++) {
    const std::uint64_t before = block - 1, last = block * block_rows - 1;
    carried[block] = values[last];
    if (first_starts[before] > last) all_fit &= add(carried[block], carried[before]);
  }
  in_parallel(blocks, 4, [&](std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t block = from; block < to; block++)
      for (std::uint64_t i = block * block_rows; block > 0 && i < first_starts[block]; i++)
        fits[block] &= add(values[i], carried[block]);
  });
  return all_fit &&
         std::all_of(fits.begin(), fits.end(), [](std::uint8_t fit) { return fit != 0; });
}

}  // namespace penstock::plan
