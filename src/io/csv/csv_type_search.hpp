// Finds the types of columns from a sample of their values, after DuckDB's sniffer.
//
// A column may have every type at first. Each value takes away those that it does not fit, and the
// most special that is left is the column's. Dates in another order than 2024-12-31 have one format
// in the whole file: that of the first column of such dates.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "io/csv/csv_row_batch.hpp"

namespace penstock::io {

// In the order in which they are given up, the last first.
enum class CsvGuess : unsigned char {
  string,
  float64,
  wider_integer,
  integer_128,
  integer_64,
  zoned_timestamp,
  timestamp,
  date,
  time,
  boolean,
  nothing,  // only NULL so far
};

CsvType type_of_guess(CsvGuess guess);

// Formats of dates and timestamps that the file's values have.
struct CsvTimeFormats {
  std::optional<CsvTimeFormat> date, timestamp;
};

// Whether a value, which is not NULL, fits a type.
bool fits_guess(std::string_view value, CsvGuess guess, const CsvTimeFormats& formats,
                char decimal_separator);

class CsvTypeSearch {
 public:
  CsvTypeSearch(const CsvOptions& options, const CsvDialect& dialect, std::size_t column_count);
  // Looks at the first rows from `first_row` on. Formats are found in them alone.
  void see_first(const CsvRowBatch& rows, std::size_t first_row);
  void see(const CsvRowBatch& rows);

  const std::vector<CsvGuess>& guesses() const { return guesses_; }
  const CsvTimeFormats& formats() const { return formats_; }

 private:
  struct Candidates {
    std::vector<std::string> formats;  // the last one is tried first
    std::size_t all = 0;
    bool is_found = false;
  };
  std::optional<std::string_view> value_at(const CsvRowBatch& rows, std::size_t row,
                                           std::size_t column);
  void see_column(const CsvRowBatch& rows, std::size_t first_row, std::size_t column,
                  bool finds_formats);
  void narrow(std::size_t column, std::string_view value, bool is_first, bool finds_formats);
  void find_format(CsvGuess guess, std::string_view value);
  static bool try_formats(Candidates& candidates, std::string_view value);
  void check_format(const CsvRowBatch& rows, std::size_t first_row, std::size_t column);

  const CsvOptions& options_;
  const CsvDialect dialect_;
  std::vector<CsvGuess> guesses_;
  CsvTimeFormats formats_;
  Candidates dates_, timestamps_;
  bool has_date_ = false, has_timestamp_ = false;  // a column before is one
  std::string room_;
};

}  // namespace penstock::io
