// Rows of a text that are written regularly, cut many at once into the places of their fields.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "io/csv/csv_options.hpp"
#include "io/csv/csv_regular_scan.hpp"
#include "io/csv/csv_rows.hpp"

namespace penstock::io {

class CsvRegularRows {
 public:
  CsvRegularRows(const CsvDialect& dialect, const CsvOptions& options, std::size_t column_count)
      : dialect_(dialect), options_(options), column_count_(column_count) {}

  // Cuts the text's first rows, at most so many; fewer only if the text ends with the last one.
  // Returns false if CsvRowReader has to read one of the rows. 64 bytes behind the text may be
  // read.
  bool cut(std::string_view text, std::size_t max_rows);
  std::size_t row_count() const { return row_count_; }
  std::size_t offset(std::size_t row) const { return starts_[row * stride_]; }  // row_count(): end
  CsvField field(std::size_t row, std::size_t column) const {
    return cut_.field(starts_.data() + row * stride_ + column, column + 1 == stride_);
  }
  // As CsvRowBatch::each().
  template <class See> void each(std::size_t column, const See& see) const;

 private:
  // Input to make a field from. A copy of it stays in registers while other memory is written.
  struct Cut {
    CsvField field(const std::uint32_t* starts, bool is_last) const;

    const char* text = nullptr;
    char quote = '\0';
    bool has_quotes = false, has_doubled_quotes = false, has_returns = false;
  };
  bool find_ends(std::string_view text, std::size_t max_rows);
  void add_ends(std::uint64_t ends, std::uint32_t offset);
  bool has_equal_rows() const;
  bool has_short_rows() const;
  bool has_empty_tails() const;

  const CsvDialect dialect_;
  const CsvOptions& options_;
  const std::size_t column_count_;
  std::vector<std::uint32_t> starts_;  // of each field in the text; the byte before is an end
  std::size_t field_count_ = 0;
  std::size_t row_count_ = 0, stride_ = 1;
  Cut cut_;
};

inline CsvField CsvRegularRows::Cut::field(const std::uint32_t* starts, bool is_last) const {
  CsvField field{text + starts[0], starts[1] - starts[0] - 1};
  if (has_returns && is_last && field.bytes > 0 && field.data[field.bytes - 1] == '\r')
    field.bytes--;
  if (has_quotes && field.bytes > 0 && *field.data == quote) {
    field.data++;
    field.bytes -= 2;
    field.is_quoted = true;
    if (has_doubled_quotes && field.raw().find(quote) != std::string_view::npos)
      field.has_escapes = field.has_escaped_quote = true;
  }
  return field;
}

template <class See> void CsvRegularRows::each(std::size_t column, const See& see) const {
  const Cut cut = cut_;
  const bool is_last = column + 1 == stride_;
  const std::size_t row_count = row_count_, stride = stride_;
  const std::uint32_t* starts = starts_.data() + column;
  for (std::size_t row = 0; row < row_count; row++, starts += stride)
    if (!see(row, cut.field(starts, is_last))) return;
}

}  // namespace penstock::io
