#include "codec/pages/paged_table.hpp"

#include <array>

namespace penstock::pages {

ChunkSummary summary_of(std::span<const StoredChunk> chunks) {
  ChunkSummary summary;
  std::array<bool, static_cast<std::size_t>(Compression::other) + 1> has_compression{};
  for (std::uint32_t group = 0; group < chunks.size(); group++) {
    const StoredChunk& chunk = chunks[group];
    has_compression[static_cast<std::size_t>(chunk.compression)] = true;
    summary.has_plain_strings |= chunk.has_plain_strings;
    summary.has_deltas |= chunk.has_deltas;
    if (!summary.refused && !chunk.why_not.empty()) summary.refused = group;
  }
  for (std::size_t i = 0; i < has_compression.size(); i++)
    if (has_compression[i]) summary.compressions.push_back(static_cast<Compression>(i));
  return summary;
}

std::vector<std::vector<std::size_t>> PagedTable::neighbours(std::span<const std::uint32_t> columns,
                                                             std::uint32_t) const {
  std::vector<std::vector<std::size_t>> alone(columns.size());
  for (std::size_t i = 0; i < alone.size(); i++) alone[i] = {i};
  return alone;
}

std::optional<ChunkPlace> PagedTable::place_of(std::uint32_t, std::uint32_t) const { return {}; }

std::shared_ptr<const PagedTable> PagedTable::with_direct_reads(
    std::shared_ptr<const device::DirectFile>) const {
  return nullptr;
}

Result<std::vector<ChunkPages>> PagedTable::read_neighbours(std::span<const std::uint32_t> columns,
                                                            std::uint32_t row_group,
                                                            const BatchAllocator& memory) const {
  std::vector<ChunkPages> chunks;
  for (const std::uint32_t column : columns) {
    PENSTOCK_ASSIGN(chunks.emplace_back(), read(column, row_group, memory));
  }
  return chunks;
}

}  // namespace penstock::pages
