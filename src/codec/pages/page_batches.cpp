#include "codec/pages/page_batches.hpp"

#include <algorithm>

namespace penstock::pages {
namespace {

// The footer is not checked, so its sizes are added without overflow.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a + std::min(b, UINT64_MAX - a); }

RowGroupBatch batch_of_one(const PagedTable& table, std::span<const std::uint32_t> columns,
                           std::uint32_t row_group) {
  RowGroupBatch batch;
  batch.row_groups = {row_group};
  batch.row_count = table.first_rows()[row_group + 1] - table.first_rows()[row_group];
  for (const std::uint32_t column : columns) {
    batch.stored_bytes = sum(batch.stored_bytes, table.stored_bytes(column, row_group));
    batch.page_bytes = sum(batch.page_bytes, table.page_bytes(column, row_group));
  }
  return batch;
}

bool fits(const RowGroupBatch& batch, const RowGroupBatch& next, const BatchLimits& limits) {
  return sum(batch.row_count, next.row_count) <= limits.rows &&
         sum(batch.stored_bytes, next.stored_bytes) <= limits.stored_bytes &&
         sum(batch.page_bytes, next.page_bytes) <= limits.page_bytes;
}

void append(RowGroupBatch& batch, const RowGroupBatch& next) {
  batch.row_groups.push_back(next.row_groups[0]);
  batch.row_count += next.row_count;
  batch.stored_bytes = sum(batch.stored_bytes, next.stored_bytes);
  batch.page_bytes = sum(batch.page_bytes, next.page_bytes);
}

}  // namespace

std::vector<RowGroupBatch> plan_batches(const PagedTable& table,
                                        std::span<const std::uint32_t> columns,
                                        std::span<const std::uint32_t> row_groups,
                                        const BatchLimits& limits) {
  std::vector<RowGroupBatch> batches;
  for (const std::uint32_t row_group : row_groups) {
    RowGroupBatch next = batch_of_one(table, columns, row_group);
    if (next.row_count == 0) continue;
    const bool is_alike =
        !batches.empty() && std::all_of(columns.begin(), columns.end(), [&](std::uint32_t column) {
          return table.compression(column, row_group) ==
                 table.compression(column, batches.back().row_groups[0]);
        });
    if (is_alike && fits(batches.back(), next, limits))
      append(batches.back(), next);
    else
      batches.push_back(std::move(next));
  }
  return batches;
}

}  // namespace penstock::pages
