#include "io/csv/csv_regular_scan.hpp"

#include <bit>

namespace penstock::io {

std::optional<std::size_t> regular_row_end(std::string_view text, const CsvDialect& dialect) {
  if (dialect.ends_with_return) return std::nullopt;
  CsvRegularScan scan(dialect);
  std::size_t row_end = 0;
  for (std::size_t at = 0; at < text.size(); at += ByteWindow::bytes) {
    const char* const window = text.data() + at;
    if (!scan.see(window, bits_before(text.data() + text.size(), window))) return std::nullopt;
    if (scan.row_ends() != 0)
      row_end = at + static_cast<std::size_t>(std::bit_width(scan.row_ends()));
  }
  return row_end;
}

}  // namespace penstock::io
