#include "plan/device_window.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <future>

#include "base/parallel.hpp"
#include "plan/accumulators.hpp"

namespace penstock::plan {
namespace {

using primitive::Number;
using primitive::Scan;
using primitive::ScanShape;

constexpr std::uint64_t least_rows = 1 << 14;      // of a thread
constexpr ScanShape count_shape{Number::u8, Number::u32, false, true};
enum Part : std::uint32_t { whole, low, high };                        // of a value; see kernels/window.kc
enum From : std::uint32_t { own_place, last_of_run, first_of_run };

ScanShape sum_shape(Type type) {
  const Number sum = is_float(type) ? Number::f64 : Number::u64;
  return {sum, sum, false, true};
}

bool adds_values(const WindowCall& call) { return call.function == WindowFunction::sum || call.function == WindowFunction::average; }

// Whether sums of these may need more than 64 bits. A CPU looks at the values, which is less than adding them up twice is; beside a GPU, it
// would be more.
bool needs_halves(const Column& column, bool looks_at_values) {
  if (is_float(column.type) || width_bytes(column.type) < 8) return false;
  if (!looks_at_values) return true;
  const bool has_sign = column.type.kind != Kind::uint64;
  std::atomic<std::uint64_t> bits = 0;      // of all values, without signs
  in_parallel(column.row_count, least_rows, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t some = 0;
    for (const auto* value = column.values.as<std::int64_t>() + first; value < column.values.as<std::int64_t>() + last; value++)
      some |= static_cast<std::uint64_t>(has_sign ? *value ^ *value >> 63 : *value);
    bits |= some;
  });
  return std::bit_width(bits.load()) + std::bit_width(column.row_count) > 63;
}

// Programs are compiled while rows are sorted; what fails here fails again where it is used.
std::vector<std::future<void>> begin_builds(const std::shared_ptr<Device>& device, const Table& table,
                                            const std::vector<WindowCall>& calls) {
  std::vector<std::future<void>> builds;
  const auto begin = [&](auto build) { builds.push_back(std::async(std::launch::async, build)); };
  begin([device] { static_cast<void>(Scan::build(device, count_shape)); });
  for (const WindowCall& call : calls) {
    if (!adds_values(call) || !DeviceWindow::takes(device->traits(), table, call)) continue;
    const Type type = table.columns[call.column].type;
    begin([device, type] { static_cast<void>(Scan::build(device, sum_shape(type))); });
    begin([device, type] { static_cast<void>(kernels_of_values(*device, type)); });
  }
  return builds;
}

}  // namespace

bool DeviceWindow::takes(const Traits& traits, const Table& table, const WindowCall& call) {
  switch (call.function) {
    case WindowFunction::row_number: case WindowFunction::rank: case WindowFunction::dense_rank: case WindowFunction::count_rows:
    case WindowFunction::count: return true;
    case WindowFunction::sum: case WindowFunction::average: break;
    case WindowFunction::minimum: case WindowFunction::maximum: case WindowFunction::first_value: case WindowFunction::last_value:
    case WindowFunction::lag: case WindowFunction::lead: return false;
  }
  const Type type = table.columns[call.column].type;
  return is_float(type) ? traits.has_f64 : width_bytes(type) <= 8;
}

// By row: the order, what begins in it and runs of two kinds, a column with its sums by halves, and results; or what a sort takes.
std::uint64_t DeviceWindow::bytes_of(std::uint64_t row_count, std::size_t words) { return row_count * (8 * words + 100); }

Result<DeviceWindow> DeviceWindow::open(std::shared_ptr<Device> device, const Table& table, const std::vector<SortWord>& words,
                                        std::size_t partition_words, const std::vector<WindowCall>& calls, RunReport& report) {
  const std::vector<std::future<void>> builds = begin_builds(device, table, calls);
  PENSTOCK_ASSIGN(DeviceOrder order, DeviceOrder::find(device, words, table.row_count, true, report));
  DeviceWindow window(std::move(device), table, std::move(order));
  PENSTOCK_TRY(window.find_begins(words, partition_words));
  return window;
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::zeros(std::uint64_t bytes) {
  const std::uint64_t whole_words = (bytes + 15) / 16 * 16;
  PENSTOCK_ASSIGN(auto buffer, device_->allocate(whole_words));
  PENSTOCK_TRY(queue().fill(*buffer, 0, whole_words));
  return buffer;
}

Status DeviceWindow::find_begins(const std::vector<SortWord>& words, std::size_t partition_words) {
  static constexpr std::uint8_t begins = 1;      // the first row, of both
  PENSTOCK_ASSIGN(kernels_, kernels_of_words(*device_, words.empty() ? 32 : words[0].bits));
  PENSTOCK_ASSIGN(count_scan_, Scan::build(device_, count_shape));
  PENSTOCK_ASSIGN(no_begins_, zeros(row_count()));
  PENSTOCK_ASSIGN(partitions_, zeros(row_count()));
  PENSTOCK_ASSIGN(peers_, zeros(row_count()));
  PENSTOCK_TRY(queue().upload(*partitions_, &begins, 1));
  PENSTOCK_TRY(queue().upload(*peers_, &begins, 1));
  for (std::size_t i = 0; i < words.size(); i++) {
    PENSTOCK_ASSIGN(const WindowKernels kernels, kernels_of_words(*device_, words[i].bits));
    PENSTOCK_TRY(launch(kernels, "window_begins", words[i].bits <= 32 ? 10 : 14,
                        {Argument::of(order_.rows()), Argument::of(*order_.words()[i]), Argument::of(*partitions_), Argument::of(*peers_),
                         Argument::value(row_count()), Argument::value(std::uint32_t{i < partition_words})}));
  }
  return {};
}

template <class Enqueue> Status DeviceWindow::timed(std::uint64_t bytes, const Enqueue& enqueue) {
  PENSTOCK_ASSIGN(auto begun, queue().record());
  PENSTOCK_TRY(enqueue());
  PENSTOCK_ASSIGN(auto done, queue().record());
  timed_.emplace_back(std::move(begun), std::move(done));
  launches_++;
  bytes_moved_ += bytes;
  return {};
}

Status DeviceWindow::launch(const WindowKernels& kernels, std::string_view kernel, std::uint64_t bytes_a_row,
                            std::vector<Argument> arguments) {
  return timed(row_count() * bytes_a_row, [&] { return kernels.launch(queue(), kernel, row_count(), arguments); });
}

// A device that shares the host's memory reads it where it is.
Result<DeviceWindow::SharedBuffer> DeviceWindow::upload(const Bytes& bytes) {
  if (device_->traits().unified_memory && reinterpret_cast<std::uintptr_t>(bytes.data) % 16 == 0)
    return device_->wrap_host(bytes.data, bytes.size);
  PENSTOCK_ASSIGN(auto buffer, device_->allocate(bytes.size));
  PENSTOCK_TRY(queue().upload(*buffer, bytes.data, bytes.size));
  bytes_uploaded_ += bytes.size;
  return buffer;
}

Result<Bytes> DeviceWindow::download(const Buffer& results, std::uint64_t bytes) {
  const std::shared_ptr<Int128[]> there = std::make_shared_for_overwrite<Int128[]>((bytes + 15) / 16);      // for its alignment
  PENSTOCK_TRY(queue().download(there.get(), results, bytes));
  PENSTOCK_TRY(queue().finish());
  bytes_downloaded_ += bytes;
  return Bytes{there, reinterpret_cast<const std::byte*>(there.get()), bytes};
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::count_up(const Buffer& bytes, const Buffer& begins) {
  PENSTOCK_ASSIGN(auto counts, device_->allocate(row_count() * 4));
  PENSTOCK_TRY(timed(row_count() * 6, [&] { return count_scan_->enqueue(queue(), bytes, begins, *counts, row_count()); }));
  return counts;
}

Status DeviceWindow::find_row_numbers() {
  if (row_numbers_) return {};
  PENSTOCK_ASSIGN(const auto ones, zeros(row_count()));
  PENSTOCK_TRY(queue().fill(*ones, 0x01010101u, ones->bytes()));
  PENSTOCK_ASSIGN(row_numbers_, count_up(*ones, *partitions_));
  return {};
}

Result<const DeviceWindow::Runs*> DeviceWindow::runs_of(std::optional<Runs>& runs, const Buffer& begins) {
  if (runs) return &*runs;
  Runs found;
  PENSTOCK_ASSIGN(found.runs, count_up(begins, *no_begins_));
  PENSTOCK_ASSIGN(found.ends, device_->allocate(row_count() * 4));
  PENSTOCK_TRY(launch(*kernels_, "window_ends", 8, {Argument::of(*found.runs), Argument::of(*found.ends), Argument::value(row_count())}));
  runs = std::move(found);
  return &*runs;
}

Result<DeviceWindow::Taken> DeviceWindow::taken_by(const WindowCall& call) {
  const bool is_rank = call.function == WindowFunction::rank;
  const bool is_own = call.function == WindowFunction::row_number || call.function == WindowFunction::dense_rank;
  if (is_own || (!is_rank && call.frame == WindowFrame::rows)) return Taken{&order_.rows(), &order_.rows(), own_place};
  const bool of_partition = !is_rank && call.frame == WindowFrame::partition;
  PENSTOCK_ASSIGN(const Runs* runs, of_partition ? runs_of(partition_runs_, *partitions_) : runs_of(peer_runs_, *peers_));
  return Taken{runs->runs.get(), runs->ends.get(), is_rank ? first_of_run : last_of_run};
}

// Uploads what a call reads of a column and no call before it did.
Status DeviceWindow::bring(std::uint32_t column, bool with_values) {
  const Column& from = table_.columns[column];
  if (summed_.column != column) summed_ = {};
  summed_.column = column;
  if (!summed_.validity && !from.validity.empty()) {
    PENSTOCK_ASSIGN(summed_.validity, upload({from.validity.owner, from.validity.data, (row_count() + 7) / 8}));
  }
  if (!with_values || summed_.values) return {};
  const std::uint64_t bytes = from.type.kind == Kind::boolean ? (row_count() + 7) / 8 : row_count() * width_bytes(from.type);
  PENSTOCK_ASSIGN(summed_.values, upload({from.values.owner, from.values.data, bytes}));
  PENSTOCK_ASSIGN(value_kernels_, kernels_of_values(*device_, from.type));
  PENSTOCK_ASSIGN(sum_scan_, Scan::build(device_, sum_shape(from.type)));
  return {};
}

// How many values there are from the partition's begin to a place.
Result<const Buffer*> DeviceWindow::present_counts(std::uint32_t column) {
  PENSTOCK_TRY(bring(column, false));
  if (!summed_.validity) {
    PENSTOCK_TRY(find_row_numbers());
    return row_numbers_.get();
  }
  if (summed_.counts) return summed_.counts.get();
  PENSTOCK_ASSIGN(const auto present, device_->allocate(row_count()));
  PENSTOCK_TRY(launch(*kernels_, "window_present", 6, {Argument::of(order_.rows()), Argument::of(*summed_.validity),
                                                       Argument::of(*present), Argument::value(row_count())}));
  PENSTOCK_ASSIGN(summed_.counts, count_up(*present, *partitions_));
  return summed_.counts.get();
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::add_up_part(const Column& column, std::uint32_t part) {
  PENSTOCK_ASSIGN(const auto values, device_->allocate(row_count() * 8));
  PENSTOCK_ASSIGN(auto sums, device_->allocate(row_count() * 8));
  const Buffer& validity = summed_.validity ? *summed_.validity : order_.rows();      // not read
  PENSTOCK_TRY(launch(*value_kernels_, "window_values", 12 + width_bytes(column.type),
                      {Argument::of(order_.rows()), Argument::of(*summed_.values), Argument::of(validity), Argument::of(*values),
                       Argument::value(row_count()), Argument::value(std::uint32_t{summed_.validity != nullptr}), Argument::value(part)}));
  PENSTOCK_TRY(timed(row_count() * 17, [&] { return sum_scan_->enqueue(queue(), *values, *partitions_, *sums, row_count()); }));
  return sums;
}

Status DeviceWindow::add_up(std::uint32_t column) {
  PENSTOCK_TRY(bring(column, true));
  if (summed_.sums) return {};
  const Column& from = table_.columns[column];
  const bool by_halves = needs_halves(from, device_->traits().is_cpu);
  PENSTOCK_ASSIGN(summed_.sums, add_up_part(from, by_halves ? low : whole));
  if (by_halves) {
    PENSTOCK_ASSIGN(summed_.high_sums, add_up_part(from, high));
  }
  return {};
}

Result<Column> DeviceWindow::column(const WindowCall& call, Type type) {
  PENSTOCK_ASSIGN(Column column, compute(call, type));
  for (const auto& [begun, done] : timed_) {
    PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
    seconds_ += seconds;
  }
  timed_.clear();
  return column;
}

Result<Column> DeviceWindow::compute(const WindowCall& call, Type type) {
  PENSTOCK_ASSIGN(const Taken taken, taken_by(call));
  if (adds_values(call)) return sums(call, type);
  if (call.function == WindowFunction::dense_rank) {
    PENSTOCK_ASSIGN(const auto ranks, count_up(*peers_, *partitions_));
    return numbers(*ranks, taken);
  }
  if (call.function == WindowFunction::count) {
    PENSTOCK_ASSIGN(const Buffer* counts, present_counts(call.column));
    return numbers(*counts, taken);
  }
  PENSTOCK_TRY(find_row_numbers());
  return numbers(*row_numbers_, taken);
}

Result<Column> DeviceWindow::numbers(const Buffer& counts, Taken taken) {
  PENSTOCK_ASSIGN(const auto results, device_->allocate(row_count() * 8));
  PENSTOCK_TRY(launch(*kernels_, "window_counts", taken.from == own_place ? 16 : 24,
                      {Argument::of(order_.rows()), Argument::of(counts), Argument::of(*taken.runs), Argument::of(*taken.ends),
                       Argument::of(*results), Argument::value(row_count()), Argument::value(taken.from)}));
  Column column;
  column.type = {Kind::int64};
  column.row_count = row_count();
  PENSTOCK_ASSIGN(column.values, download(*results, row_count() * 8));
  return column;
}

Result<Column> DeviceWindow::sums(const WindowCall& call, Type type) {
  const Column& from = table_.columns[call.column];
  const bool is_average = call.function == WindowFunction::average;
  PENSTOCK_ASSIGN(const Taken taken, taken_by(call));
  PENSTOCK_TRY(add_up(call.column));
  Column column;
  column.type = type;
  column.row_count = row_count();
  const Buffer* counts = nullptr;
  if (is_average || summed_.validity) {
    PENSTOCK_ASSIGN(counts, present_counts(call.column));
  }
  if (is_float(from.type)) {
    PENSTOCK_ASSIGN(column.values, real_sums(taken, is_average));
  } else if (is_average) {
    PENSTOCK_ASSIGN(column.values, averages_of_integers(from, *counts, taken));
  } else {
    PENSTOCK_ASSIGN(column.values, wide_sums(taken));
  }
  if (summed_.validity) {      // else each frame has a value: the row's own
    PENSTOCK_ASSIGN(column.validity, validity(*counts, taken));
  }
  return column;
}

Result<Bytes> DeviceWindow::wide_sums(Taken taken) {
  PENSTOCK_ASSIGN(const auto results, device_->allocate(row_count() * 16));
  const Buffer& high_sums = summed_.high_sums ? *summed_.high_sums : *summed_.sums;      // not read
  PENSTOCK_TRY(launch(*kernels_, "window_integers", (summed_.high_sums ? 36 : 28) + (taken.from == own_place ? 0 : 8),
                      {Argument::of(order_.rows()), Argument::of(*summed_.sums), Argument::of(high_sums), Argument::of(*taken.runs),
                       Argument::of(*taken.ends), Argument::of(*results), Argument::value(row_count()), Argument::value(taken.from),
                       Argument::value(std::uint32_t{summed_.high_sums != nullptr})}));
  return download(*results, row_count() * 16);
}

Result<Bytes> DeviceWindow::real_sums(Taken taken, bool is_average) {
  PENSTOCK_ASSIGN(const auto results, device_->allocate(row_count() * 8));
  const Buffer& counts = summed_.counts ? *summed_.counts : row_numbers_ ? *row_numbers_ : order_.rows();      // read for an average
  PENSTOCK_TRY(launch(*value_kernels_, "window_reals", (is_average ? 24 : 20) + (taken.from == own_place ? 0 : 8),
                      {Argument::of(order_.rows()), Argument::of(*summed_.sums), Argument::of(counts), Argument::of(*taken.runs),
                       Argument::of(*taken.ends), Argument::of(*results), Argument::value(row_count()), Argument::value(taken.from),
                       Argument::value(std::uint32_t{is_average})}));
  return download(*results, row_count() * 8);
}

// Divided on the host, which has the wider floats that DuckDB divides with.
Result<Bytes> DeviceWindow::averages_of_integers(const Column& column, const Buffer& counts, Taken taken) {
  PENSTOCK_ASSIGN(const Bytes sums, wide_sums(taken));
  PENSTOCK_ASSIGN(const Column values, numbers(counts, taken));
  const Accumulator accumulator{sum_kind(column.type), 0, column.type, nullptr, 0};
  std::vector<double> averages(row_count());
  in_parallel(row_count(), least_rows, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      if (const std::int64_t count = values.values.as<std::int64_t>()[row]; count > 0)
        averages[row] = average_of(accumulator, sums.as<Int128>()[row], static_cast<std::uint64_t>(count), false);
  });
  return Bytes::own(std::move(averages));
}

Result<Bytes> DeviceWindow::validity(const Buffer& counts, Taken taken) {
  PENSTOCK_ASSIGN(const auto valid, zeros(row_count()));
  const std::uint64_t bytes = (row_count() + 7) / 8;
  PENSTOCK_ASSIGN(const auto bits, device_->allocate(bytes));
  PENSTOCK_TRY(launch(*kernels_, "window_valid", taken.from == own_place ? 9 : 17,
                      {Argument::of(order_.rows()), Argument::of(counts), Argument::of(*taken.runs), Argument::of(*taken.ends),
                       Argument::of(*valid), Argument::value(row_count()), Argument::value(taken.from)}));
  PENSTOCK_TRY(timed(row_count() + bytes, [&] {
    return kernels_->launch(queue(), "window_bits", bytes, {{Argument::of(*valid), Argument::of(*bits), Argument::value(bytes)}});
  }));
  return download(*bits, bytes);
}

void DeviceWindow::add_to(RunReport& report) const {
  KernelReport kernel;
  kernel.name = kernel.variant = "window_scan";
  const Scan& scan = sum_scan_ ? *sum_scan_ : *count_scan_;
  kernel.source = scan.source();
  kernel.build = scan.program().report();
  kernel.device_seconds = seconds_;
  kernel.launches = launches_;
  kernel.bytes_moved = bytes_moved_;
  report.kernels.push_back(std::move(kernel));
  report.bytes_uploaded += bytes_uploaded_;
  report.bytes_downloaded += bytes_downloaded_;
}

}  // namespace penstock::plan
