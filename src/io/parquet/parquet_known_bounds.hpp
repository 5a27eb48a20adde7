// What a file's statistics and page indices say, decoded when it is first asked for.
//
// A file that stays open is asked again by every statement. A page index is read from the file, so
// that decoding it anew costs more than many a kernel.
#pragma once
#include <exception>
#include <memory>
#include <mutex>

#include "io/parquet/parquet_page_index.hpp"

namespace penstock::io {

class KnownBounds {
 public:
  // The file outlives it.
  explicit KnownBounds(const ParquetFile& file);

  // Both take the index of a column. Several threads may call them at once. of_chunk() throws what
  // Parquet throws, each time.
  const Bounds& of_chunk(int row_group, std::uint32_t column) const;
  const std::optional<PageBounds>& of_pages(int row_group, std::uint32_t column) const;

 private:
  template <class T> struct Known {
    std::once_flag asked;
    T value;
    std::exception_ptr failure;  // what decoding the value threw
  };
  struct ColumnBounds {
    std::once_flag asked;
    std::unique_ptr<Known<Bounds>[]> chunks;  // by row group
    std::unique_ptr<Known<std::optional<PageBounds>>[]> pages;
  };
  ColumnBounds& bounds_of(std::uint32_t column) const;

  const ParquetFile& file_;
  const std::unique_ptr<ColumnBounds[]> columns_;
};

}  // namespace penstock::io
