// The numbers of the rows that a condition keeps, found by threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"

namespace penstock {

// In ascending order. Asks is_kept(row) twice: to count the rows, then to place them.
template <class IsKept>
LargeVector<std::uint64_t> rows_where(std::uint64_t row_count, const IsKept& is_kept) {
  constexpr std::uint64_t block_rows = min_rows_per_thread;
  const std::uint64_t blocks = (row_count + block_rows - 1) / block_rows;
  std::vector<std::uint64_t> places(blocks + 1);
  const auto each_of_block = [&](std::uint64_t block, const auto& take) {
    const std::uint64_t end = std::min(row_count, (block + 1) * block_rows);
    for (std::uint64_t row = block * block_rows; row < end; row++)
      if (is_kept(row)) take(row);
  };
  const auto for_blocks = [&](const auto& work) {
    in_parallel(blocks, 1, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t block = first; block < last; block++) work(block);
    });
  };
  for_blocks([&](std::uint64_t block) {
    std::uint64_t count = 0;
    each_of_block(block, [&](std::uint64_t) { count++; });
    places[block + 1] = count;
  });
  for (std::uint64_t block = 0; block < blocks; block++) places[block + 1] += places[block];
  LargeVector<std::uint64_t> rows(places[blocks]);
  for_blocks([&](std::uint64_t block) {
    std::uint64_t place = places[block];
    each_of_block(block, [&](std::uint64_t row) { rows[place++] = row; });
  });
  return rows;
}

}  // namespace penstock
