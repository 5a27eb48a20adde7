// A plane in host memory, unpacked for the host's features.
#pragma once
#include <cstdint>
#include <vector>

#include "penstock/video.hpp"

namespace penstock::video {

template <class T> struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<T> values = {};

  Image() = default;
  Image(std::uint32_t columns, std::uint32_t rows)
      : width(columns), height(rows), values(std::size_t{columns} * rows) {}
  T& at(std::uint32_t x, std::uint32_t y) { return values[std::size_t{y} * width + x]; }
  const T& at(std::uint32_t x, std::uint32_t y) const { return values[std::size_t{y} * width + x]; }
};

Image<std::uint16_t> samples_of(const Picture& picture, std::uint32_t plane);

// Luma in the range of 8 bits, as libvmaf's float features take it: sample / 2^(bits - 8) + offset.
Image<float> floats_of(const Picture& picture, float offset);

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
