// Reads of a CSV file what is not read in blocks.
#pragma once
#include <string>

#include "io/csv/csv_text.hpp"

namespace penstock::io {

// Reads as many lines as the options ask for.
Result<CsvSample> read_csv_sample(const std::string& path, const CsvOptions& options);

// Returns the number of the line that a byte of the file stands in.
Result<std::uint64_t> line_of_byte(const std::string& path, std::uint64_t byte);

}  // namespace penstock::io
