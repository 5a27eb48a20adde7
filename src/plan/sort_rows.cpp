#include "plan/sort_rows.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "plan/gather.hpp"
#include "plan/sort_words.hpp"
#include "primitive/radix_sort.hpp"

namespace penstock::plan {
namespace {

// Sorts an order again and again, by the least significant word first.
class DeviceOrder {
 public:
  DeviceOrder(std::shared_ptr<Device> device, std::uint64_t row_count) : device_(std::move(device)), order_(row_count) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  Status sort(const SortWord& word, RunReport& report) {
    return word.bits <= 32 ? sort_by<std::uint32_t>(word, report) : sort_by<std::uint64_t>(word, report);
  }
  std::vector<std::uint64_t> take() const { return {order_.begin(), order_.end()}; }

 private:
  template <class T> Status sort_by(const SortWord& word, RunReport& report) {
    std::vector<T> keys(order_.size());
    in_parallel(keys.size(), 1 << 14, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; i++) keys[i] = static_cast<T>(word.values[order_[i]]);
    });
    PENSTOCK_ASSIGN(const auto sort, primitive::RadixSort::build(device_, {sizeof(T), true}));
    PENSTOCK_ASSIGN(const auto queue, device_->queue());
    primitive::SortData data, spare;
    PENSTOCK_TRY(bring(*queue, keys.data(), keys.size() * sizeof(T), data.keys, spare.keys));
    PENSTOCK_TRY(bring(*queue, order_.data(), order_.size() * 4, data.values, spare.values));
    PENSTOCK_ASSIGN(const auto begun, queue->record());
    const std::uint32_t bytes = (word.bits + 7) / 8;
    PENSTOCK_TRY(sort->enqueue(*queue, data, spare, order_.size(), 0, bytes));
    PENSTOCK_ASSIGN(const auto done, queue->record());
    PENSTOCK_TRY(queue->download(order_.data(), *data.values, order_.size() * 4));
    PENSTOCK_TRY(queue->finish());
    PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
    add_to(report, *sort, seconds, order_.size(), sizeof(T), bytes);
    return {};
  }

  Status bring(Queue& queue, const void* from, std::uint64_t bytes, std::shared_ptr<Buffer>& data, std::shared_ptr<Buffer>& spare) {
    PENSTOCK_ASSIGN(data, device_->allocate(bytes));
    PENSTOCK_ASSIGN(spare, device_->allocate(bytes));
    return queue.upload(*data, from, bytes);
  }

  static void add_to(RunReport& report, const primitive::RadixSort& sort, double seconds, std::uint64_t rows, std::uint64_t key_bytes,
                     std::uint64_t passes) {
    KernelReport kernel;
    kernel.name = kernel.variant = "radix_sort";
    kernel.source = sort.source();
    kernel.build = sort.program().report();
    kernel.device_seconds = seconds;
    kernel.launches = passes;
    kernel.bytes_moved = rows * (key_bytes + 2 * passes * (key_bytes + 4));
    report.kernels.push_back(std::move(kernel));
    report.bytes_uploaded += rows * (key_bytes + 4);
    report.bytes_downloaded += rows * 4;
  }

  std::shared_ptr<Device> device_;
  std::vector<std::uint32_t> order_;
};

// Keys and rows twice, and what the sort publishes, beside the chunks of a later step.
bool fits(const Traits& traits, std::uint64_t row_count) { return row_count * 32 <= traits.global_bytes / 2; }

}  // namespace

// Few of many rows are selected in one pass over them; more than a sort takes are sorted on the host.
bool sorts_on_device(std::uint64_t row_count, std::uint64_t limit) {
  return row_count >= least_device_sort_rows && row_count <= primitive::most_sort_keys && limit > row_count / 16;
}

Result<Table> order_rows(const std::shared_ptr<Device>& device, const Table& table, const std::vector<SortKey>& keys, std::uint64_t limit,
                         RunReport& report) {
  PENSTOCK_ASSIGN(const std::vector<std::uint64_t> rows, order_of_words(device, sort_words(table, keys), table.row_count, limit, report));
  return gather(table, rows);
}

Result<std::vector<std::uint64_t>> order_of_words(const std::shared_ptr<Device>& device, const std::vector<SortWord>& words,
                                                  std::uint64_t row_count, std::uint64_t limit, RunReport& report) {
  if (!sorts_on_device(row_count, limit) || !fits(device->traits(), row_count)) return order_on_host(words, row_count, limit);
  DeviceOrder order(device, row_count);
  for (std::size_t i = words.size(); i-- > 0;) PENSTOCK_TRY(order.sort(words[i], report));
  std::vector<std::uint64_t> rows = order.take();
  rows.resize(std::min<std::uint64_t>(limit, rows.size()));
  return rows;
}

}  // namespace penstock::plan
