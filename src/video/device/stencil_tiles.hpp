// Programs whose groups go through the tiles of a plane (kernels/stencil_tile.kc).
#pragma once
#include "kernel/variant_table.hpp"
#include "video/device/device_picture.hpp"
#include "video/kernels/stencil_limits.h"

namespace penstock::video {

// As frame_program(), with as many groups of `kernel` at most as run at once on the device: each
// goes through its share of the tiles, and none waits for another's end.
Result<FrameProgram> tile_program(Device& device, const std::string& kernel,
                                  const std::string& definitions,
                                  std::uint32_t gpu_group_size = 256);

// The view of such a kernel (kernel/variant_table.hpp), whose group size `penstock tune` measures.
kernel::VariantCase view_of_tiles(const std::string& kernel, const char* use, const Traits& traits,
                                  std::uint32_t gpu_group_size);

// Every group takes as many tiles as the others, or one less.
std::uint32_t groups_of_tiles(const FrameProgram& program, std::uint32_t width,
                              std::uint32_t height, std::uint32_t taps, std::uint32_t tile_rows);

}  // namespace penstock::video
