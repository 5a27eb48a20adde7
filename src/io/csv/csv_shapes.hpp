// The shapes of a text's first rows under one dialect, by which the sniffer judges the dialect.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/csv/csv_rows.hpp"

namespace penstock::io {

struct CsvRowShape {
  std::uint32_t field_count = 0;
  bool is_comment = false, has_comment = false;  // the whole line; the row's end
  bool has_empty_tail = false;                   // it and every later row end with a delimiter
  std::size_t offset = 0;                        // where it begins in the text
};

struct CsvShapes {
  std::vector<CsvRowShape> rows;  // without blank lines
  bool is_quoted = false, is_escaped = false;
  bool is_wrong = false;                    // a row cannot be cut under this dialect
  std::size_t wrong_offset = 0;             // it begins here
  CsvRowKind wrong_kind = CsvRowKind::row;  // row: it is longer than rows may be
};

// Looks at so many rows of a text, which ends within a row unless it is whole.
CsvShapes csv_shapes(std::string_view text, bool is_whole, const CsvDialect& dialect,
                     std::size_t max_rows, std::uint64_t max_line_bytes);

}  // namespace penstock::io
