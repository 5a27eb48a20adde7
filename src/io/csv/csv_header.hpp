// The names of columns: from the first row where it is a header, otherwise column0, column1...
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "io/csv/csv_type_search.hpp"

namespace penstock::io {

// The values of the first row; nullopt for NULL.
using CsvFirstRow = std::vector<std::optional<std::string>>;

// A first row is a header if it does not fit the columns' types, if all columns are strings, or if
// it has nothing but NULL.
bool is_header(const CsvFirstRow& row, const CsvTypeSearch& types, const CsvOptions& options);

// DuckDB's names of columns without a header: "column0", or "column00" if there are more than ten.
std::string default_column_name(std::size_t index, std::size_t count);

// Names are trimmed. A name that occurred before, in upper or lower case, gets _1.
std::vector<std::string> names_of_header(const CsvFirstRow& row, std::size_t column_count);

}  // namespace penstock::io
