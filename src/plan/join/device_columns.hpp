// The columns of a right side in device memory as lookups read them: values, truths and presence in
// bits, and functions of strings.
#pragma once
#include <map>

#include "plan/join/device_rows.hpp"

namespace penstock::plan {

// What it makes outlives it; what it uploads must not: finish the queue before it ends.
class DeviceColumns {
 public:
  DeviceColumns(JoinKernels& kernels, Queue& queue, const DeviceRows& rows, StringPool& strings)
      : kernels_(kernels), queue_(queue), rows_(rows), strings_(strings) {}
  // Appends the buffers of a column of a lookup, as lookup_buffers() has them.
  Status add(const TileProgram& program, const Lookup& lookup, std::uint32_t column,
             std::vector<BufferPointer>& buffers);
  std::uint64_t bytes_uploaded() const { return bytes_uploaded_; }

 private:
  Result<DeviceColumn> column_of(const TileProgram& program, const Lookup& lookup,
                                 std::uint32_t column);
  Result<DeviceColumn> derived_column(const TileProgram& program, const Lookup& lookup,
                                      std::uint32_t column);
  Result<Column> of_pool(const TileProgram& program, std::uint32_t column);
  Result<BufferPointer> upload(std::vector<std::byte> bytes);
  Result<BufferPointer> gather(const DeviceColumn& codes, const Buffer& from, std::uint64_t width);
  Result<BufferPointer> pack(const BufferPointer& flags);

  JoinKernels& kernels_;
  Queue& queue_;
  const DeviceRows& rows_;
  StringPool& strings_;
  std::vector<std::vector<std::byte>> uploading_;
  std::uint64_t bytes_uploaded_ = 0;
};

}  // namespace penstock::plan
