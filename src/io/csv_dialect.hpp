// Finds out how a CSV file is written: the character between its fields, and whether its first line
// names the columns. DuckDB's sniffer is the model.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::io {

struct CsvDialect {
  char delimiter = ',';
  bool has_header = true;
};

// Returns the one of , tab ; and | that cuts every line of the file's start into the same number of
// fields, two at least; a comma where none does.
char find_delimiter(std::string_view start);

// Reads the start of a file. A first line that fits the types of the lines after it, of which some
// are not strings, is data: the file has no header.
Result<CsvDialect> sniff_csv(const std::string& path);

// Returns DuckDB's names of columns without a header: "column0", or "column00" of more than ten.
std::vector<std::string> default_column_names(std::size_t count);

}  // namespace penstock::io
