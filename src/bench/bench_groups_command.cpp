// penstock bench groups: SELECT key, sum(x) GROUP BY key over rows in the device's memory, from one
// key to ten million (in a sweep, three counts per power of ten), and with keys of a Zipf
// distribution; compared with the sum of all rows without groups, and with baselines.
//
// Only the kernel is timed. The host merges the tables of its groups when the result is fetched.
// Each case is verified before it is timed: values are whole numbers, so that sums are exact.
#include <cmath>

#include "base/machine_memory.hpp"
#include "base/parallel.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "penstock/run.hpp"

namespace penstock::bench {
namespace {

struct Case {
  std::string name;
  std::uint32_t keys;
  bool is_zipf;
};  // keys 0: one sum
std::vector<Case> usual_cases() {
  return {{"sum", 0, false},
          {"1 key", 1, false},
          {"2 keys", 2, false},
          {"50 keys", 50, false},
          {"1000 keys", 1000, false},
          {"10000 keys", 10000, false},
          {"1000000 keys", 1000000, false},
          {"10000000 keys", 10000000, false},
          {"1000 zipf keys", 1000, true},
          {"1000000 zipf keys", 1000000, true}};
}
std::vector<Case> key_count_cases() {
  constexpr std::uint32_t max_keys = 10000000;
  std::vector<Case> table;
  for (std::uint32_t power = 1; power <= max_keys; power *= 10)
    for (const std::uint32_t digit : {1u, 2u, 5u})
      if (const std::uint32_t keys = digit * power; keys <= max_keys)
        table.push_back({std::to_string(keys) + (keys == 1 ? " key" : " keys"), keys, false});
  return table;
}

// Zipf with exponent 1. Baselines compute the same from the row number.
std::int32_t key_of_row(std::uint64_t row, const Case& work) {
  const std::uint64_t hash = hash_of_row(row);
  if (!work.is_zipf) return static_cast<std::int32_t>(hash % std::max(1u, work.keys));
  const double uniform = static_cast<double>(hash >> 11) * 0x1p-53;
  return static_cast<std::int32_t>(
             std::exp(uniform * std::log(static_cast<double>(work.keys) + 1))) -
         1;
}
float value_of_row(std::uint64_t row) {
  return static_cast<float>((row * 2654435761u >> 16) % 100);
}

struct Rows {
  std::vector<std::int32_t> keys;
  std::vector<float> values;
};
Rows make_rows(const Case& work, std::uint64_t count) {
  Rows rows{std::vector<std::int32_t>(count), std::vector<float>(count)};
  in_parallel(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) {
      rows.keys[row] = key_of_row(row, work);
      rows.values[row] = value_of_row(row);
    }
  });
  return rows;
}

Result<StepId> build_plan(Plan& plan, const Case& work, const Table& table) {
  const StepId source = plan.source(table_source(table, "rows"));
  Builder builder(plan.step(source).schema);
  const std::vector<AggregateCall> sum = {{Aggregate::sum, builder.column(1u), "sum", nullptr}};
  if (work.keys == 0) return plan.reduce(source, builder.graph(), sum);
  return plan.group_by(source, builder.graph(), {{"key", builder.column(0u)}}, sum);
}

Status verify(const Case& work, const Rows& rows, const Table& result) {
  std::vector<double> sums(std::max(1u, work.keys));
  std::vector<bool> has_rows(sums.size());
  for (std::size_t i = 0; i < rows.keys.size(); i++) {
    sums[static_cast<std::size_t>(rows.keys[i])] += static_cast<double>(rows.values[i]);
    has_rows[static_cast<std::size_t>(rows.keys[i])] = true;
  }
  std::uint64_t row = 0;
  for (std::size_t key = 0; key < sums.size(); key++) {
    if (!has_rows[key]) continue;
    const bool is_here = row < result.row_count &&
                         (work.keys == 0 || result.columns[0].values.as<std::int32_t>()[row] ==
                                                static_cast<std::int32_t>(key));
    if (!is_here || result.columns.back().values.as<double>()[row] != sums[key])
      return Status(Code::internal,
                    work.name + ": the sum of key " + std::to_string(key) + " is wrong");
    row++;
  }
  return row == result.row_count ? Status() : Status(Code::internal, work.name + ": too many keys");
}

Result<Figure> measure(Device& device, const Case& work, const BenchOptions& options) {
  show_progress(work.name, "making data and checking");
  const Rows rows = make_rows(work, options.rows);
  const Table table =
      Table::of({{"key", Column::from(rows.keys)}, {"x", Column::from(rows.values)}});
  Plan plan;
  PENSTOCK_ASSIGN(const StepId result, build_plan(plan, work, table));
  RunOptions run_options;
  run_options.device = device.traits().id;
  if (work.keys > 0) run_options.variant = options.variant;
  PENSTOCK_ASSIGN(const auto prepared, prepare(plan, result, run_options));
  PENSTOCK_TRY(prepared->run_seconds().status());
  PENSTOCK_ASSIGN(const QueryResult outcome, prepared->fetch());
  PENSTOCK_TRY(verify(work, rows, outcome.table));
  const double bytes = static_cast<double>(options.rows) * (work.keys == 0 ? 4 : 8);
  const std::string name = "penstock " + outcome.report.kernels[0].variant;
  return time_runs(work.name, name, bytes, options.repeats,
                   [&] { return prepared->run_seconds(); });
}

}  // namespace

Result<Figures> measure_groups(const std::shared_ptr<Device>& device, const BenchOptions& options) {
  Figures figures;
  for (const Case& work : options.sweep == "keys" ? key_count_cases() : usual_cases()) {
    if (!is_selected(options, work.name)) continue;
    Result<Figure> figure = measure(*device, work, options);
    if (figure.status().code() == Code::capacity &&
        options.sweep == "keys") {  // the device's tables cannot have so many keys
      std::fprintf(stderr, "%s: left out: %s\n", work.name.c_str(),
                   figure.status().message().c_str());
      continue;
    }
    PENSTOCK_TRY(figure.status());
    figures.push_back(std::move(*figure));
  }
  return figures;
}

Action declare_bench_groups(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const Case& work : usual_cases()) names.push_back(work.name);
  for (const Case& work : key_count_cases()) names.push_back(work.name);
  declare_bench_options(arguments, *options,
                        {"rows to group", machine_memory_bytes() / 64, std::move(names), "keys"});
  arguments.value("--variant", "NAME", options->variant,
                  "measure this kernel variant only, in cases with keys");
  return [options] {
    return run_bench(*options, "rows of an int32 key and a float32", measure_groups);
  };
}

}  // namespace penstock::bench
