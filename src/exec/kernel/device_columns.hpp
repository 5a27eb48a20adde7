// The columns of a side of a join in device memory as kernels read them: values, truths and
// presence in bits, and functions of strings.
#pragma once
#include <map>

#include "fuse/program/tile_program.hpp"
#include "table/rows/gather_on_device.hpp"

namespace penstock::plan {

// Uploads a column of the host as an element a row, with codes of `strings`. Waits.
Result<DeviceColumn> upload_column(RowKernels& kernels, Queue& queue, const Column& column,
                                   StringPool& strings);

// Results may outlive this object. Its uploads must not: finish the queue before it ends.
class DeviceColumns {
 public:
  // `first_column`: the number, in programs, of the first column of `rows`.
  DeviceColumns(RowKernels& kernels, Queue& queue, const DeviceRows& rows,
                std::uint32_t first_column, StringPool& strings)
      : kernels_(kernels),
        queue_(queue),
        rows_(rows),
        first_column_(first_column),
        strings_(strings) {}
  // Appends the buffers of a column of a lookup, in the order of lookup_buffers().
  Status add(const TileProgram& program, std::uint32_t column, std::vector<BufferPointer>& buffers);
  // Returns a column of the rows, or one that is derived from it: an element a row.
  Result<DeviceColumn> column_of(const TileProgram& program, std::uint32_t column);
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  Result<DeviceColumn> derived_column(const TileProgram& program, std::uint32_t column);
  Result<Column> of_pool(const TileProgram& program, std::uint32_t column);
  Result<BufferPointer> upload(std::vector<std::byte> bytes);

  RowKernels& kernels_;
  Queue& queue_;
  const DeviceRows& rows_;
  const std::uint32_t first_column_;
  StringPool& strings_;
  std::vector<std::vector<std::byte>> uploading_;
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
