// Rows of a picture's planes, as loops read them.
#pragma once
#include <cstdint>
#include <cstring>

#include "penstock/video.hpp"
#include "video/host/kept_image.hpp"
#include "video/host/vector_loop.hpp"

namespace penstock::video {

inline const std::byte* row_of(const Picture& picture, std::uint32_t plane, std::uint32_t y) {
  return picture.planes[plane].data + y * picture.planes[plane].row_bytes;
}

// Template arguments of loops over rows: how a sample is read. Rows have any alignment.
struct ByteSamples {
  PENSTOCK_IN_VECTOR_LOOP static std::uint8_t at(const std::byte* row, std::size_t x) {
    return std::to_integer<std::uint8_t>(row[x]);
  }
};
struct WordSamples {
  PENSTOCK_IN_VECTOR_LOOP static std::uint16_t at(const std::byte* row, std::size_t x) {
    std::uint16_t value;
    std::memcpy(&value, row + 2 * x, 2);
    return value;
  }
};

// Copies a plane, by threads.
void set_samples(const Picture& picture, std::uint32_t plane, KeptImage<std::uint16_t>& out);

}  // namespace penstock::video
