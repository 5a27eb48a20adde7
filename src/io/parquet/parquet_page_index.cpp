#include "io/parquet/parquet_page_index.hpp"

#include "io/common/arrow_errors.hpp"

namespace penstock::io {
namespace {

// Pages of flat columns have as many values as rows.
std::optional<PageStarts> starts_of(const parquet::OffsetIndex& index, std::int64_t row_count) {
  PageStarts starts;
  for (const parquet::PageLocation& page : index.page_locations()) {
    const std::int64_t first = page.first_row_index;
    const bool is_next =
        starts.empty() ? first == 0 : first >= static_cast<std::int64_t>(starts.back());
    if (!is_next || first > row_count) return std::nullopt;
    starts.push_back(static_cast<std::uint64_t>(first));
  }
  if (starts.empty()) return std::nullopt;
  starts.push_back(static_cast<std::uint64_t>(row_count));
  return starts;
}

Bounds bounds_of_page(const parquet::ColumnIndex& index, std::size_t page, std::uint64_t row_count,
                      const ParquetColumn& column, const parquet::ColumnDescriptor& leaf) {
  Bounds bounds;
  bounds.row_count = row_count;
  if (!column.is_optional) bounds.null_count = 0;
  if (column.is_optional && index.has_null_counts() && page < index.null_counts().size()) {
    const std::int64_t count = index.null_counts()[page];
    if (count >= 0 && static_cast<std::uint64_t>(count) <= row_count)
      bounds.null_count = static_cast<std::uint64_t>(count);
  }
  if (index.null_pages()[page]) {
    if (column.is_optional) bounds.null_count = row_count;
    return bounds;
  }
  // A page's count of NULLs and null_pages contradict each other: neither is believed.
  if (bounds.null_count == row_count) bounds.null_count.reset();
  bounds.lowest = lowest_of(column, leaf, index.encoded_min_values()[page]);
  bounds.highest = highest_of(column, leaf, index.encoded_max_values()[page]);
  return bounds;
}

std::optional<PageBounds> bounds_in(const ParquetFile& file, int row_group,
                                    const ParquetColumn& column) {
  if (column.leaf < 0) return std::nullopt;
  const auto reader = file.page_index(row_group, column.leaf);
  if (!reader) return std::nullopt;
  const auto group = file.row_group_metadata(row_group);
  const auto offsets = reader->GetOffsetIndex(column.leaf);
  const auto index = offsets ? reader->GetColumnIndex(column.leaf) : nullptr;
  if (!index) return std::nullopt;
  auto starts = starts_of(*offsets, group->num_rows());
  const std::size_t pages = offsets->page_locations().size();
  if (!starts || index->null_pages().size() != pages ||
      index->encoded_min_values().size() != pages || index->encoded_max_values().size() != pages)
    return std::nullopt;
  PageBounds all{std::move(*starts), {}};
  const parquet::ColumnDescriptor& leaf = *group->schema()->Column(column.leaf);
  for (std::size_t page = 0; page < pages; page++)
    all.bounds.push_back(
        bounds_of_page(*index, page, all.starts[page + 1] - all.starts[page], column, leaf));
  return all;
}

// Returns what `read` does; nullopt where it throws.
template <class Read> std::invoke_result_t<Read> if_intact(Read&& read) {
  std::invoke_result_t<Read> result;
  static_cast<void>(catch_arrow_exceptions([&]() -> Status {
    result = read();
    return {};
  }));
  return result;
}

}  // namespace

std::optional<PageStarts> page_starts(const ParquetFile& file, int row_group, int leaf) {
  return if_intact([&]() -> std::optional<PageStarts> {
    const auto reader = file.page_index(row_group, leaf);
    const auto offsets = reader ? reader->GetOffsetIndex(leaf) : nullptr;
    if (!offsets) return std::nullopt;
    return starts_of(*offsets, file.row_group_metadata(row_group)->num_rows());
  });
}

std::optional<PageBounds> page_bounds(const ParquetFile& file, int row_group,
                                      const ParquetColumn& column) {
  return if_intact([&] { return bounds_in(file, row_group, column); });
}

}  // namespace penstock::io
