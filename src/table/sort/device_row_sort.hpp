// Sorts rows in device memory, in place (kernels/order_columns.kc): only the ranks of strings are
// uploaded.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "primitive/radix_sort.hpp"
#include "table/rows/row_kernels.hpp"
#include "table/sort/key_ranges.hpp"
#include "table/sort/rows_download.hpp"

namespace penstock::plan {

class DeviceRowSort {
 public:
  static std::shared_ptr<DeviceRowSort> begin(std::shared_ptr<Device> device);  // to compile
  // Returns the first `limit` rows by `keys`, with the columns of `rows`; equal rows keep their
  // order. Returns nothing if memory is too small. At most primitive::max_sort_keys rows.
  Result<std::optional<DeviceRows>> sort(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                         std::uint64_t limit, const StringPool& strings,
                                         RunReport& report);
  // Downloads these rows to `to`, piece by piece (range_pieces.hpp): while one leaves, the next is
  // sorted. Returns false if memory is too small.
  Result<bool> sort_ranges(const DeviceRows& rows, const std::vector<SortKey>& keys,
                           std::uint64_t limit, std::uint64_t piece_rows, const StringPool& strings,
                           RowsDownload& to, RunReport& report);

  // The same in steps, for rows without strings that several devices divide alike.
  Result<std::vector<KeyRanges::Word>> sample(const DeviceRows& rows, const SortKey& key,
                                              std::uint64_t count);
  // Returns the first row of each range but the first, among rows that are in order.
  Result<std::vector<std::uint64_t>> cut(const DeviceRows& rows, const SortKey& key,
                                         const std::vector<KeyRanges::Word>& bounds);
  // Divides rows by the first keys of all ranges but the first. Code::no_memory if memory is too
  // small: then nothing uses the rows any more.
  Result<KeyRanges::Rows> divide(const DeviceRows& rows, const SortKey& key,
                                 const std::vector<KeyRanges::Word>& bounds, RunReport& report);
  // Bits of the words of a key, over all rows: the bits that some words have, and the bits that
  // some lack.
  struct KeyBits {
    std::uint64_t ones = 0, zeros = 0;
  };
  struct KeysSeen {
    std::vector<KeyRanges::Word> samples;  // of the first key, in order
    std::vector<KeyBits> bits;
  };
  Result<KeysSeen> look_at_keys(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                std::uint64_t sample_count, RunReport& report);
  // Enqueues the sort of some of the rows that have these bits, and their download. The host does
  // not wait: a small download would wait for all pieces that are leaving the device.
  Status sort_to(const DeviceRows& rows, const std::vector<SortKey>& keys,
                 const std::vector<KeyBits>& bits, RowsDownload& to, RunReport& report);
  void end(RunReport& report);  // after sort_to(), even if one failed

 private:
  // The sorts by keys of one width.
  struct Sort {
    std::unique_ptr<primitive::RadixSort> sort;
    KernelFigures figures;
    std::vector<std::pair<std::shared_ptr<Event>, std::shared_ptr<Event>>> times;
  };

  explicit DeviceRowSort(std::shared_ptr<Device> device)
      : device_(*device),
        kernels_(std::move(device), table_kernels({"order_columns", "order_ranges"})) {}
  Result<DeviceRows> sort_rows(const DeviceRows& rows, const std::vector<SortKey>& keys,
                               std::uint64_t limit, const StringPool& strings, RunReport& report);
  Status download_ranges(const DeviceRows& rows, const std::vector<SortKey>& keys,
                         std::uint64_t limit, std::uint64_t piece_rows, const StringPool& strings,
                         RowsDownload& to, RunReport& report);
  Result<KeysSeen> look_at_keys(const DeviceRows& rows, const std::vector<SortKey>& keys,
                                std::uint64_t sample_count, const StringPool& strings,
                                RunReport& report);
  // Adds to `found`: KeyBits of each key.
  Status find_bits(const DeviceRows& rows, const std::vector<SortKey>& keys, const Buffer& found,
                   const StringPool& strings, RunReport& report);
  // Without `bits` it finds the bits of the rows, and the host waits for them.
  Status sort_order(const DeviceRows& rows, const std::vector<SortKey>& keys,
                    const std::vector<KeyBits>& bits, const StringPool& strings, RunReport& report);
  // The ranges of a key; call it for a string's key once there are ranks.
  KeyRanges ranges_of(const DeviceRows& rows, const SortKey& key);
  Status begin_order(std::uint64_t row_count);
  Status begin_queue();
  Status sort_by_values(const DeviceColumn& column, const SortKey& key, std::optional<KeyBits> bits,
                        const StringPool& strings, RunReport& report);
  Result<std::uint64_t> varying_bits(const Buffer& varying);
  Status sort_by_nulls(const DeviceColumn& column, const SortKey& key);
  Status sort_keys(BufferPointer keys, std::uint32_t key_bytes, std::uint64_t bits);
  Result<BufferPointer> ranks_of(const StringPool& strings, RunReport& report);
  Status launch(std::string_view kernel, std::uint64_t count, std::vector<Argument> arguments);

  Device& device_;
  RowKernels kernels_;
  std::unique_ptr<Queue> queue_;
  std::uint64_t row_count_ = 0;          // rows sorted now
  std::uint64_t max_rows_ = 0;           // rows sorted at a time
  BufferPointer order_;                  // u32: the row at a position
  BufferPointer ranks_;                  // u32, by code; null until a key is a string
  std::vector<std::uint32_t> rank_;      // as uploaded
  std::map<std::uint32_t, Sort> sorts_;  // by the bytes of a key
};

}  // namespace penstock::plan
