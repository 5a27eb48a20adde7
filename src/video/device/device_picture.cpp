#include "video/device/device_picture.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <vector>

#include "base/parallel.hpp"
#include "base/streaming_copy.hpp"
#include "kernel/kernel_source.hpp"
#include "video/sample_bits.hpp"

namespace penstock::video {
namespace {

constexpr std::uint64_t plane_alignment = 16;
// Groups that fill a device. They hide each other's latency on GPUs, and balance cores of different
// speed on CPUs.
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

namespace {

// A plane that is copied: rows of row_bytes.
struct PackedPlane {
  Plane from;
  std::byte* to;
  std::size_t row_bytes;
  std::uint64_t rows, first_row;  // counted over all planes
};

// Rows that pay for waking a thread: a core copies about 10 GB/s.
constexpr std::uint64_t min_bytes_per_thread = 1 << 19;

// Copies rows [first, last) of a plane, and returns the bits that their samples have.
std::uint32_t copy_rows(const PackedPlane& plane, std::uint32_t bits, std::uint64_t first,
                        std::uint64_t last) {
  std::uint32_t found = 0;
  for (std::uint64_t y = first; y < last; y++) {
    const std::byte* const row = plane.from.data + y * plane.from.row_bytes;
    found |= bits_of_row(row, plane.row_bytes, bits);
    copy_past_caches(plane.to + y * plane.row_bytes, row, plane.row_bytes);
  }
  return found;
}

}  // namespace

void clear_padding(const DeviceLayout& layout, std::byte* to) {
  for (std::uint32_t plane = 0; plane < plane_count(layout.format); plane++) {
    const std::uint64_t bytes = layout.plane_bytes[plane];
    std::byte* const end = to + layout.first_byte[plane] + bytes;
    std::fill(end, end + (plane_alignment - bytes % plane_alignment) % plane_alignment,
              std::byte{0});
  }
}

Status pack(const Picture& reference, const Picture& distorted, const DeviceLayout& layout,
            std::byte* to) {
  std::vector<PackedPlane> planes;
  std::uint64_t rows = 0;
  for (const Picture* picture : {&reference, &distorted}) {
    for (std::uint32_t plane = 0; plane < plane_count(layout.format); plane++) {
      planes.push_back({picture->planes[plane], to + layout.first_byte[plane],
                        std::size_t{plane_width(layout.format, plane)} * layout.sample_bytes,
                        plane_height(layout.format, plane), rows});
      rows += planes.back().rows;
    }
    clear_padding(layout, to);
    to += layout.bytes;
  }
  std::atomic<std::uint32_t> bits = 0;
  const auto copy = [&](std::uint64_t first, std::uint64_t last) {
    for (const PackedPlane& plane : planes) {
      const std::uint64_t begin = std::max(first, plane.first_row),
                          end = std::min(last, plane.first_row + plane.rows);
      if (begin < end)
        bits |=
            copy_rows(plane, layout.format.bits, begin - plane.first_row, end - plane.first_row);
    }
  };
  in_parallel(rows, 1 + min_bytes_per_thread / (planes[0].row_bytes + 1), copy);
  return check_bits(bits, layout.format);
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
  const kernel::KernelFiles files{kernel::video_source, {"video/kernels/" + file}, definitions};
  PENSTOCK_ASSIGN(program.program, device.build(kernel::program_source(traits.target, files,
                                                                       program.group_size, file)));
  return program;
}

std::uint32_t FrameProgram::groups_for(std::uint64_t threads) const {
  const std::uint64_t wanted = (threads + group_size - 1) / group_size;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, max_groups));
}

std::string sample_definitions(const PictureFormat& format) {
  const std::string bits = format.bits > 8 ? "16u" : "8u";
  const std::string scale = "(1.0f / " + std::to_string(1u << (format.bits - 8)) + ".0f)";
  return "#define SAMPLE_BITS " + bits + "\n#define SAMPLE_SCALE " + scale + "\n";
}

double number_of_sum(std::uint64_t sum) {
  return static_cast<double>(static_cast<std::int64_t>(sum)) / (1 << 30);
}

}  // namespace penstock::video
