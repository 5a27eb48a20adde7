// An image that a feature keeps from frame to frame: fresh memory costs more than most loops.
#pragma once
#include <cstdint>

#include "base/huge_page_allocator.hpp"

namespace penstock::video {

// Values are uninitialised at first.
template <class T> struct KeptImage {
  std::uint32_t width = 0, height = 0;
  LargeArray<T> values = {};

  KeptImage() = default;
  KeptImage(std::uint32_t columns, std::uint32_t rows)
      : width(columns), height(rows), values(std::size_t{columns} * rows) {}
  T* row(std::size_t y) { return values.data() + y * width; }
  const T* row(std::size_t y) const { return values.data() + y * width; }
};

}  // namespace penstock::video
