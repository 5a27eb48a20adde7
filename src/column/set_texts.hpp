// Gives a column its strings, by threads.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>

#include "base/huge_page_allocator.hpp"
#include "base/parallel.hpp"
#include "penstock/column.hpp"

namespace penstock::column {

template <class Offset, class TextOf>
void set_sized_texts(Column& column, const LargeVector<std::uint32_t>& sizes, std::uint64_t bytes,
                     const TextOf& text_of) {
  const std::uint64_t rows = column.row_count;
  const auto offsets = large_array<Offset>(rows + 1);
  const auto texts = large_array<std::byte>(bytes);
  offsets[0] = 0;
  for (std::uint64_t row = 0; row < rows; row++)
    offsets[row + 1] = static_cast<Offset>(static_cast<std::uint64_t>(offsets[row]) + sizes[row]);
  for_rows(rows, [&](std::uint64_t row) {
    if (sizes[row] > 0) std::memcpy(texts.get() + offsets[row], text_of(row).data(), sizes[row]);
  });
  column.offset_bytes = sizeof(Offset);
  column.offsets = {offsets, reinterpret_cast<const std::byte*>(offsets.get()),
                    (rows + 1) * sizeof(Offset)};
  column.values = {texts, texts.get(), bytes};
}

// text_of(row) returns a row's string, "" for NULL, twice: for its size, then for its bytes.
template <class TextOf> void set_texts(Column& column, const TextOf& text_of) {
  LargeVector<std::uint32_t> sizes(column.row_count);
  std::atomic<std::uint64_t> bytes = 0;
  in_parallel(column.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t sum = 0;
    for (std::uint64_t row = first; row < last; row++) {
      sizes[row] = static_cast<std::uint32_t>(text_of(row).size());
      sum += sizes[row];
    }
    bytes += sum;
  });
  if (bytes <= INT32_MAX)
    set_sized_texts<std::int32_t>(column, sizes, bytes, text_of);
  else
    set_sized_texts<std::int64_t>(column, sizes, bytes, text_of);
}

}  // namespace penstock::column
