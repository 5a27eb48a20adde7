#include "io/parquet/parquet_known_bounds.hpp"

namespace penstock::io {

KnownBounds::KnownBounds(const ParquetFile& file)
    : file_(file), columns_(std::make_unique<ColumnBounds[]>(file.columns().size())) {}

// Most columns of a wide file are never asked for.
KnownBounds::ColumnBounds& KnownBounds::bounds_of(std::uint32_t column) const {
  ColumnBounds& bounds = columns_[column];
  std::call_once(bounds.asked, [&] {
    const auto groups = static_cast<std::size_t>(file_.row_group_count());
    bounds.chunks = std::make_unique<Known<Bounds>[]>(groups);
    bounds.pages = std::make_unique<Known<std::optional<PageBounds>>[]>(groups);
  });
  return bounds;
}

// std::call_once may not return again once its function has thrown.
const Bounds& KnownBounds::of_chunk(int row_group, std::uint32_t column) const {
  Known<Bounds>& known = bounds_of(column).chunks[static_cast<std::size_t>(row_group)];
  std::call_once(known.asked, [&] {
    try {
      known.value = bounds_of_chunk(file_, row_group, file_.columns()[column]);
    } catch (...) { known.failure = std::current_exception(); }
  });
  if (known.failure) std::rethrow_exception(known.failure);
  return known.value;
}

const std::optional<PageBounds>& KnownBounds::of_pages(int row_group, std::uint32_t column) const {
  auto& known = bounds_of(column).pages[static_cast<std::size_t>(row_group)];
  std::call_once(known.asked,
                 [&] { known.value = page_bounds(file_, row_group, file_.columns()[column]); });
  return known.value;
}

}  // namespace penstock::io
