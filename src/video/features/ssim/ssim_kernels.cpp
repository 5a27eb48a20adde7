#include "video/features/ssim/ssim_kernels.hpp"

#include <bit>
#include <limits>

#include "video/kernels/window_limits.h"

namespace penstock::video {
namespace {

constexpr std::uint32_t taps = ssim_window.size(), products = 5;
// Large groups waste less on the window's apron. Small images need many groups.
constexpr std::uint32_t large_group = 256, small_group = 64, min_tiles_per_compute_unit = 4;

// Local memory: the sums along columns and the thread's part of the frame's sums.
constexpr std::uint32_t bytes_per_thread(SsimSums sums) {
  return products * WINDOW_ROWS_OF(large_group) * std::uint32_t{sizeof(float)} +
         static_cast<std::uint32_t>(sums) * std::uint32_t{sizeof(std::uint64_t)} + 4;
}

}  // namespace

std::string sample_source(const PictureFormat& format) {
  return sample_definitions(format) + "#define SOURCE_IS_SAMPLES 1\n";
}
std::string float_source() { return "#define SOURCE_IS_SAMPLES 0\n"; }

std::string width_definition(std::uint32_t width) {
  return "#define SOURCE_WIDTH " + std::to_string(width) + "u\n";
}

Result<FloatImages> allocate_images(Device& device, std::uint64_t floats) {
  FloatImages images;
  PENSTOCK_ASSIGN(images.first, device.allocate(floats * sizeof(float)));
  PENSTOCK_ASSIGN(images.second, device.allocate(floats * sizeof(float)));
  return images;
}

std::uint32_t fitting_group_size(const Traits& traits, std::uint32_t wanted,
                                 std::uint32_t bytes_per_thread) {
  std::uint32_t size = std::min(wanted, std::bit_floor(traits.max_group_size));
  while (size > 32 && std::uint64_t{size} * bytes_per_thread > traits.local_bytes) size /= 2;
  return size;
}

std::uint64_t SsimKernel::tiles(std::uint32_t group_size) const {
  const std::uint32_t across = WINDOW_WIDTH_OF(group_size, taps, 1u),
                      down = WINDOW_ROWS_OF(group_size);
  std::uint64_t count = 0;
  std::uint32_t width = width_, height = height_;
  for (std::uint32_t level = 0; level < levels_; level++) {
    count += std::uint64_t{(width - taps) / across + 1} * ((height - taps) / down + 1);
    width = (width + 1) / 2, height = (height + 1) / 2;
  }
  return count;
}

Status SsimKernel::open(Device& device, const std::string& source, SsimSums sums,
                        std::uint32_t width, std::uint32_t height, std::uint32_t levels) {
  width_ = width, height_ = height, levels_ = levels;
  const Traits& traits = device.traits();
  const bool is_small =
      tiles(large_group) < std::uint64_t{min_tiles_per_compute_unit} * traits.compute_units;
  const std::uint32_t group_size =
      fitting_group_size(traits, is_small ? small_group : large_group, bytes_per_thread(sums));
  std::string definitions =
      source + "#define SSIM_SUMS " + std::to_string(static_cast<std::uint32_t>(sums)) + "u\n";
  has_one_width_ = group_size > small_group && levels == 1;
  if (has_one_width_) definitions += width_definition(width);
  PENSTOCK_ASSIGN(program_, frame_program(device, "ssim.kc", definitions, group_size));
  const std::uint64_t groups = tiles(program_.group_size);
  if (groups > std::numeric_limits<std::uint32_t>::max())
    return {Code::unsupported, "pictures of so many rows and columns are not scored on devices"};
  groups_ = static_cast<std::uint32_t>(groups);
  return {};
}

Status SsimKernel::enqueue(Queue& queue, const Buffer& first, const Buffer& second,
                           const Buffer& sums, std::uint32_t first_sum) const {
  return queue.launch(*program_.program, "ssim", groups_,
                      {{Argument::of(first), Argument::of(second), Argument::of(sums),
                        Argument::value(std::uint64_t{width_} | std::uint64_t{height_} << 32),
                        Argument::value(levels_), Argument::value(first_sum)}});
}

}  // namespace penstock::video
