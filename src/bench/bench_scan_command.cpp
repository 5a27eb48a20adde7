// penstock bench scan: prefix sums, of all values and in segments, over values in the device's
// memory, compared with baselines.
//
// Each case is verified before it is timed: its values are whole numbers, so that sums are exact in
// 64 bits. Sums in f32 are compared within the bound of adding in any order.
#include <cmath>

#include "base/machine_memory.hpp"
#include "base/parallel.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "primitive/scan.hpp"

namespace penstock::bench {
namespace {

using primitive::Number;
struct Case {
  const char* name;
  primitive::ScanShape shape;
};
constexpr Case cases[] = {{"inclusive f32", {Number::f32, Number::f32, false}},
                          {"exclusive u32", {Number::u32, Number::u32, true}},
                          {"inclusive u64", {Number::u64, Number::u64, false}},
                          {"inclusive f32 as f64", {Number::f32, Number::f64, false}},
                          {"segments of f64", {Number::f64, Number::f64, false, true}},
                          {"segments of u64", {Number::u64, Number::u64, false, true}}};
constexpr std::uint64_t segment_values = 1000;  // on the average

template <class V, class S> class ScanBench {
 public:
  Status open(std::shared_ptr<Device> device, const Case& work, std::uint64_t count,
              const std::string& variant) {
    is_exclusive_ = work.shape.is_exclusive;
    is_segmented_ = work.shape.is_segmented;
    values_.resize(count);
    in_parallel(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t row = first; row < last; row++)
        values_[row] = static_cast<V>(hash_of_row(row) % 100);
    });
    PENSTOCK_ASSIGN(scan_, primitive::Scan::build(device, work.shape, variant));
    PENSTOCK_ASSIGN(queue_, device->queue());
    PENSTOCK_ASSIGN(from_, device->allocate(count * sizeof(V)));
    PENSTOCK_ASSIGN(to_, device->allocate(count * sizeof(S)));
    PENSTOCK_TRY(queue_->upload(*from_, values_.data(), count * sizeof(V)));
    return is_segmented_ ? upload_begins(*device, count) : Status();
  }

  Result<double> run_seconds() {
    PENSTOCK_ASSIGN(const auto begun, queue_->record());
    PENSTOCK_TRY(is_segmented_
                     ? scan_->enqueue(*queue_, *from_, *device_begins_, *to_, values_.size())
                     : scan_->enqueue(*queue_, *from_, *to_, values_.size()));
    PENSTOCK_ASSIGN(const auto done, queue_->record());
    PENSTOCK_TRY(done->wait());
    return done->seconds_since(*begun);
  }

  Status verify() {
    std::vector<S> sums(values_.size());
    PENSTOCK_TRY(queue_->download(sums.data(), *to_, sums.size() * sizeof(S)));
    PENSTOCK_TRY(queue_->finish());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < sums.size(); i++) {
      const std::uint64_t before = is_segmented_ && begins_[i] != 0 ? 0 : sum;
      sum = before + static_cast<std::uint64_t>(values_[i]);
      if (!is_sum(sums[i], is_exclusive_ ? before : sum))
        return Status(Code::internal, "sum " + std::to_string(i) + " is wrong");
    }
    return {};
  }

  std::string variant() const { return std::string(scan_->variant()); }

 private:
  Status upload_begins(Device& device, std::uint64_t count) {
    begins_.resize(count);
    for (std::uint64_t row = 0; row < count; row++)
      begins_[row] = hash_of_row(row) / 128 % segment_values == 0;
    PENSTOCK_ASSIGN(device_begins_, device.allocate(count));
    PENSTOCK_TRY(queue_->upload(*device_begins_, begins_.data(), count));
    return queue_->finish();
  }

  static bool is_sum(S found, std::uint64_t wanted) {
    if constexpr (std::is_same_v<S, float>)
      return std::abs(found - static_cast<double>(wanted)) <= 1e-4 * static_cast<double>(wanted);
    return found == static_cast<S>(wanted);
  }

  bool is_exclusive_ = false, is_segmented_ = false;
  std::vector<V> values_;
  std::vector<std::uint8_t> begins_;
  std::unique_ptr<primitive::Scan> scan_;
  std::unique_ptr<Queue> queue_;
  std::shared_ptr<Buffer> from_, to_, device_begins_;
};

template <class V, class S>
Result<Figure> measure(std::shared_ptr<Device> device, const Case& work,
                       const BenchOptions& options) {
  show_progress(work.name, "making data and checking");
  ScanBench<V, S> bench;
  PENSTOCK_TRY(bench.open(std::move(device), work, options.rows, options.variant));
  PENSTOCK_TRY(bench.run_seconds());
  PENSTOCK_TRY(bench.verify().with(work.name));
  const double bytes = static_cast<double>(options.rows) *
                       (sizeof(V) + sizeof(S) + (work.shape.is_segmented ? 1 : 0));
  return time_runs(work.name, "penstock " + bench.variant(), bytes, options.repeats,
                   [&] { return bench.run_seconds(); });
}

Result<Figure> measure_case(std::shared_ptr<Device> device, const Case& work,
                            const BenchOptions& options) {
  if (work.shape.value == Number::u32)
    return measure<std::uint32_t, std::uint32_t>(std::move(device), work, options);
  if (work.shape.value == Number::u64)
    return measure<std::uint64_t, std::uint64_t>(std::move(device), work, options);
  if (work.shape.value == Number::f64)
    return measure<double, double>(std::move(device), work, options);
  return work.shape.sum == Number::f32 ? measure<float, float>(std::move(device), work, options)
                                       : measure<float, double>(std::move(device), work, options);
}

}  // namespace

Result<Figures> measure_scans(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  Figures figures;
  for (const Case& work : cases) {
    if (!is_selected(options, work.name)) continue;
    PENSTOCK_ASSIGN(Figure figure, measure_case(device, work, options));
    figures.push_back(std::move(figure));
  }
  return figures;
}

Action declare_bench_scan(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const Case& work : cases) names.emplace_back(work.name);
  const std::uint64_t max_rows = machine_memory_bytes() / (4 * sizeof(std::uint64_t));
  declare_bench_options(arguments, *options, {"values to sum", max_rows, std::move(names)});
  return [options] { return run_bench(*options, "values", measure_scans); };
}

}  // namespace penstock::bench
