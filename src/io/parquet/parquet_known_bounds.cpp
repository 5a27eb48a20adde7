#include "io/parquet/parquet_known_bounds.hpp"

#include "io/common/arrow_errors.hpp"
#include "io/parquet/null_counts.hpp"

namespace penstock::io {

KnownBounds::KnownBounds(const ParquetFile& file)
    : file_(file), columns_(std::make_unique<ColumnBounds[]>(file.columns().size())) {}

template <class T, class Decode>
const T& KnownBounds::known(ByGroup<T>& values, int row_group, const Decode& decode) const {
  auto& groups = values.get([&] {
    const auto count = static_cast<std::size_t>(file_.row_group_count());
    return std::make_unique<std::unique_ptr<Published<T>[]>>(
        std::make_unique<Published<T>[]>(count));
  });
  return groups[static_cast<std::size_t>(row_group)].get(
      [&] { return std::make_unique<T>(decode()); });
}

const Bounds& KnownBounds::of_chunk(int row_group, std::uint32_t column) const {
  return known(columns_[column].chunks, row_group,
               [&] { return bounds_of_chunk(file_, row_group, file_.columns()[column]); });
}

const std::optional<PageBounds>& KnownBounds::of_pages(int row_group, std::uint32_t column) const {
  return known(columns_[column].pages, row_group,
               [&] { return page_bounds(file_, row_group, file_.columns()[column]); });
}

std::optional<std::uint64_t> KnownBounds::nulls_in_chunk(int row_group,
                                                         std::uint32_t column) const {
  return known(columns_[column].null_counts, row_group, [&] {
    const auto count = catch_arrow_exceptions(
        [&] { return count_nulls(file_, row_group, file_.columns()[column]); });
    return count.ok() ? std::optional(*count) : std::nullopt;
  });
}

// Reads without the lock: other row groups of the column are looked at meanwhile.
std::shared_ptr<const ChunkBloomFilter> KnownBounds::filter_of(int row_group,
                                                               std::uint32_t column) const {
  constexpr std::uint64_t max_filter_bytes = std::uint64_t{64} << 20;
  ColumnBounds& of = columns_[column];
  {
    const std::lock_guard lock(of.filters_mutex);
    if (of.filters.empty()) of.filters.resize(static_cast<std::size_t>(file_.row_group_count()));
    if (const auto& kept = of.filters[static_cast<std::size_t>(row_group)]) return *kept;
  }
  const Filter filter = ChunkBloomFilter::open(file_, row_group, file_.columns()[column]);
  const std::uint64_t bytes = filter ? filter->bytes() : 0;
  if (filter_bytes_ + bytes > max_filter_bytes) return filter;
  const std::lock_guard lock(of.filters_mutex);
  std::optional<Filter>& kept = of.filters[static_cast<std::size_t>(row_group)];
  if (kept) return *kept;
  filter_bytes_ += bytes;
  return *(kept = filter);
}

}  // namespace penstock::io
