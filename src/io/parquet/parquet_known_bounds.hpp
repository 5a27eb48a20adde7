// What a file's statistics and page indices say, decoded when it is first asked for.
//
// A file that stays open is asked again by every statement. A page index is read from the file, so
// that decoding it anew costs more than many a kernel.
#pragma once
#include <memory>
#include <optional>

#include "base/published.hpp"
#include "io/parquet/parquet_page_index.hpp"

namespace penstock::io {

class KnownBounds {
 public:
  // The file outlives it.
  explicit KnownBounds(const ParquetFile& file);

  // Both take the index of a column. Several threads may call them at once. They throw what Parquet
  // throws; then nothing is kept.
  const Bounds& of_chunk(int row_group, std::uint32_t column) const;
  const std::optional<PageBounds>& of_pages(int row_group, std::uint32_t column) const;

 private:
  // By row group. Most columns of a wide file are never asked for. Threads look at row groups side
  // by side: a lock for each column cost Q6 0.6 ms on 16 cores.
  template <class T> using ByGroup = Published<std::unique_ptr<Published<T>[]>>;
  struct ColumnBounds {
    ByGroup<Bounds> chunks;
    ByGroup<std::optional<PageBounds>> pages;
  };
  template <class T, class Decode>
  const T& known(ByGroup<T>& values, int row_group, const Decode& decode) const;

  const ParquetFile& file_;
  const std::unique_ptr<ColumnBounds[]> columns_;
};

}  // namespace penstock::io
