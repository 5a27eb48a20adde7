// Samples beyond the edges of a picture.
#pragma once
#include <cstdint>

namespace penstock::video {

// The index of a sample beyond an edge, reflected. Without the edge's own sample (R101): -1 is 1, n
// is n - 2. Indices reach no further than `size` beyond; a size of 1 has index 0 alone.
constexpr std::uint32_t reflect_101(std::int64_t index, std::uint32_t size) {
  if (size == 1) return 0;
  while (index < 0 || index >= size) {
    if (index < 0) index = -index;
    if (index >= size) index = 2 * (std::int64_t{size} - 1) - index;
  }
  return static_cast<std::uint32_t>(index);
}
// With the edge's sample again (symmetric): -1 is 0, n is n - 1.
constexpr std::uint32_t reflect_symmetric(std::int64_t index, std::uint32_t size) {
  while (index < 0 || index >= size) {
    if (index < 0) index = -1 - index;
    if (index >= size) index = 2 * std::int64_t{size} - 1 - index;
  }
  return static_cast<std::uint32_t>(index);
}

}  // namespace penstock::video
