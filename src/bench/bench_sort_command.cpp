// penstock bench sort: the radix sort of random keys in the device's memory, compared with
// baselines.
//
// Each case is verified before it is timed: in order, the same keys, each with its value, equal
// ones in their former order. The input's order changes a radix sort's writes only, so every run
// starts from a copy of the random keys, which is not timed.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/machine_memory.hpp"
#include "base/parallel.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "primitive/radix_sort.hpp"

namespace penstock::bench {
namespace {

struct Case {
  const char* name;
  primitive::SortShape shape;
};
constexpr Case cases[] = {{"sort u32", {4, 0}},
                          {"sort u32 and u32", {4, 4}},
                          {"sort u64", {8, 0}},
                          {"sort u64 and u32", {8, 4}},
                          {"sort u8 and u64", {1, 8}}};

template <class T> std::vector<T> make_keys(std::uint64_t count) {
  std::vector<T> keys(count);
  in_parallel(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) keys[row] = static_cast<T>(hash_of_row(row));
  });
  return keys;
}

// Returns a sum that is equal for the same keys in any order, and hardly ever for others.
template <class T> std::uint64_t sum_of_hashes(const std::vector<T>& keys) {
  std::atomic<std::uint64_t> sum = 0;
  in_parallel(keys.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t part = 0;
    for (std::uint64_t i = first; i < last; i++) part += hash_of_row(keys[i]);
    sum += part;
  });
  return sum;
}

Result<std::shared_ptr<Buffer>> upload(Device& device, Queue& queue, const void* data,
                                       std::uint64_t bytes) {
  PENSTOCK_ASSIGN(auto buffer, device.allocate(bytes));
  PENSTOCK_TRY(queue.upload(*buffer, data, bytes));
  return buffer;
}

// One case's keys and values on the device.
template <class T, class Value> class SortBench {
 public:
  Status open(std::shared_ptr<Device> device, const Case& work, std::uint64_t count,
              const std::string& variant) {
    keys_ = make_keys<T>(count);
    rows_.resize(work.shape.has_values() ? count : 0);
    std::iota(rows_.begin(), rows_.end(), Value{0});
    PENSTOCK_ASSIGN(sort_, primitive::RadixSort::build(device, work.shape, variant));
    PENSTOCK_ASSIGN(queue_, device->queue());
    PENSTOCK_ASSIGN(from_.keys, upload(*device, *queue_, keys_.data(), keys_.size() * sizeof(T)));
    PENSTOCK_ASSIGN(data_.keys, device->allocate(from_.keys->bytes()));
    PENSTOCK_ASSIGN(scratch_.keys, device->allocate(from_.keys->bytes()));
    if (rows_.empty()) return {};
    PENSTOCK_ASSIGN(from_.values,
                    upload(*device, *queue_, rows_.data(), rows_.size() * sizeof(Value)));
    PENSTOCK_ASSIGN(data_.values, device->allocate(from_.values->bytes()));
    PENSTOCK_ASSIGN(scratch_.values, device->allocate(from_.values->bytes()));
    return {};
  }

  Result<double> run_seconds() {
    PENSTOCK_TRY(queue_->copy(*data_.keys, *from_.keys, from_.keys->bytes()));
    if (from_.values)
      PENSTOCK_TRY(queue_->copy(*data_.values, *from_.values, from_.values->bytes()));
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(sort_->enqueue(*queue_, data_, scratch_, keys_.size()));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }

  Status verify() {
    std::vector<T> sorted(keys_.size());
    std::vector<Value> rows(rows_.size());
    PENSTOCK_TRY(queue_->download(sorted.data(), *data_.keys, sorted.size() * sizeof(T)));
    if (!rows.empty())
      PENSTOCK_TRY(queue_->download(rows.data(), *data_.values, rows.size() * sizeof(Value)));
    PENSTOCK_TRY(queue_->finish());
    if (!std::is_sorted(sorted.begin(), sorted.end()))
      return Status(Code::internal, "the keys are not in order");
    if (sum_of_hashes(sorted) != sum_of_hashes(keys_))
      return Status(Code::internal, "the keys are not the original ones");
    return verify_rows(sorted, rows);
  }

  std::string variant() const { return std::string(sort_->variant()); }

 private:
  Status verify_rows(const std::vector<T>& sorted, const std::vector<Value>& rows) const {
    std::atomic<std::uint64_t> wrong = rows.size(), disordered = rows.size();
    in_parallel(rows.size(), 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t i = first; i < last; i++) {
        if (rows[i] >= keys_.size() || keys_[rows[i]] != sorted[i]) wrong = i;
        if (i > 0 && sorted[i] == sorted[i - 1] && rows[i] < rows[i - 1]) disordered = i;
      }
    });
    if (wrong != rows.size())
      return Status(Code::internal, "value " + std::to_string(wrong) + " is not its key's");
    return disordered == rows.size() ? Status()
                                     : Status(Code::internal, "equal keys changed their order");
  }

  std::vector<T> keys_;
  std::vector<Value> rows_;
  std::unique_ptr<primitive::RadixSort> sort_;
  primitive::SortData from_, data_, scratch_;
  std::unique_ptr<Queue> queue_;
};

template <class T, class Value = std::uint32_t>
Result<Figure> measure(std::shared_ptr<Device> device, const Case& work,
                       const BenchOptions& options) {
  show_progress(work.name, "making data and checking");
  SortBench<T, Value> bench;
  PENSTOCK_TRY(bench.open(std::move(device), work, options.rows, options.variant));
  PENSTOCK_TRY(bench.run_seconds());
  PENSTOCK_TRY(bench.verify().with(work.name));
  // Read once for the histograms, read and written once for each byte of the key.
  const double pair = sizeof(T) + static_cast<double>(work.shape.value_bytes);
  const double bytes = static_cast<double>(options.rows) * (sizeof(T) + 2.0 * sizeof(T) * pair);
  return time_runs(work.name, "penstock " + bench.variant(), bytes, options.repeats,
                   [&] { return bench.run_seconds(); });
}

Result<Figure> measure(const std::shared_ptr<Device>& device, const Case& work,
                       const BenchOptions& options) {
  switch (work.shape.key_bytes) {
    case 1: return measure<std::uint8_t, std::uint64_t>(device, work, options);
    case 4: return measure<std::uint32_t>(device, work, options);
    default: return measure<std::uint64_t>(device, work, options);
  }
}

}  // namespace

Result<Figures> measure_sorts(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  Figures figures;
  for (const Case& work : cases) {
    if (!is_selected(options, work.name)) continue;
    PENSTOCK_ASSIGN(Figure figure, measure(device, work, options));
    figures.push_back(std::move(figure));
  }
  return figures;
}

Action declare_bench_sort(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const Case& work : cases) names.emplace_back(work.name);
  const std::uint64_t max_rows =
      std::min(primitive::max_sort_keys, machine_memory_bytes() / (4 * sizeof(std::uint64_t)));
  declare_bench_options(arguments, *options, {"keys to sort", max_rows, std::move(names)});
  return [options] { return run_bench(*options, "keys", measure_sorts); };
}

}  // namespace penstock::bench
