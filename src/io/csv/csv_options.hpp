// Options of read_csv(). The sniffer does not look for properties that they give.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/csv/csv_time_format.hpp"
#include "io/csv/csv_types.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

struct CsvOptions {
  std::optional<char> delimiter, quote, escape, comment;  // '\0': none
  std::optional<bool> has_header;
  std::optional<std::uint64_t> skipped_lines;
  std::vector<std::string> names;                            // of the first columns
  std::vector<std::pair<std::string, CsvType>> named_types;  // of some columns
  std::vector<CsvType> first_types;                          // of the first columns
  std::vector<std::pair<std::string, CsvType>> all_columns;  // of every column, or none
  std::vector<std::string> null_texts{""};
  std::optional<CsvTimeFormat> date_format, timestamp_format;
  std::optional<std::uint64_t> sample_rows = 20'480;  // nullopt: all
  std::uint64_t max_line_bytes = 2'000'000;
  char decimal_separator = '.';
  bool ignores_errors = false, pads_rows = false, all_strings = false;
  bool quoted_may_be_null = true;

  bool is_null_text(std::string_view text, bool is_quoted) const;
};

// Refuses an unknown option, and a value that does not fit.
Result<CsvOptions> csv_options(std::span<const TableOption> options);

}  // namespace penstock::io
