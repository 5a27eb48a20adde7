#include "codec/pages/page_batches.hpp"

#include <algorithm>

namespace penstock::pages {
namespace {

using Chunks = std::span<const StoredChunk>;  // of a column

// The footer is not checked, so its sizes are added without overflow.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

struct Sizes {
  std::uint64_t rows = 0, stored_bytes = 0, page_bytes = 0;
};

Sizes sizes_of_group(std::span<const std::uint64_t> first_rows, std::span<const Chunks> columns,
                     std::uint32_t row_group) {
  Sizes sizes;
  sizes.rows = first_rows[row_group + 1] - first_rows[row_group];
  for (const Chunks& chunks : columns) {
    sizes.stored_bytes = sum(sizes.stored_bytes, chunks[row_group].stored_bytes);
    sizes.page_bytes = sum(sizes.page_bytes, chunks[row_group].page_bytes);
  }
  return sizes;
}

bool fits(const RowGroupBatch& batch, const Sizes& next, const BatchLimits& limits) {
  return sum(batch.row_count, next.rows) <= limits.rows &&
         sum(batch.stored_bytes, next.stored_bytes) <= limits.stored_bytes &&
         sum(batch.page_bytes, next.page_bytes) <= limits.page_bytes;
}

bool is_compressed_alike(std::span<const Chunks> columns, std::uint32_t a, std::uint32_t b) {
  return std::ranges::all_of(columns, [&](const Chunks& chunks) {
    return chunks[a].compression == chunks[b].compression;
  });
}

void append(RowGroupBatch& batch, std::uint32_t row_group, const Sizes& next) {
  batch.row_groups.push_back(row_group);
  batch.row_count += next.rows;
  batch.stored_bytes = sum(batch.stored_bytes, next.stored_bytes);
  batch.page_bytes = sum(batch.page_bytes, next.page_bytes);
}

}  // namespace

// Statements over pages that are resident plan batches of many row groups, and read none.
std::vector<RowGroupBatch> plan_batches(const PagedTable& table,
                                        std::span<const std::uint32_t> columns,
                                        std::span<const std::uint32_t> row_groups,
                                        const BatchLimits& limits) {
  std::vector<Chunks> chunks;
  for (const std::uint32_t column : columns) chunks.push_back(table.chunks(column));
  const std::span<const std::uint64_t> first_rows = table.first_rows();
  std::vector<RowGroupBatch> batches;
  for (const std::uint32_t row_group : row_groups) {
    const Sizes next = sizes_of_group(first_rows, chunks, row_group);
    if (next.rows == 0) continue;
    const bool joins = !batches.empty() && fits(batches.back(), next, limits) &&
                       is_compressed_alike(chunks, row_group, batches.back().row_groups[0]);
    if (!joins) batches.emplace_back();
    append(batches.back(), row_group, next);
  }
  return batches;
}

}  // namespace penstock::pages
