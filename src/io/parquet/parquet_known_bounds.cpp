#include "io/parquet/parquet_known_bounds.hpp"

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

}  // namespace penstock::io
