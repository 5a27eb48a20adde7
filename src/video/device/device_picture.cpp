#include "video/device/device_picture.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace penstock::video {
namespace {

constexpr std::uint64_t plane_alignment = 16;
constexpr std::uint32_t gpu_group_size = 256, groups_per_compute_unit = 8;

}  // namespace

Result<DeviceLayout> device_layout(const PictureFormat& format) {
  DeviceLayout layout;
  layout.format = format;
  layout.sample_bytes = format.bits > 8 ? 2 : 1;
  for (std::uint32_t plane = 0; plane < plane_count(format); plane++) {
    layout.first_byte[plane] = layout.bytes;
    layout.plane_bytes[plane] = std::uint64_t{plane_width(format, plane)} *
                                plane_height(format, plane) * layout.sample_bytes;
    layout.bytes +=
        (layout.plane_bytes[plane] + plane_alignment - 1) / plane_alignment * plane_alignment;
  }
  if (layout.bytes > std::numeric_limits<std::uint32_t>::max())
    return Status(Code::unsupported, "pictures of 4 GiB or more are not scored on devices");
  return layout;
}

void pack(const Picture& picture, const DeviceLayout& layout, std::byte* to) {
  std::memset(to, 0, layout.bytes);
  for (std::uint32_t plane = 0; plane < plane_count(layout.format); plane++) {
    const std::uint32_t height = plane_height(layout.format, plane);
    const std::size_t row_bytes =
        std::size_t{plane_width(layout.format, plane)} * layout.sample_bytes;
    for (std::uint32_t y = 0; y < height; y++)
      std::memcpy(to + layout.first_byte[plane] + y * row_bytes,
                  picture.planes[plane].data + y * picture.planes[plane].row_bytes, row_bytes);
  }
}

std::uint32_t FrameProgram::groups_for(std::uint64_t threads) const {
  const std::uint64_t wanted = (threads + group_size - 1) / group_size;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, max_groups));
}

std::string sample_definitions(const PictureFormat& format) {
  const std::string bits = format.bits > 8 ? "16u" : "8u";
  const std::string scale = std::to_string(1.0 / (1u << (format.bits - 8))) + "f";
  return "#define SAMPLE_BITS " + bits + "\n#define SAMPLE_SCALE " + scale + "\n";
}

double number_of_sum(std::uint64_t sum) {
  return static_cast<double>(static_cast<std::int64_t>(sum)) / (1 << 30);
}

}  // namespace penstock::video
