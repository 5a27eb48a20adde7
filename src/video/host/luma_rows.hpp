// Rows of luma as floats in the range of 8 bits.
#pragma once
#include "video/host/kept_image.hpp"
#include "video/host/sample_rows.hpp"

namespace penstock::video {

using FloatPlane = KeptImage<float>;  // a scale of a picture

// Sets `count` samples of a row from column `first` on: divided by 2^(bits - 8), plus `offset`.
void set_floats(const std::byte* row, std::uint32_t bits, std::size_t first, std::size_t count,
                float offset, float* out);

// A picture's luma, or a plane's rows.
class LumaRows {
 public:
  LumaRows(const Picture& picture, float offset = 0)  // NOLINT: both are rows of luma
      : picture_(&picture), offset_(offset) {}
  LumaRows(const FloatPlane& plane) : plane_(&plane) {}  // NOLINT
  std::uint32_t width() const { return plane_ ? plane_->width : picture_->format.width; }
  std::uint32_t height() const { return plane_ ? plane_->height : picture_->format.height; }
  // Returns `count` values of a row from column `first` on: from the plane, or from the picture,
  // converted into `buffer`.
  const float* at(std::uint32_t y, std::size_t first, std::size_t count, float* buffer) const {
    if (plane_) return plane_->row(y) + first;
    set_floats(row_of(*picture_, 0, y), picture_->format.bits, first, count, offset_, buffer);
    return buffer;
  }

 private:
  const Picture* picture_ = nullptr;
  float offset_ = 0;
  const FloatPlane* plane_ = nullptr;
};

}  // namespace penstock::video
