// A file's statistics, page indices and bloom filters, decoded when they are first asked for.
//
// A file that stays open is asked again by every statement. Page indices and bloom filters are read
// from the file, so that decoding one anew costs more than many a kernel. Counts of NULLs are kept
// for the same reason: they are taken from levels if rows are left out, or counted, by NULLs.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/published.hpp"
#include "io/parquet/parquet_bloom.hpp"
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
  // Returns how many rows of a chunk are NULL, counted (null_counts.hpp); nullopt where its pages
  // are damaged. Decompresses them when it is first asked.
  std::optional<std::uint64_t> nulls_in_chunk(int row_group, std::uint32_t column) const;
  // Null if there is no filter. Filters are kept up to a limit of bytes; others are read again.
  std::shared_ptr<const ChunkBloomFilter> filter_of(int row_group, std::uint32_t column) const;

 private:
  using Filter = std::shared_ptr<const ChunkBloomFilter>;
  // By row group. Most columns of a wide file are never asked for. Threads look at row groups side
  // by side, and none waits for another.
  template <class T> using ByGroup = Published<std::unique_ptr<Published<T>[]>>;
  struct ColumnBounds {
    ByGroup<Bounds> chunks;
    ByGroup<std::optional<PageBounds>> pages;
    ByGroup<std::optional<std::uint64_t>> null_counts;
    std::mutex filters_mutex;
    std::vector<std::optional<Filter>> filters;  // by row group; empty until one is asked for
  };
  template <class T, class Decode>
  const T& known(ByGroup<T>& values, int row_group, const Decode& decode) const;

  const ParquetFile& file_;
  const std::unique_ptr<ColumnBounds[]> columns_;
  mutable std::atomic<std::uint64_t> filter_bytes_ = 0;  // of the filters kept
};

}  // namespace penstock::io
