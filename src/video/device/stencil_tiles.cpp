#include "video/device/stencil_tiles.hpp"

#include <algorithm>
#include <bit>

#include "kernel/tuned_policies.hpp"

namespace penstock::video {

namespace {

// The group size that a kernel runs by: as given, or as `penstock tune` found faster.
kernel::PolicyNumbers tile_numbers(const std::string& kernel, const Traits& traits,
                                   std::uint32_t gpu_group_size) {
  if (traits.wants_single_thread_groups()) return {{"group_size", 1}};
  const kernel::PolicyNumbers standard = {
      {"group_size",
       std::min(gpu_group_size, std::bit_floor(traits.max_group_size)),
       {64, 128, 256, 512}}};
  return kernel::policy_in_force(
      traits, kernel, kernel, standard, [&](const kernel::PolicyNumbers& numbers) {
        return std::has_single_bit(numbers[0].value) && numbers[0].value <= traits.max_group_size;
      });
}

}  // namespace

kernel::VariantCase view_of_tiles(const std::string& kernel, const char* use, const Traits& traits,
                                  std::uint32_t gpu_group_size) {
  return {kernel, use, {{kernel, {}, tile_numbers(kernel, traits, gpu_group_size)}}};
}

Result<FrameProgram> tile_program(Device& device, const std::string& kernel,
                                  const std::string& definitions, std::uint32_t gpu_group_size) {
  PENSTOCK_ASSIGN(FrameProgram program,
                  frame_program(device, kernel + ".kc", definitions,
                                tile_numbers(kernel, device.traits(), gpu_group_size)[0].value));
  if (device.traits().wants_single_thread_groups()) return program;
  PENSTOCK_ASSIGN(const std::uint32_t groups, device.resident_groups(*program.program, kernel));
  program.max_groups = std::max(1u, groups);
  return program;
}

std::uint32_t groups_of_tiles(const FrameProgram& program, std::uint32_t width,
                              std::uint32_t height, std::uint32_t taps, std::uint32_t tile_rows) {
  const std::uint32_t tile_width = (STENCIL_TILE_COLUMNS - (taps - 1)) / 4 * 4;
  const std::uint64_t tiles =
      std::uint64_t{(width + tile_width - 1) / tile_width} * ((height + tile_rows - 1) / tile_rows);
  const std::uint64_t rounds = (tiles + program.max_groups - 1) / program.max_groups;
  return static_cast<std::uint32_t>((tiles + rounds - 1) / rounds);
}

}  // namespace penstock::video
