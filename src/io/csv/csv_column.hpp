// Builds a column from the fields of rows.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/common/batch_memory.hpp"
#include "io/csv/csv_row_batch.hpp"
#include "io/csv/csv_type_search.hpp"

namespace penstock::io {

// Settings and memory that all columns of a scan share.
struct CsvReading {
  CsvOptions options;
  CsvDialect dialect;
  CsvTimeFormats time_formats;
  std::shared_ptr<BatchMemory> memory;
};

class CsvColumnBuilder {
 public:
  CsvColumnBuilder(const CsvReading& reading, Type type, std::uint64_t max_rows);
  // Appends a field of every row. Returns the first row with a value that does not fit the type,
  // unless `misfits` is given; then it marks all such rows.
  std::optional<std::size_t> append(const CsvRowBatch& rows, std::size_t column,
                                    std::vector<bool>* misfits);
  void cut_to(std::uint64_t row_count);
  Column take();

 private:
  template <class Value, class Read>
  std::optional<std::size_t> append_values(const CsvRowBatch& rows, std::size_t column,
                                           std::vector<bool>* misfits, const Read& read);
  template <class Integer>
  std::optional<std::size_t> append_integers(const CsvRowBatch& rows, std::size_t column,
                                             std::vector<bool>* misfits);
  template <class Value>
  std::optional<std::size_t> append_decimals(const CsvRowBatch& rows, std::size_t column,
                                             std::vector<bool>* misfits);
  std::optional<std::size_t> append_times(const CsvRowBatch& rows, std::size_t column,
                                          std::vector<bool>* misfits);
  void append_booleans(const CsvRowBatch& rows, std::size_t column, std::vector<bool>& misfits);
  void append_strings(const CsvRowBatch& rows, std::size_t column);
  bool is_null(const CsvField& field, std::string_view value) const;
  void set_null(std::uint64_t row);
  void reserve_bytes(std::uint64_t bytes);

  const CsvReading& reading_;
  const Type type_;
  const std::uint64_t max_rows_;
  const bool only_empty_is_null_;
  std::uint64_t row_count_ = 0;
  std::shared_ptr<std::byte> values_;              // of strings: their bytes
  std::uint64_t used_bytes_ = 0, room_bytes_ = 0;  // of strings
  std::shared_ptr<std::byte> offsets_;
  std::vector<std::uint8_t> validity_;  // empty: no value is missing
  std::string room_;
};

}  // namespace penstock::io
