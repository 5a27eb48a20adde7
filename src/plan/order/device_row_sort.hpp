// Sorts rows that lie in device memory, where they lie (kernels/order_columns.kc): nothing is
// uploaded but the ranks of strings.
#pragma once
#include <memory>
#include <vector>

#include "plan/join/device_rows.hpp"
#include "plan/rows/row_kernels.hpp"

namespace penstock::plan {

class DeviceRowSort {
 public:
  static std::shared_ptr<DeviceRowSort> begin(std::shared_ptr<Device> device);  // to compile
  // Returns the first `limit` rows by `keys`, whose columns are those of `rows`; equal rows keep
  // their order. Nothing where memory is too small. At most primitive::max_sort_keys rows.
  Result<std::optional<DeviceRows>> sort(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                         std::uint64_t limit, const StringPool& strings,
                                         RunReport& report);

 private:
  explicit DeviceRowSort(std::shared_ptr<Device> device)
      : device_(*device), kernels_(std::move(device), {"order_columns"}) {}
  Result<DeviceRows> sort_rows(const DeviceRows& rows, const std::vector<SortKey>& keys,
                               std::uint64_t limit, const StringPool& strings, RunReport& report);
  Status sort_by(const DeviceColumn& column, const SortKey& key, const StringPool& strings,
                 RunReport& report);
  Status sort_by_values(const DeviceColumn& column, const SortKey& key, const StringPool& strings,
                        RunReport& report);
  Status sort_by_nulls(const DeviceColumn& column, const SortKey& key, RunReport& report);
  Status sort_keys(BufferPointer keys, std::uint32_t key_bytes, std::uint64_t bits,
                   RunReport& report);
  Result<BufferPointer> ranks_of(const StringPool& strings, RunReport& report);
  Status launch(std::string_view kernel, std::uint64_t count, std::vector<Argument> arguments);

  Device& device_;
  RowKernels kernels_;
  std::unique_ptr<Queue> queue_;
  std::uint64_t row_count_ = 0;
  BufferPointer order_;              // u32: the row at a position
  BufferPointer ranks_;              // u32, by code; null until a key is a string
  std::vector<std::uint32_t> rank_;  // what is uploaded
};

}  // namespace penstock::plan
