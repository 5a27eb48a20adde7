// Merges runs of sorted rows that lie in device memory, one after another (kernels/order_merge.kc).
//
// The shares' rows come sorted, so they need not be sorted again. Words of the keys are made once,
// positions are merged by them in log2(n) rounds for n shares, and columns are gathered once. For
// rows of 16 bytes, a key of 8 and two runs that moves 68 bytes a row: 16 for the words, 12 for the
// round and 40 for two columns. A sort moves more than 200.
#pragma once
#include <memory>
#include <vector>

#include "table/rows/device_rows.hpp"
#include "table/rows/row_kernels.hpp"

namespace penstock::plan {

// Words of a row that a merge compares. A nullable key of 8 bytes has two, any other one. With the
// orders before and after a round they take 40 bytes a row at most; a sort takes 24.
constexpr std::uint32_t max_merge_words = 4;

class DeviceRowMerge {
 public:
  static std::shared_ptr<DeviceRowMerge> begin(std::shared_ptr<Device> device);  // to compile
  // Merges runs of rows that end at `ends`, each in the order of `keys`. Equal rows keep their
  // order. Returns nothing if a key is a string, keys have more words, there are more than
  // primitive::max_sort_keys rows, or memory is too small. Returns nothing too, with a note in the
  // report, if the kernels did not compile or need more local memory.
  Result<std::optional<DeviceRows>> merge(const DeviceRows& rows,
                                          const std::vector<std::uint64_t>& ends,
                                          const std::vector<SortKey>& keys, RunReport& report);

 private:
  explicit DeviceRowMerge(std::shared_ptr<Device> device)
      : device_(*device), kernels_(std::move(device), table_kernels({"order_merge"})) {}
  Result<DeviceRows> merge_rows(const DeviceRows& rows, std::vector<std::uint64_t> ends,
                                const std::vector<SortKey>& keys, RunReport& report);
  Status make_words(const DeviceRows& rows, const std::vector<SortKey>& keys);
  Status make_words_of(const DeviceColumn& column, const SortKey& key);
  // Merges pairs of runs, and sets the ends of the merged ones.
  Status merge_pairs(std::vector<std::uint64_t>& ends, bool is_first);
  Status merge_pair(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, bool is_first);
  Status launch(std::string_view kernel, std::uint64_t count, std::vector<Argument> arguments);
  std::uint64_t tile_rows() const;
  Status check_kernels();  // waits for the compiler

  Device& device_;
  RowKernels kernels_;
  Status kernels_status_;  // kept: the compiler tells it once
  std::unique_ptr<Queue> queue_;
  std::uint64_t row_count_ = 0;
  std::uint32_t word_count_ = 0;      // of a row
  BufferPointer words_, splits_;      // u64 by word and row; u32
  BufferPointer order_, next_order_;  // u32: the row at a position; before and after a round
};

}  // namespace penstock::plan
