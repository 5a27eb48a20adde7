// Parquet files of one column for `penstock bench parquet`, written and read by Arrow.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device_arrays.hpp"

namespace arrow {
class ChunkedArray;
}

namespace penstock::bench {

// The form in which a column is stored: "int64", "dictionary", "snappy".
struct ParquetForm {
  std::string type, encoding, codec;
  std::string name() const { return type + " " + encoding + " " + codec; }
};

// Every type with the encodings and compressions that it has.
std::vector<ParquetForm> parquet_forms();

// Writes a column of pseudo-random values, the same for each call. A dictionary has few values;
// values stored as deltas ascend.
Status write_parquet_form(const ParquetForm& form, std::uint64_t rows, const std::string& path);

// The column that Arrow reads from such a file.
class ArrowColumn {
 public:
  // Reads row groups with a thread for each core.
  static Result<ArrowColumn> read(const std::string& path);
  // Fails unless the arrays have Arrow's values from a row on.
  Status compare(Device& device, const DeviceArray& array, std::uint64_t first_row) const;
  std::uint64_t row_count() const;

 private:
  std::shared_ptr<arrow::ChunkedArray> column_;
};
std::string arrow_reader_name();  // "Arrow 19.0.1, 16 threads"

}  // namespace penstock::bench
