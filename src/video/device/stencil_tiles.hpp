// Programs with groups that loop over the tiles of a plane (kernels/stencil_tile.kc).
#pragma once
#include "kernel/variant_table.hpp"
#include "video/device/device_picture.hpp"
#include "video/kernels/stencil_limits.h"

namespace penstock::video {

// Like frame_program(), with at most as many groups of `kernel` as the device runs at once: each
// processes its share of the tiles, and no group has to wait for another to end.
Result<FrameProgram> tile_program(Device& device, const std::string& kernel,
                                  const std::string& definitions,
                                  std::uint32_t gpu_group_size = 256);

// The view of such a kernel (kernel/variant_table.hpp). `penstock tune` measures its group size.
kernel::VariantCase view_of_tiles(const std::string& kernel, const char* use, const Traits& traits,
                                  std::uint32_t gpu_group_size);

// The tile counts of two groups differ by at most one.
std::uint32_t groups_of_tiles(const FrameProgram& program, std::uint32_t width,
                              std::uint32_t height, std::uint32_t taps, std::uint32_t tile_rows);

}  // namespace penstock::video
