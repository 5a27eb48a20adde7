#include "exec/kernel/tile_strategy.hpp"

#include <algorithm>

namespace penstock::plan {

std::uint32_t TileContext::tile_count(std::uint64_t row_count) const {
  return static_cast<std::uint32_t>((row_count + policy.tile_rows - 1) / policy.tile_rows);
}

std::uint32_t TileContext::group_count(std::uint64_t row_count) const {
  const std::uint32_t tiles = std::max(1u, tile_count(row_count));
  return policy.groups == 0 ? tiles : std::min(tiles, policy.groups);
}

Status TileContext::reserve(BufferPointer& buffer, std::uint64_t bytes) const {
  if (buffer && buffer->bytes() >= bytes) return {};
  buffer.reset();
  PENSTOCK_ASSIGN(buffer, device.allocate(std::max<std::uint64_t>(bytes, 64)));
  return {};
}

}  // namespace penstock::plan
