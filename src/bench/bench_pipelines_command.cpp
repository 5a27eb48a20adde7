// penstock bench pipelines: fused pipelines over float32 rows in the device's memory, by every
// variant that fits, compared with baselines; in a sweep with 0.1 to 99.9 % of the rows passing.
//
// Each case is verified against a loop on the host before it is timed.
#include <cmath>
#include <cstring>

#include "base/machine_memory.hpp"
#include "base/parallel.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "fuse/variants/variants.hpp"
#include "penstock/run.hpp"

namespace penstock::bench {
namespace {

// Returns x in [0, 1000). Baselines compute the same from the row number.
float value_of_row(std::uint64_t row) {
  return static_cast<float>(hash_of_row(row) >> 40) * (1000.0f / 16777216.0f);
}

std::vector<float> make_rows(std::uint64_t count) {
  std::vector<float> rows(count);
  in_parallel(count, 1 << 16, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++) rows[row] = value_of_row(row);
  });
  return rows;
}

struct Case {
  std::string name;
  float above;
  Aggregate aggregate;
  bool filters;
};
// x * 2 is in [0, 2000). Baselines compute the same limit from the percentage.
Case filter_case(Aggregate aggregate, const char* percent_that_pass) {
  const std::string family = aggregate == Aggregate::sum ? "filter-sum " : "map-filter-map ";
  return {family + percent_that_pass + "%",
          static_cast<float>(2000 - 20 * std::atof(percent_that_pass)), aggregate, true};
}
std::vector<Case> usual_cases() {
  std::vector<Case> table;
  for (const char* percent : {"50", "10", "1", "90"})
    table.push_back(filter_case(Aggregate::count_rows, percent));
  table.push_back(filter_case(Aggregate::sum, "50"));
  table.push_back({"map-map", 0, Aggregate::count_rows, false});
  return table;
}
std::vector<Case> selectivity_cases() {
  std::vector<Case> table;
  for (const Aggregate aggregate : {Aggregate::count_rows, Aggregate::sum})
    for (const char* percent :
         {"0.1", "0.3", "1", "3", "10", "30", "50", "70", "90", "97", "99", "99.7", "99.9"})
      table.push_back(filter_case(aggregate, percent));
  return table;
}

// map(x * 2) -> filter(> above) -> map(+ 100) or sum.
Result<StepId> build_plan(Plan& plan, const Case& work, const Table& table) {
  StepId step = plan.source(table_source(table, "rows"));
  const auto add_map = [&](Op op, float value, const char* name) -> Status {
    Builder builder(plan.step(step).schema);
    PENSTOCK_ASSIGN(const NodeId root,
                    builder.binary(op, builder.column(0u), builder.captured(Scalar::of(value))));
    PENSTOCK_ASSIGN(step, plan.map(step, builder.graph(), {{name, root}}));
    return {};
  };
  PENSTOCK_TRY(add_map(Op::multiply, 2.0f, "x"));
  Builder builder(plan.step(step).schema);
  if (work.filters) {
    PENSTOCK_ASSIGN(
        const NodeId predicate,
        builder.binary(Op::greater, builder.column(0u), builder.captured(Scalar::of(work.above))));
    PENSTOCK_ASSIGN(step, plan.filter(step, builder.graph(), predicate));
  }
  if (work.aggregate == Aggregate::sum)
    return plan.reduce(step, builder.graph(),
                       {{Aggregate::sum, builder.column(0u), "sum", nullptr}});
  PENSTOCK_TRY(add_map(Op::add, 100.0f, "x"));
  return step;
}

Status verify(const Case& work, const std::vector<float>& rows, const Table& result) {
  if (work.aggregate == Aggregate::sum) {
    double sum = 0;
    for (float x : rows) sum += x * 2 > work.above ? static_cast<double>(x * 2) : 0.0;
    const double got = *result.columns[0].values.as<double>();
    // Both orders of addition are within n * 2^-53 of the exact sum of positive terms.
    const double bound = static_cast<double>(rows.size()) * 0x1p-53 * sum;
    return std::abs(got - sum) <= bound ? Status()
                                        : Status(Code::internal, work.name + ": the sum is wrong");
  }
  const float* got = result.columns[0].values.as<float>();
  std::uint64_t kept = 0;
  for (float x : rows) {
    if (work.filters && !(x * 2 > work.above)) continue;
    const float wanted = x * 2 + 100;
    if (kept >= result.row_count || std::memcmp(got + kept, &wanted, 4) != 0)
      return Status(Code::internal, work.name + ": row " + std::to_string(kept) + " is wrong");
    kept++;
  }
  return kept == result.row_count ? Status()
                                  : Status(Code::internal, work.name + ": too many rows");
}

Result<Figure> measure(const Plan& plan, StepId step, const Case& work, const std::string& variant,
                       const BenchOptions& options, const std::vector<float>& rows) {
  show_progress(work.name, "checking " + variant);
  RunOptions run_options;
  run_options.device = options.device;
  run_options.variant = variant;
  PENSTOCK_ASSIGN(const auto prepared, prepare(plan, step, run_options));
  PENSTOCK_TRY(prepared->run_seconds());
  PENSTOCK_ASSIGN(const QueryResult outcome, prepared->fetch());
  PENSTOCK_TRY(verify(work, rows, outcome.table));
  // The least that any variant moves: every row read once, every kept row written once.
  const std::uint64_t written = work.aggregate == Aggregate::sum ? 0 : outcome.table.row_count;
  const double bytes = static_cast<double>((rows.size() + written) * sizeof(float));
  return time_runs(work.name, "penstock " + variant, bytes, options.repeats,
                   [&] { return prepared->run_seconds(); });
}

std::vector<std::string> fitting_variants(const Plan& plan, StepId step, const Traits& traits) {
  std::vector<std::string> names;
  StepId base = step;
  while (!plan.step(base).inputs.empty()) base = plan.step(base).inputs[0];
  const auto program = plan::fuse(plan, base, step);
  for (const plan::Variant& variant : plan::variants())
    if (program.ok() && variant.epilogue == program->epilogue && variant.fits(traits, *program))
      names.emplace_back(variant.name);
  return names;
}

}  // namespace

Result<Figures> measure_pipelines(const std::shared_ptr<Device>& device,
                                  const BenchOptions& options) {
  show_progress("rows", "making data");
  const std::vector<float> rows = make_rows(options.rows);
  PENSTOCK_ASSIGN(const Table table,
                  to_device(Table::of({{"x", Column::from(std::vector<float>(rows))}}), *device));
  Figures figures;
  for (const Case& work : options.sweep == "selectivity" ? selectivity_cases() : usual_cases()) {
    if (!is_selected(options, work.name)) continue;
    Plan plan;
    PENSTOCK_ASSIGN(const StepId step, build_plan(plan, work, table));
    for (const std::string& variant :
         selected_variants(options, fitting_variants(plan, step, device->traits()))) {
      PENSTOCK_ASSIGN(Figure figure, measure(plan, step, work, variant, options, rows));
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

Action declare_bench_pipelines(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const Case& work : usual_cases()) names.push_back(work.name);
  for (const Case& work : selectivity_cases()) names.push_back(work.name);
  // The host has the rows and the table's copy of them.
  const std::uint64_t max_rows = machine_memory_bytes() / (2 * sizeof(float));
  declare_bench_options(arguments, *options,
                        {"rows of float32; twice their size must fit into this machine's memory",
                         max_rows, std::move(names), "selectivity"});
  return [options] { return run_bench(*options, "float32 rows", measure_pipelines); };
}

}  // namespace penstock::bench
