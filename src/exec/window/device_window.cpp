#include "exec/window/device_window.hpp"

#include "base/thread_pool.hpp"
#include "table/rows/kernel_report.hpp"

namespace penstock::plan {
namespace {

using primitive::Number;
using primitive::Scan;
using primitive::ScanShape;

constexpr ScanShape count_shape{Number::u8, Number::u32, false, true};

bool adds_values(const WindowCall& call) {
  return call.function == WindowFunction::sum || call.function == WindowFunction::average;
}

// Compiles programs while rows are sorted. An error here is met again where the program is used.
struct BegunBuilds {
  std::vector<Task<void>> scans;
  std::vector<RowKernels> kernels;
};
BegunBuilds begin_builds(const std::shared_ptr<Device>& device, const Table& table,
                         const std::vector<WindowCall>& calls) {
  BegunBuilds builds;
  const auto begin = [&](auto build) { builds.scans.push_back(ThreadPool::shared().start(build)); };
  begin([device] { static_cast<void>(Scan::build(device, count_shape)); });
  for (const WindowCall& call : calls) {
    const Type type = table.columns[call.column].type;
    if (!adds_values(call) || !DeviceWindow::takes(device->traits(), call, type)) continue;
    begin([device, type] { static_cast<void>(Scan::build(device, sum_shape(type))); });
    builds.kernels.push_back(kernels_of_values(device, type));
  }
  return builds;
}

}  // namespace

bool DeviceWindow::takes(const Traits& traits, const WindowCall& call, Type type) {
  if (call.ends) return false;
  switch (call.function) {
    case WindowFunction::row_number:
    case WindowFunction::rank:
    case WindowFunction::dense_rank:
    case WindowFunction::count_rows:
    case WindowFunction::count: return true;
    case WindowFunction::sum:
    case WindowFunction::average: break;
    case WindowFunction::minimum:
    case WindowFunction::maximum:
    case WindowFunction::first_value:
    case WindowFunction::last_value:
    case WindowFunction::lag:
    case WindowFunction::lead:
    case WindowFunction::nth_value:
    case WindowFunction::concatenation: return false;
  }
  if (is_float(type)) return traits.has_f64;
  return width_bytes(type) <= 8 || call.function == WindowFunction::sum;
}

bool DeviceWindow::takes_there(const Traits& traits, const WindowCall& call, Type type) {
  if (!takes(traits, call, type)) return false;
  if (call.function == WindowFunction::average) return is_float(type);
  return call.function != WindowFunction::sum || type.kind != Kind::boolean;
}

// The bytes of a row: the order, where runs of two kinds begin, a column with its sums by halves,
// and results; or those that a sort takes.
std::uint64_t DeviceWindow::bytes_of(std::uint64_t row_count, std::size_t words) {
  return row_count * (8 * words + 100);
}

Result<DeviceWindow> DeviceWindow::open(std::shared_ptr<Device> device, const Table& table,
                                        const std::vector<NormalizedKey>& words,
                                        std::size_t partition_words,
                                        const std::vector<WindowCall>& calls, RunReport& report) {
  const BegunBuilds builds = begin_builds(device, table, calls);
  PENSTOCK_ASSIGN(DeviceOrder order,
                  DeviceOrder::find(device, words, table.row_count, true, report));
  DeviceWindow window(std::move(device), ColumnsOfRows(table), std::move(order));
  PENSTOCK_TRY(window.find_begins(words, partition_words));
  return window;
}

Result<DeviceWindow> DeviceWindow::over(std::shared_ptr<Device> device, const DeviceRows& rows,
                                        const Columns& keys, std::size_t partition_keys,
                                        RunReport& report) {
  PENSTOCK_ASSIGN(DeviceOrder order, DeviceOrder::find(device, {}, rows.row_count, false, report));
  DeviceWindow window(std::move(device), ColumnsOfRows(rows), std::move(order));
  PENSTOCK_TRY(window.find_changes(rows, keys, partition_keys));
  return window;
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::zeros(std::uint64_t bytes) {
  const std::uint64_t whole_words = (bytes + 15) / 16 * 16;
  PENSTOCK_ASSIGN(auto buffer, device_->allocate(whole_words));
  PENSTOCK_TRY(queue().fill(*buffer, 0, whole_words));
  return buffer;
}

Status DeviceWindow::begin(std::uint32_t word_bits) {
  static constexpr std::uint8_t begins = 1;  // the first row, of both
  kernels_.emplace(kernels_of_words(device_, word_bits));
  PENSTOCK_ASSIGN(count_scan_, Scan::build(device_, count_shape));
  PENSTOCK_ASSIGN(no_begins_, zeros(row_count()));
  PENSTOCK_ASSIGN(partitions_, zeros(row_count()));
  PENSTOCK_ASSIGN(peers_, zeros(row_count()));
  PENSTOCK_TRY(queue().upload(*partitions_, &begins, 1));
  return queue().upload(*peers_, &begins, 1);
}

Status DeviceWindow::find_begins(const std::vector<NormalizedKey>& words,
                                 std::size_t partition_words) {
  PENSTOCK_TRY(begin(words.empty() ? 32 : words[0].bits));
  for (std::size_t i = 0; i < words.size(); i++) {
    RowKernels kernels = kernels_of_words(device_, words[i].bits);
    PENSTOCK_TRY(
        launch(kernels, "window_begins", words[i].bits <= 32 ? 10 : 14,
               {Argument::of(order_.rows()), Argument::of(*order_.words()[i]),
                Argument::of(*partitions_), Argument::of(*peers_), Argument::value(row_count()),
                Argument::value(std::uint32_t{i < partition_words})}));
  }
  return {};
}

// The rows are in order: a run begins where a key differs from the row's before.
Status DeviceWindow::find_changes(const DeviceRows& rows, const Columns& keys,
                                  std::size_t partition_keys) {
  PENSTOCK_TRY(begin(32));
  for (std::size_t i = 0; i < keys.size(); i++) {
    const DeviceColumn& key = rows.columns[keys[i]];
    const auto width = static_cast<std::uint32_t>(width_bytes(key.type));
    const Buffer& validity = key.validity ? *key.validity : *key.values;  // not read
    PENSTOCK_TRY(
        launch(*kernels_, "window_changes", 2 * width + 2,
               {Argument::of(*key.values), Argument::of(*key.values), Argument::of(validity),
                Argument::of(*partitions_), Argument::of(*peers_), Argument::value(row_count()),
                Argument::value(width), Argument::value(std::uint32_t{is_float(key.type)}),
                Argument::value(std::uint32_t{key.validity != nullptr}),
                Argument::value(std::uint32_t{i < partition_keys})}));
  }
  return {};
}

Status DeviceWindow::launch(RowKernels& kernels, std::string_view kernel,
                            std::uint64_t bytes_per_row, std::vector<Argument> arguments) {
  return timed(row_count() * bytes_per_row,
               [&] { return kernels.launch(queue(), kernel, row_count(), arguments); });
}

// A device that shares the host's memory reads it in position.
Result<DeviceWindow::SharedBuffer> DeviceWindow::upload(const Bytes& bytes) {
  if (device_->traits().unified_memory && reinterpret_cast<std::uintptr_t>(bytes.data) % 16 == 0)
    return device_->wrap_host(bytes.data, bytes.size);
  PENSTOCK_ASSIGN(auto buffer, device_->allocate(bytes.size));
  PENSTOCK_TRY(queue().upload(*buffer, bytes.data, bytes.size));
  bytes_uploaded_ += bytes.size;
  return buffer;
}

Result<Bytes> DeviceWindow::download(const Buffer& results, std::uint64_t bytes) {
  const std::shared_ptr<Int128[]> there =
      std::make_shared_for_overwrite<Int128[]>((bytes + 15) / 16);  // for its alignment
  PENSTOCK_TRY(queue().download(there.get(), results, bytes));
  PENSTOCK_TRY(queue().finish());
  bytes_downloaded_ += bytes;
  return Bytes{there, reinterpret_cast<const std::byte*>(there.get()), bytes};
}

Result<DeviceWindow::SharedBuffer> DeviceWindow::count_up(const Buffer& bytes,
                                                          const Buffer& begins) {
  PENSTOCK_ASSIGN(auto counts, device_->allocate(row_count() * 4));
  PENSTOCK_TRY(timed(row_count() * 6, [&] {
    return count_scan_->enqueue(queue(), bytes, begins, *counts, row_count());
  }));
  return counts;
}

Status DeviceWindow::find_row_numbers() {
  if (row_numbers_) return {};
  PENSTOCK_ASSIGN(const auto ones, zeros(row_count()));
  PENSTOCK_TRY(queue().fill(*ones, 0x01010101u, ones->bytes()));
  PENSTOCK_ASSIGN(row_numbers_, count_up(*ones, *partitions_));
  return {};
}

Result<const DeviceWindow::Runs*> DeviceWindow::runs_of(std::optional<Runs>& runs,
                                                        const Buffer& begins) {
  if (runs) return &*runs;
  Runs found;
  PENSTOCK_ASSIGN(found.runs, count_up(begins, *no_begins_));
  PENSTOCK_ASSIGN(found.ends, device_->allocate(row_count() * 4));
  PENSTOCK_TRY(
      launch(*kernels_, "window_ends", 8,
             {Argument::of(*found.runs), Argument::of(*found.ends), Argument::value(row_count())}));
  runs = std::move(found);
  return &*runs;
}

Result<DeviceWindow::Taken> DeviceWindow::taken_by(const WindowCall& call) {
  const bool is_rank = call.function == WindowFunction::rank;
  const bool is_own =
      call.function == WindowFunction::row_number || call.function == WindowFunction::dense_rank;
  if (is_own || (!is_rank && call.frame == WindowFrame::rows))
    return Taken{&order_.rows(), &order_.rows(), own_position};
  const bool of_partition = !is_rank && call.frame == WindowFrame::partition;
  PENSTOCK_ASSIGN(const Runs* runs, of_partition ? runs_of(partition_runs_, *partitions_)
                                                 : runs_of(peer_runs_, *peers_));
  return Taken{runs->runs.get(), runs->ends.get(), is_rank ? first_of_run : last_of_run};
}

Status DeviceWindow::take_times() {
  PENSTOCK_TRY(queue().finish());
  for (const auto& [begun, done] : timed_) {
    PENSTOCK_ASSIGN(const double seconds, done->seconds_since(*begun));
    seconds_ += seconds;
  }
  timed_.clear();
  return {};
}

Result<Column> DeviceWindow::column(const WindowCall& call, Type type) {
  const bool divides_here =
      call.function == WindowFunction::average && !is_float(columns_.type(call.column));
  if (divides_here) return averages_of_integers(call, type);
  PENSTOCK_ASSIGN(const DeviceColumn there, compute(call, type));
  PENSTOCK_ASSIGN(Column column, download(there));
  PENSTOCK_TRY(take_times());
  return column;
}

Result<DeviceColumn> DeviceWindow::device_column(const WindowCall& call, Type type) {
  PENSTOCK_ASSIGN(DeviceColumn there, compute(call, type));
  PENSTOCK_TRY(take_times());
  return there;
}

Result<DeviceColumn> DeviceWindow::compute(const WindowCall& call, Type type) {
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

Result<DeviceColumn> DeviceWindow::numbers(const Buffer& counts, Taken taken) {
  PENSTOCK_ASSIGN(auto results, device_->allocate(row_count() * 8));
  PENSTOCK_TRY(launch(*kernels_, "window_counts", taken.from == own_position ? 16 : 24,
                      {Argument::of(order_.rows()), Argument::of(counts), Argument::of(*taken.runs),
                       Argument::of(*taken.ends), Argument::of(*results),
                       Argument::value(row_count()), Argument::value(taken.from)}));
  return DeviceColumn{{Kind::int64}, std::move(results), nullptr};
}

// Returns a byte a row.
Result<DeviceWindow::SharedBuffer> DeviceWindow::validity(const Buffer& counts, Taken taken) {
  PENSTOCK_ASSIGN(auto valid, zeros(row_count()));
  PENSTOCK_TRY(launch(*kernels_, "window_valid", taken.from == own_position ? 9 : 17,
                      {Argument::of(order_.rows()), Argument::of(counts), Argument::of(*taken.runs),
                       Argument::of(*taken.ends), Argument::of(*valid),
                       Argument::value(row_count()), Argument::value(taken.from)}));
  return valid;
}

// Returns a bit for each byte, of which there are a multiple of eight.
Result<DeviceWindow::SharedBuffer> DeviceWindow::bits_of(const Buffer& flags) {
  const std::uint64_t bytes = (row_count() + 7) / 8;
  PENSTOCK_ASSIGN(auto bits, device_->allocate(bytes));
  PENSTOCK_TRY(timed(row_count() + bytes, [&] {
    return kernels_->launch(queue(), "window_bits", bytes,
                            {{Argument::of(flags), Argument::of(*bits), Argument::value(bytes)}});
  }));
  return bits;
}

Result<Column> DeviceWindow::download(const DeviceColumn& there) {
  Column column;
  column.type = there.type;
  column.row_count = row_count();
  PENSTOCK_ASSIGN(column.values, download(*there.values, row_count() * width_bytes(there.type)));
  if (!there.validity) return column;
  PENSTOCK_ASSIGN(const auto bits, bits_of(*there.validity));
  PENSTOCK_ASSIGN(column.validity, download(*bits, (row_count() + 7) / 8));
  return column;
}

void DeviceWindow::add_to(RunReport& report) const {
  const Scan& scan = sum_scan_ ? *sum_scan_ : *count_scan_;
  add_kernel(report, "window_scan", scan.source(), scan.program(),
             {launches_, bytes_moved_, seconds_});
  report.bytes_uploaded += bytes_uploaded_;
  report.bytes_downloaded += bytes_downloaded_;
}

}  // namespace penstock::plan
