// Finds out how a CSV file is to be read. DuckDB's sniffer is the model.
#pragma once
#include "io/csv/csv_text.hpp"
#include "io/csv/csv_type_search.hpp"
#include "penstock/column.hpp"

namespace penstock::io {

struct CsvFormat {
  CsvDialect dialect;
  CsvTimeFormats time_formats;
  Schema schema;
  std::uint64_t first_byte = 0;  // of the first row, behind the header
};

Result<CsvFormat> sniff_csv(const CsvSample& sample, const CsvOptions& options);

}  // namespace penstock::io
