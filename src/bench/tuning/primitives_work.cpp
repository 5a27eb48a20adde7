// Sorts and prefix sums of values in the device's memory.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/parallel.hpp"
#include "bench/bench_table.hpp"
#include "bench/tuning/tuned_work.hpp"
#include "primitive/radix_sort.hpp"
#include "primitive/scan.hpp"

namespace penstock::bench {
namespace {

Status wrong_answer() { return {Code::internal, "a kernel's answer is wrong"}; }

template <class Key> class SortWork final : public TunedWork {
 public:
  Status open(const std::shared_ptr<Device>& device, bool has_values) {
    device_ = device;
    shape_ = {sizeof(Key), has_values ? 4u : 0u};
    keys_.resize(tuned_rows(*device) / 2);
    for (std::uint64_t row = 0; row < keys_.size(); row++)
      keys_[row] = static_cast<Key>(hash_of_row(row));
    sum_ = sum_of(keys_);
    std::vector<std::uint32_t> rows(has_values ? keys_.size() : 0);
    std::iota(rows.begin(), rows.end(), 0u);
    PENSTOCK_ASSIGN(queue_, device->queue());
    for (primitive::SortData* data : {&from_, &data_, &spare_}) {
      PENSTOCK_ASSIGN(data->keys, device->allocate(keys_.size() * sizeof(Key)));
      if (has_values) { PENSTOCK_ASSIGN(data->values, device->allocate(keys_.size() * 4)); }
    }
    PENSTOCK_TRY(queue_->upload(*from_.keys, keys_.data(), keys_.size() * sizeof(Key)));
    if (has_values) PENSTOCK_TRY(queue_->upload(*from_.values, rows.data(), rows.size() * 4));
    return queue_->finish();
  }
  Status build() override {
    PENSTOCK_ASSIGN(sort_, primitive::RadixSort::build(device_, shape_));
    return {};
  }
  // The input's order changes what a sort writes, so every run begins with the random keys.
  Result<double> run_seconds() override {
    PENSTOCK_TRY(queue_->copy(*data_.keys, *from_.keys, from_.keys->bytes()));
    if (from_.values)
      PENSTOCK_TRY(queue_->copy(*data_.values, *from_.values, from_.values->bytes()));
    return seconds_on(*queue_,
                      [&] { return sort_->enqueue(*queue_, data_, spare_, keys_.size()); });
  }
  Status verify() override {
    PENSTOCK_TRY(run_seconds());
    std::vector<Key> sorted(keys_.size());
    std::vector<std::uint32_t> rows(from_.values ? keys_.size() : 0);
    PENSTOCK_TRY(queue_->download(sorted.data(), *data_.keys, sorted.size() * sizeof(Key)));
    if (!rows.empty()) PENSTOCK_TRY(queue_->download(rows.data(), *data_.values, rows.size() * 4));
    PENSTOCK_TRY(queue_->finish());
    const bool is_right =
        std::ranges::is_sorted(sorted) && sum_of(sorted) == sum_ && are_rows_of(sorted, rows);
    return is_right ? Status() : wrong_answer();
  }

 private:
  // Equal for the same keys in any order, and hardly ever for others.
  static std::uint64_t sum_of(const std::vector<Key>& keys) {
    std::atomic<std::uint64_t> sum = 0;
    in_parallel(keys.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
      std::uint64_t part = 0;
      for (std::uint64_t i = first; i < last; i++) part += hash_of_row(keys[i]);
      sum += part;
    });
    return sum;
  }
  // Whether each value belongs to its key, and values of equal keys are in their former order.
  bool are_rows_of(const std::vector<Key>& sorted, const std::vector<std::uint32_t>& rows) const {
    std::atomic<bool> are_right = true;
    in_parallel(rows.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; i++) {
        const bool is_its_key = rows[i] < keys_.size() && keys_[rows[i]] == sorted[i];
        if (!is_its_key || (i > 0 && sorted[i] == sorted[i - 1] && rows[i] <= rows[i - 1]))
          are_right = false;
      }
    });
    return are_right;
  }

  std::shared_ptr<Device> device_;
  primitive::SortShape shape_;
  std::vector<Key> keys_;
  std::uint64_t sum_ = 0;
  std::unique_ptr<primitive::RadixSort> sort_;
  primitive::SortData from_, data_, spare_;
  std::unique_ptr<Queue> queue_;
};

class ScanWork final : public TunedWork {
 public:
  Status open(const std::shared_ptr<Device>& device) {
    device_ = device;
    values_.resize(tuned_rows(*device));
    for (std::uint64_t row = 0; row < values_.size(); row++)
      values_[row] = static_cast<std::uint32_t>(hash_of_row(row));
    PENSTOCK_ASSIGN(queue_, device->queue());
    PENSTOCK_ASSIGN(from_, device->allocate(values_.size() * 4));
    PENSTOCK_ASSIGN(to_, device->allocate(values_.size() * 4));
    PENSTOCK_TRY(queue_->upload(*from_, values_.data(), values_.size() * 4));
    return queue_->finish();
  }
  Status build() override {
    PENSTOCK_ASSIGN(
        scan_, primitive::Scan::build(device_, {primitive::Number::u32, primitive::Number::u32}));
    return {};
  }
  Result<double> run_seconds() override {
    return seconds_on(*queue_,
                      [&] { return scan_->enqueue(*queue_, *from_, *to_, values_.size()); });
  }
  Status verify() override {
    PENSTOCK_TRY(run_seconds());
    std::vector<std::uint32_t> sums(values_.size());
    PENSTOCK_TRY(queue_->download(sums.data(), *to_, sums.size() * 4));
    PENSTOCK_TRY(queue_->finish());
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < sums.size(); i++)
      if ((sum += values_[i]) != sums[i]) return wrong_answer();
    return {};
  }

 private:
  std::shared_ptr<Device> device_;
  std::vector<std::uint32_t> values_;
  std::unique_ptr<primitive::Scan> scan_;
  std::shared_ptr<Buffer> from_, to_;
  std::unique_ptr<Queue> queue_;
};

template <class Key>
Result<std::unique_ptr<TunedWork>> opened_sort(const std::shared_ptr<Device>& device,
                                               bool has_values) {
  auto work = std::make_unique<SortWork<Key>>();
  PENSTOCK_TRY(work->open(device, has_values));
  return std::unique_ptr<TunedWork>(std::move(work));
}

}  // namespace

Result<std::unique_ptr<TunedWork>> open_sort(const std::shared_ptr<Device>& device) {
  return opened_sort<std::uint32_t>(device, false);
}
Result<std::unique_ptr<TunedWork>> open_sort_of_rows(const std::shared_ptr<Device>& device) {
  return opened_sort<std::uint64_t>(device, true);
}
Result<std::unique_ptr<TunedWork>> open_scan(const std::shared_ptr<Device>& device) {
  auto work = std::make_unique<ScanWork>();
  PENSTOCK_TRY(work->open(device));
  return std::unique_ptr<TunedWork>(std::move(work));
}

}  // namespace penstock::bench
