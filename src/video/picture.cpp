#include <atomic>
#include <limits>

#include "base/parallel.hpp"
#include "video/sample_bits.hpp"

namespace penstock::video {
namespace {

std::uint32_t halved(std::uint32_t size) { return size / 2 + size % 2; }
std::uint64_t sample_bytes(const PictureFormat& format) { return format.bits > 8 ? 2 : 1; }

}  // namespace

std::string_view name_of(Chroma chroma) {
  constexpr std::array<std::string_view, 4> names = {"400", "420", "422", "444"};
  return names[static_cast<std::size_t>(chroma)];
}

Status check_format(const PictureFormat& format) {
  const bool has_bits =
      format.bits == 8 || format.bits == 10 || format.bits == 12 || format.bits == 16;
  if (!has_bits)
    return {Code::invalid, "samples have 8, 10, 12 or 16 bits, not " + std::to_string(format.bits)};
  if (format.width == 0 || format.height == 0 || format.width > max_side ||
      format.height > max_side)
    return {Code::invalid, "pictures have 1 to " + std::to_string(max_side) + " rows and columns"};
  return {};
}

std::uint32_t plane_count(const PictureFormat& format) {
  return format.chroma == Chroma::none ? 1 : 3;
}

std::uint32_t plane_width(const PictureFormat& format, std::uint32_t plane) {
  const bool is_halved = format.chroma == Chroma::c420 || format.chroma == Chroma::c422;
  return plane > 0 && is_halved ? halved(format.width) : format.width;
}

std::uint32_t plane_height(const PictureFormat& format, std::uint32_t plane) {
  return plane > 0 && format.chroma == Chroma::c420 ? halved(format.height) : format.height;
}

std::uint64_t picture_bytes(const PictureFormat& format) {
  std::uint64_t samples = 0;
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++)
    samples += std::uint64_t{plane_width(format, plane)} * plane_height(format, plane);
  return samples * sample_bytes(format);
}

Status check_bits(std::uint32_t found, const PictureFormat& format) {
  if (found >> format.bits == 0) return {};
  return {Code::invalid, "samples have more than " + std::to_string(format.bits) + " bits"};
}

Status check_samples(const Picture& picture) {
  const PictureFormat& format = picture.format;
  if (format.bits == 8 || format.bits == 16) return {};
  std::atomic<std::uint32_t> found = 0;
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
    const Plane& at = picture.planes[plane];
    const std::size_t row_bytes = plane_width(format, plane) * sample_bytes(format);
    const auto look = [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t y = first; y < last; y++)
        found |= bits_of_row(at.data + y * at.row_bytes, row_bytes, format.bits);
    };
    in_parallel(plane_height(format, plane), 1 + min_rows_per_thread / (row_bytes + 1), look);
  }
  return check_bits(found, format);
}

Result<Picture> picture_of(const PictureFormat& format, std::span<const std::byte> bytes) {
  if (bytes.size() < picture_bytes(format))
    return Status(Code::truncated, "a frame has " + std::to_string(picture_bytes(format)) +
                                       " bytes, not " + std::to_string(bytes.size()));
  Picture picture{.format = format};
  const std::byte* next = bytes.data();
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
    const std::size_t row_bytes = plane_width(format, plane) * sample_bytes(format);
    picture.planes[plane] = {next, row_bytes};
    next += row_bytes * plane_height(format, plane);
  }
  return picture;
}

}  // namespace penstock::video
