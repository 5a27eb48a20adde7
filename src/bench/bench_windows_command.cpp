// penstock bench windows: window functions over rows in the host's memory, with results in the
// host's memory: with prefix sums on the device, and on the host over an order that the device
// found.
//
// The step is timed with its transfers; on the device also the kernels without the sort. Both
// results must agree before either is timed. Values are whole numbers, so that sums are exact.
#include <chrono>

#include "base/machine_memory.hpp"
#include "base/parallel.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_table.hpp"
#include "exec/window/window_rows.hpp"

namespace penstock::bench {
namespace {

using plan::WindowLocation;

enum : std::uint32_t { part, key, number, real };  // the columns
struct Case {
  const char* name;
  WindowFunction function;
  std::uint32_t column;
  WindowFrame frame;
  bool has_partitions;
};
constexpr Case cases[] = {
    {"sum int64 by order", WindowFunction::sum, number, WindowFrame::peers, false},
    {"sum f64 in parts", WindowFunction::sum, real, WindowFrame::rows, true},
    {"avg int64 in parts", WindowFunction::average, number, WindowFrame::partition, true},
    {"rank in parts", WindowFunction::rank, number, WindowFrame::peers, true},
    {"row number", WindowFunction::row_number, number, WindowFrame::rows, false}};
constexpr std::uint64_t part_rows = 1000;  // of a partition, on the average

Table make_rows(std::uint64_t count) {
  std::vector<std::int32_t> parts(count), keys(count);
  std::vector<std::int64_t> numbers(count);
  std::vector<double> reals(count);
  in_parallel(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) {
      const std::uint64_t hash = hash_of_row(row);
      parts[row] = static_cast<std::int32_t>(hash % (count / part_rows + 1));
      keys[row] = static_cast<std::int32_t>(hash >> 40);
      numbers[row] = static_cast<std::int64_t>(hash % 1'000'003);
      reals[row] = static_cast<double>(hash % 1009);
    }
  });
  return Table::of({{"part", Column::from(std::move(parts))},
                    {"key", Column::from(std::move(keys))},
                    {"number", Column::from(std::move(numbers))},
                    {"real", Column::from(std::move(reals))}});
}

// A window step over a table.
class WindowBench {
 public:
  Status open(std::shared_ptr<Device> device, const Case& work, std::uint64_t count) {
    device_ = std::move(device);
    table_ = make_rows(count);
    Window window{
        {}, {{key, false, false}}, {{work.function, work.column, work.frame, 1, "result"}}};
    if (work.has_partitions) window.partition = {part};
    PENSTOCK_ASSIGN(step_,
                    plan_.window(plan_.source(table_source(table_, "rows")), std::move(window)));
    return {};
  }

  Result<Column> result(WindowLocation location) {
    report_ = {};
    PENSTOCK_ASSIGN(const Table table,
                    plan::window_rows(device_, table_, plan_.step(step_), report_, location));
    return table.columns.back();
  }

  Result<double> run_seconds(WindowLocation location) {
    const auto begun = std::chrono::steady_clock::now();
    PENSTOCK_TRY(result(location).status());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }

  Result<double> kernel_seconds() {
    PENSTOCK_TRY(result(WindowLocation::device).status());
    return report_.kernels.back().device_seconds;
  }

  Status verify() {
    PENSTOCK_ASSIGN(const Column by_device, result(WindowLocation::device));
    PENSTOCK_ASSIGN(const Column by_host, result(WindowLocation::host));
    const std::uint64_t width = width_bytes(by_host.type);
    for (std::uint64_t row = 0; row < by_host.row_count; row++)
      if (std::memcmp(by_device.values.data + row * width, by_host.values.data + row * width,
                      width) != 0)
        return Status(Code::internal, "row " + std::to_string(row) + " differs");
    bytes_per_row_ = static_cast<double>(width) + 8;
    return {};
  }

  double bytes_per_row() const { return bytes_per_row_; }  // of the value and of the result

 private:
  std::shared_ptr<Device> device_;
  Table table_;
  Plan plan_;
  StepId step_ = 0;
  RunReport report_;
  double bytes_per_row_ = 0;
};

Result<Figures> measure_cases(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  Figures figures;
  for (const Case& work : cases) {
    if (!is_selected(options, work.name)) continue;
    show_progress(work.name, "making data and checking");
    WindowBench bench;
    PENSTOCK_TRY(bench.open(device, work, options.rows));
    PENSTOCK_TRY(bench.verify().with(work.name));
    const double bytes = bench.bytes_per_row() * static_cast<double>(options.rows);
    const auto add = [&](const char* name,
                         const std::function<Result<double>()>& seconds) -> Status {
      PENSTOCK_ASSIGN(Figure figure, time_runs(work.name, name, bytes, options.repeats, seconds));
      figures.push_back(std::move(figure));
      return {};
    };
    PENSTOCK_TRY(
        add("sums on the device", [&] { return bench.run_seconds(WindowLocation::device); }));
    PENSTOCK_TRY(add("kernels without the sort", [&] { return bench.kernel_seconds(); }));
    PENSTOCK_TRY(add("sums on the host", [&] { return bench.run_seconds(WindowLocation::host); }));
  }
  return figures;
}

}  // namespace

Action declare_bench_windows(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const Case& work : cases) names.emplace_back(work.name);
  declare_bench_options(arguments, *options,
                        {"rows to compute", machine_memory_bytes() / 256, std::move(names)});
  return [options] {
    return run_bench(*options, "rows of two int32 keys and a value", measure_cases);
  };
}

}  // namespace penstock::bench
