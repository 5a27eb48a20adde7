#include "video/device/stencil_tiles.hpp"

#include <algorithm>

namespace penstock::video {

Result<FrameProgram> tile_program(Device& device, const std::string& kernel,
                                  const std::string& definitions, std::uint32_t gpu_group_size) {
  PENSTOCK_ASSIGN(FrameProgram program,
                  frame_program(device, kernel + ".kc", definitions, gpu_group_size));
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
