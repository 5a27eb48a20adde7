// The rows of a text, some at a time, each with as many fields as there are columns.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "io/csv/csv_options.hpp"
#include "io/csv/csv_regular_rows.hpp"
#include "io/csv/csv_rows.hpp"

namespace penstock::io {

// A row that cannot be read; `offset` is where it begins in the text.
struct CsvRowError {
  Code code = Code::corrupt;
  std::size_t offset = 0;
  std::string text;
};

class CsvRowBatch {
 public:
  // A text that is not whole ends within a row, which is not read.
  CsvRowBatch(const CsvDialect& dialect, const CsvOptions& options, std::size_t column_count,
              std::string_view text, bool is_whole)
      : dialect_(dialect),
        options_(options),
        column_count_(column_count),
        text_(text),
        is_whole_(is_whole),
        regular_(dialect, options, column_count),
        reader_(dialect, text) {}

  // Reads so many rows; fewer only where the text ends. The options say whether a row of another
  // width is filled with NULL, passed over, or an error.
  std::optional<CsvRowError> read(std::size_t max_rows);
  std::size_t row_count() const { return is_regular_ ? regular_.row_count() : offsets_.size(); }
  CsvField field(std::size_t row, std::size_t column) const {
    return is_regular_ ? regular_.field(row, column) : fields_[row * column_count_ + column];
  }
  // Calls see(row, field) with a column's field of each row, until it returns false.
  template <class See> void each(std::size_t column, const See& see) const;
  std::size_t offset(std::size_t row) const {  // in the text
    return is_regular_ ? begin_ + regular_.offset(row) : offsets_[row];
  }
  std::size_t byte_count() const { return end_ - begin_; }  // that the rows have at most
  std::size_t end_offset() const { return end_; }           // behind the last row that was read
  bool is_at_end() const { return is_at_end_; }
  // Takes rows out.
  void remove(const std::vector<bool>& is_removed);

 private:
  bool read_regular(std::size_t max_rows);
  std::optional<CsvRowError> read_any(std::size_t max_rows);
  void keep_fields();
  std::optional<CsvRowError> fit_row(std::size_t begin);
  std::optional<CsvRowError> wrong_width(std::size_t field_count) const;
  CsvRowError error(Code code, std::string text) const;

  const CsvDialect dialect_;
  const CsvOptions& options_;
  const std::size_t column_count_;
  const std::string_view text_;
  const bool is_whole_;
  CsvRegularRows regular_;
  CsvRowReader reader_;
  std::vector<CsvField> fields_;  // of rows that are not regular
  std::vector<std::size_t> offsets_;
  std::size_t begin_ = 0, end_ = 0;  // of the rows, in the text
  bool is_regular_ = false, is_at_end_ = false;
};

template <class See> void CsvRowBatch::each(std::size_t column, const See& see) const {
  if (is_regular_) return regular_.each(column, see);
  for (std::size_t row = 0; row < offsets_.size(); row++)
    if (!see(row, fields_[row * column_count_ + column])) return;
}

}  // namespace penstock::io
