// Rows in device memory, as the kernel of a chain wrote them; for example the right side of a join.
#pragma once
#include <optional>

#include "table/rows/column_numbers.hpp"
#include "table/rows/row_kernels.hpp"
#include "table/strings/string_pool.hpp"

namespace penstock::plan {

// A column as kernels write it: an element a row, which is a byte for a boolean and a code of the
// pool for a string. `validity` has a byte a row, or is null if every value is present.
struct DeviceColumn {
  Type type;
  BufferPointer values, validity;
};

struct DeviceRows {
  std::uint64_t row_count = 0;
  std::vector<DeviceColumn> columns;
};

std::uint64_t bytes_on_device(const DeviceRows& rows);
// Returns rows with a place for every column of `schema`: column i of `rows` is columns[i].
DeviceRows spread_rows(const Schema& schema, const Columns& columns, DeviceRows rows);
// Returns the bytes of a row, with a byte for each column that may be NULL.
std::uint64_t device_bytes_per_row(const Schema& columns);

// Appends rows of chunks, by kernels on the queue that wrote the chunks.
class DeviceRowsWriter {
 public:
  DeviceRowsWriter(std::shared_ptr<RowKernels> kernels, const Schema& columns,
                   std::uint64_t limit_bytes);
  // `written`: the columns of a chunk, each with its validity after it if it may be NULL.
  // `expected_rows`: about how many there will be. Returns false, and appends nothing, if memory is
  // too small.
  Result<bool> append(Queue& queue, std::span<const BufferPointer> written, std::uint64_t count,
                      std::uint64_t expected_rows);
  // Returns the columns, as `written` above, if they have room for rows from `first` on, behind the
  // rows of chunks in flight; otherwise none. The call for row 0 allocates them, for the expected
  // rows. Placement is in order: a chunk that does not fit stops it until append() has made the
  // columns larger. So no kernel still writes to the smaller columns.
  Result<std::vector<BufferPointer>> place_for(Queue& queue, std::uint64_t first,
                                               std::uint64_t count, std::uint64_t expected_rows);
  // Adds rows that a kernel has written there. Code::internal if they are not the next ones.
  Status add_placed(std::uint64_t first, std::uint64_t count);
  const DeviceRows& rows() const { return rows_; }

 private:
  Result<bool> reserve(Queue& queue, std::uint64_t row_count, std::uint64_t expected_rows);
  Result<bool> grow(Queue& queue, std::uint64_t capacity);
  Status append_elements(Queue& queue, const Buffer& from, const Buffer& to, std::uint64_t count,
                         std::uint64_t width);

  std::shared_ptr<RowKernels> kernels_;
  Schema schema_;
  std::uint64_t limit_bytes_, capacity_ = 0;
  DeviceRows rows_;
};

// Downloads some columns, by number, after the rows' kernels are done.
Result<std::vector<Column>> download_columns(Device& device, const DeviceRows& rows,
                                             const Columns& columns, const StringPool& strings);

}  // namespace penstock::plan
