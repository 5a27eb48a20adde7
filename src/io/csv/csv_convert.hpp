// Converts a block of rows into a table.
#pragma once
#include <span>

#include "io/csv/csv_column.hpp"

namespace penstock::io {

class CsvConverter {
 public:
  // If errors are ignored, every column decides which rows are passed over, asked for or not.
  CsvConverter(const CsvReading& reading, const Schema& schema,
               std::span<const std::uint32_t> columns)
      : reading_(reading), schema_(schema), columns_(columns.begin(), columns.end()) {}
  // A text of whole rows, followed by 64 bytes that may be read.
  std::optional<CsvRowError> convert(std::string_view text, Table& out) const;

 private:
  using Builders = std::vector<std::optional<CsvColumnBuilder>>;
  std::optional<CsvRowError> check_text(std::string_view text) const;
  std::optional<CsvRowError> append(CsvRowBatch& rows, Builders& builders,
                                    std::uint64_t row_count) const;
  CsvRowError misfit(const CsvRowBatch& rows, std::size_t row, std::size_t column) const;
  Builders make_builders(std::string_view text) const;

  const CsvReading& reading_;
  const Schema& schema_;
  const std::vector<std::uint32_t> columns_;
};

}  // namespace penstock::io
