#include "exec/scan/chunks_of_pages.hpp"

#include <algorithm>
#include <utility>

#include "codec/pages/selected_pages.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t many_chunks = 32;

// Rows of a chunk in a session: fixed, so that every query finds the pages that other queries left
// on the device. A chunk of resident pages costs the host 30 to 120 us of launches and waits. So
// there are few chunks if a device has memory for several large ones.
std::uint64_t session_chunk_rows(std::uint64_t device_bytes) {
  constexpr std::uint64_t large_device_bytes = std::uint64_t{32} << 30;
  return std::uint64_t{1} << (device_bytes >= large_device_bytes ? 24 : 22);
}

// Three chunks compute and eight are decoded, or five large ones, each with its pages as stored and
// decompressed. Together they stay within a third of the memory, unless a single row group is
// larger.
pages::BatchLimits batch_limits(const PagedScan::Limits& limits, std::uint64_t device_bytes,
                                std::uint64_t stored_bytes, bool is_cached) {
  const std::uint64_t chunk_bytes =
      stored_bytes < many_chunks * chunk_stored_bytes ? chunk_stored_bytes : 2 * chunk_stored_bytes;
  pages::BatchLimits batch;
  batch.page_bytes = std::min(batch.page_bytes, device_bytes / 64);
  batch.stored_bytes = is_cached ? batch.page_bytes : std::min(chunk_bytes, device_bytes / 128);
  batch.rows = limits.batch_rows > 0 ? limits.batch_rows : max_launch_rows - 1;
  if (is_cached) batch.rows = std::min(batch.rows, session_chunk_rows(device_bytes));
  return batch;
}

std::uint64_t stored_bytes(const pages::PagedTable& table,
                           const std::vector<std::uint32_t>& columns,
                           const std::vector<std::uint32_t>& row_groups) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t column : columns)
    for (const std::uint32_t group : row_groups) bytes += table.chunks(column)[group].stored_bytes;
  return bytes;
}

// With a cache chunks are cut alike for all statements, of all row groups. A statement keeps them:
// to cut thousands of row groups takes longer than all else that it does before it launches.
std::vector<pages::RowGroupBatch> chunks_in_session(const pages::PagedTable& table,
                                                    const std::string& identity,
                                                    const std::vector<std::uint32_t>& columns,
                                                    const pages::BatchLimits& limits,
                                                    KeptPrograms* kept) {
  const KeptPrograms::BatchesKey key{identity, columns, limits};
  if (kept)
    if (const auto known = kept->find_batches(key)) return *known;
  auto chunks = pages::plan_batches(table, columns, pages::all_groups(table), limits);
  if (kept)
    kept->keep_batches(key, std::make_shared<const std::vector<pages::RowGroupBatch>>(chunks));
  return chunks;
}

}  // namespace

std::vector<std::uint32_t> needed_groups(const pages::PagedTable& table,
                                         const PagedScan::Limits& limits) {
  return limits.rows && limits.rows->counts.rows_skipped > 0
             ? pages::groups_with_rows(table, limits.rows->ranges)
             : pages::all_groups(table);
}

std::vector<pages::RowGroupBatch> chunks_of(const pages::PagedTable& table,
                                            const ResidentPages& resident,
                                            const std::vector<std::uint32_t>& columns,
                                            const std::vector<std::uint32_t>& needed,
                                            const PagedScan::Limits& limits,
                                            std::uint64_t device_bytes) {
  const bool is_cached = resident.is_on();
  const pages::BatchLimits batch = batch_limits(
      limits, device_bytes, is_cached ? 0 : stored_bytes(table, columns, needed), is_cached);
  std::vector<pages::RowGroupBatch> chunks =
      is_cached ? chunks_in_session(table, resident.identity(), columns, batch, limits.kept)
                : pages::plan_batches(table, columns, needed, batch);
  std::erase_if(chunks, [&](const pages::RowGroupBatch& chunk) {
    return part_of(table, columns, chunk, needed).row_groups.empty();
  });
  std::uint64_t rows = 0;
  std::erase_if(chunks, [&](const pages::RowGroupBatch& chunk) {
    return std::exchange(rows, rows + chunk.row_count) >= limits.rows_needed;
  });
  return chunks;
}

}  // namespace penstock::plan
