// The columns of a side of a join in device memory as kernels read them: values, truths and
// presence in bits, and functions of strings.
#pragma once
#include <map>

#include "plan/join/device_rows.hpp"

namespace penstock::plan {

// Appends a column's values, and its validity if it may be NULL, as kernels read them: truths and
// presence in bits.
Status add_column(JoinKernels& kernels, Queue& queue, const DeviceColumn& column,
                  std::uint64_t row_count, bool is_nullable, std::vector<BufferPointer>& buffers);

// The numbers of rows, or codes, by which elements are gathered. `present`: a byte for each, 0
// where there is none; null where all are there.
struct GatherNumbers {
  std::uint64_t count = 0;
  BufferPointer numbers, present;
};
// Returns elements of so many bytes: 1, 2 or a multiple of 4.
Result<BufferPointer> gather_on_device(JoinKernels& kernels, Queue& queue, const GatherNumbers& by,
                                       const Buffer& from, std::uint64_t width);

// What it makes outlives it; what it uploads must not: finish the queue before it ends.
class DeviceColumns {
 public:
  // `first_column`: the number, in programs, of the first column of `rows`.
  DeviceColumns(JoinKernels& kernels, Queue& queue, const DeviceRows& rows,
                std::uint32_t first_column, StringPool& strings)
      : kernels_(kernels),
        queue_(queue),
        rows_(rows),
        first_column_(first_column),
        strings_(strings) {}
  // Appends the buffers of a column of a lookup, as lookup_buffers() has them.
  Status add(const TileProgram& program, std::uint32_t column, std::vector<BufferPointer>& buffers);
  // Returns a column of the rows, or one that is derived from it: an element a row.
  Result<DeviceColumn> column_of(const TileProgram& program, std::uint32_t column);
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  Result<DeviceColumn> derived_column(const TileProgram& program, std::uint32_t column);
  Result<Column> of_pool(const TileProgram& program, std::uint32_t column);
  Result<BufferPointer> upload(std::vector<std::byte> bytes);

  JoinKernels& kernels_;
  Queue& queue_;
  const DeviceRows& rows_;
  const std::uint32_t first_column_;
  StringPool& strings_;
  std::vector<std::vector<std::byte>> uploading_;
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
