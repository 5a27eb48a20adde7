// An order of rows that a device finds, and keeps for steps that continue on the device: windows.
#pragma once
#include <memory>
#include <vector>

#include "penstock/report.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {

class DeviceOrder {
 public:
  // Sorts `words`, as normalized_keys() gives them, of max_sort_keys rows at most. `report` gains a
  // kernel for each sort. With `keeps_words` the words stay on the device, by row.
  static Result<DeviceOrder> find(std::shared_ptr<Device> device,
                                  const std::vector<NormalizedKey>& words, std::uint64_t row_count,
                                  bool keeps_words, RunReport& report);

  Queue& queue() const { return *queue_; }
  std::uint64_t row_count() const { return row_count_; }
  const Buffer& rows() const { return *rows_; }  // u32: the row at a position
  const std::vector<std::shared_ptr<Buffer>>& words() const {
    return words_;
  }  // u32 for up to 32 bits, else u64
  Result<std::vector<std::uint64_t>> download(RunReport& report) const;  // the rows

 private:
  DeviceOrder(std::shared_ptr<Device> device, std::uint64_t row_count)
      : device_(std::move(device)), row_count_(row_count) {}
  Status begin(RunReport& report);
  template <class T> Status sort(const NormalizedKey& word, bool keeps_word, RunReport& report);
  Result<std::shared_ptr<Buffer>> keys_of(const Buffer& word, std::uint64_t bytes,
                                          std::uint32_t bits);

  std::shared_ptr<Device> device_;
  std::uint64_t row_count_ = 0;
  std::shared_ptr<Queue> queue_;
  std::shared_ptr<Buffer> rows_;
  std::vector<std::shared_ptr<Buffer>> words_;
  bool is_sorted_ = false;  // by one word at least: till then the order is that of the rows
};

}  // namespace penstock::plan
