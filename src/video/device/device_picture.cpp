#include "video/device/device_picture.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "kernel/kernel_source.hpp"

namespace penstock::video {
namespace {

constexpr std::uint64_t plane_alignment = 16;
// Groups that fill a device: a GPU's hide one another's latency, a CPU's even out its cores'
// speeds.
constexpr std::uint32_t groups_per_compute_unit = 8;

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

// Bytes between planes would have to be 0, so only planes without any count.
bool is_in_layout(const DevicePicture& picture, const DeviceLayout& layout) {
  for (std::uint32_t plane = 0; plane < plane_count(layout.format); plane++) {
    const DevicePlane& at = picture.planes[plane];
    if (at.buffer != picture.planes[0].buffer || at.first_byte != layout.first_byte[plane] ||
        at.row_bytes != plane_width(layout.format, plane) * layout.sample_bytes ||
        layout.plane_bytes[plane] % plane_alignment != 0)
      return false;
  }
  return true;
}

Status check_picture(const DevicePicture& picture, const DeviceLayout& layout) {
  if (picture.format != layout.format)
    return {Code::invalid, "a picture has another format than the scorer"};
  for (std::uint32_t plane = 0; plane < plane_count(layout.format); plane++) {
    const DevicePlane& at = picture.planes[plane];
    const std::uint64_t row =
                            std::uint64_t{plane_width(layout.format, plane)} * layout.sample_bytes,
                        rows = plane_height(layout.format, plane);
    const auto wrong = [&](const char* reason) {
      return Status(Code::invalid, "plane " + std::to_string(plane) + " " + reason);
    };
    if (!at.buffer) return wrong("has no memory");
    if (at.row_bytes < row || at.row_bytes > std::numeric_limits<std::uint32_t>::max())
      return wrong("has rows of another size");
    if (at.row_bytes % layout.sample_bytes != 0 || at.first_byte % layout.sample_bytes != 0)
      return wrong("does not begin at a sample");
    if (at.first_byte > at.buffer->bytes() ||
        (rows - 1) * at.row_bytes + row > at.buffer->bytes() - at.first_byte)
      return wrong("reaches past its buffer's end");
  }
  return {};
}

Result<FrameProgram> frame_program(Device& device, const std::string& file,
                                   const std::string& definitions, std::uint32_t gpu_group_size) {
  const Traits& traits = device.traits();
  FrameProgram program;
  program.group_size = traits.wants_single_thread_groups()
                           ? 1
                           : std::min(gpu_group_size, std::bit_floor(traits.max_group_size));
  program.max_groups = traits.compute_units * groups_per_compute_unit;
  const std::string name = "video/kernels/" + file;
  const kernel::SourcePart parts[] = {{"definitions", definitions},
                                      {name, std::string(kernel::video_source(name))}};
  ProgramSource source;
  source.text = kernel::assemble(traits.target, parts, kernel::video_source);
  source.group_size = program.group_size;
  source.label = file;
  PENSTOCK_ASSIGN(program.program, device.build(source));
  return program;
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
