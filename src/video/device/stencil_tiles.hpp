// How many groups go through the tiles of a plane (kernels/stencil_tile.kc).
#pragma once
#include "video/device/device_picture.hpp"
#include "video/kernels/stencil_limits.h"

namespace penstock::video {

// Every group takes as many tiles as the others, or one less.
inline std::uint32_t groups_of_tiles(const FrameProgram& program, std::uint32_t width,
                                     std::uint32_t height, std::uint32_t taps,
                                     std::uint32_t tile_rows) {
  const std::uint32_t tile_width = (STENCIL_TILE_COLUMNS - (taps - 1)) / 4 * 4;
  const std::uint64_t tiles =
      std::uint64_t{(width + tile_width - 1) / tile_width} * ((height + tile_rows - 1) / tile_rows);
  const std::uint64_t rounds = (tiles + program.max_groups - 1) / program.max_groups;
  return static_cast<std::uint32_t>((tiles + rounds - 1) / rounds);
}

}  // namespace penstock::video
