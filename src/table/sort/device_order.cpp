#include "table/sort/device_order.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "primitive/radix_sort.hpp"
#include "table/rows/finish_at_end.hpp"
#include "table/rows/gather_on_device.hpp"
#include "table/rows/kernel_report.hpp"
#include "table/sort/window_kernels.hpp"

namespace penstock::plan {
namespace {

void add_to(RunReport& report, const primitive::RadixSort& sort, double seconds, std::uint64_t rows,
            std::uint64_t key_bytes, std::uint64_t passes, bool is_gathered) {
  const std::uint64_t bytes_moved =
      rows * (key_bytes + 2 * passes * (key_bytes + 4) + (is_gathered ? 2 * key_bytes + 4 : 0));
  add_kernel(report, "radix_sort", sort.source(), sort.program(), {passes, bytes_moved, seconds});
}

}  // namespace

Result<DeviceOrder> DeviceOrder::find(std::shared_ptr<Device> device,
                                      const std::vector<NormalizedKey>& words,
                                      std::uint64_t row_count, bool keeps_words,
                                      RunReport& report) {
  DeviceOrder order(std::move(device), row_count);
  PENSTOCK_TRY(order.begin(report));
  for (std::size_t i = words.size(); i-- > 0;)  // the least significant word first
    PENSTOCK_TRY(words[i].bits <= 32 ? order.sort<std::uint32_t>(words[i], keeps_words, report)
                                     : order.sort<std::uint64_t>(words[i], keeps_words, report));
  std::reverse(order.words_.begin(), order.words_.end());
  return order;
}

Status DeviceOrder::begin(RunReport& report) {
  PENSTOCK_ASSIGN(queue_, device_->queue());
  PENSTOCK_ASSIGN(rows_, device_->allocate(row_count_ * 4));
  std::vector<std::uint32_t> rows(row_count_);
  std::iota(rows.begin(), rows.end(), 0u);
  PENSTOCK_TRY(queue_->upload(*rows_, rows.data(), row_count_ * 4));
  report.bytes_uploaded += row_count_ * 4;
  return queue_->finish();  // the host's copy ends here
}

template <class T>
Status DeviceOrder::sort(const NormalizedKey& word, bool keeps_word, RunReport& report) {
  std::vector<T> values(row_count_);
  const FinishAtEnd finished(*queue_);
  in_parallel(row_count_, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++) values[i] = static_cast<T>(word.values[i]);
  });
  const std::uint64_t bytes = row_count_ * sizeof(T);
  PENSTOCK_ASSIGN(const auto sort, primitive::RadixSort::build(device_, {sizeof(T), 4}));
  primitive::SortData data, spare;
  PENSTOCK_ASSIGN(const auto by_row, device_->allocate(bytes));
  PENSTOCK_TRY(queue_->upload(*by_row, values.data(), bytes));
  PENSTOCK_ASSIGN(const auto begun, queue_->record());
  data = {by_row, rows_};
  if (is_sorted_ || keeps_word) { PENSTOCK_ASSIGN(data.keys, keys_of(*by_row, bytes, word.bits)); }
  if (keeps_word) words_.push_back(by_row);
  PENSTOCK_ASSIGN(spare.keys, device_->allocate(bytes));
  PENSTOCK_ASSIGN(spare.values, device_->allocate(row_count_ * 4));
  const std::uint32_t passes = (word.bits + 7) / 8;
  PENSTOCK_TRY(sort->enqueue(*queue_, data, spare, row_count_, 0, passes));
  PENSTOCK_ASSIGN(const auto done, queue_->record());
  PENSTOCK_TRY(queue_->finish());
  PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
  add_to(report, *sort, seconds, row_count_, sizeof(T), passes, is_sorted_);
  report.bytes_uploaded += bytes;
  rows_ = data.values;
  is_sorted_ = true;
  return {};
}

// Makes a copy that a sort may move, in the order so far.
Result<std::shared_ptr<Buffer>> DeviceOrder::keys_of(const Buffer& word, std::uint64_t bytes,
                                                     std::uint32_t bits) {
  PENSTOCK_ASSIGN(auto keys, device_->allocate(bytes));
  if (!is_sorted_) {
    PENSTOCK_TRY(queue_->copy(*keys, word, bytes));
    return keys;
  }
  RowKernels kernels = kernels_of_words(device_, bits);
  PENSTOCK_TRY(
      gather_elements(kernels, *queue_, {row_count_, rows_}, word, *keys, bits <= 32 ? 4 : 8));
  return keys;
}

Result<std::vector<std::uint64_t>> DeviceOrder::download(RunReport& report) const {
  std::vector<std::uint32_t> rows(row_count_);
  PENSTOCK_TRY(queue_->download(rows.data(), *rows_, row_count_ * 4));
  PENSTOCK_TRY(queue_->finish());
  report.bytes_downloaded += row_count_ * 4;
  return std::vector<std::uint64_t>(rows.begin(), rows.end());
}

}  // namespace penstock::plan
