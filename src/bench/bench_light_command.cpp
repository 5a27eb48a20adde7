// penstock bench light: a filter and a sum over a column in a light encoding, in one kernel that
// unpacks the rows it reads. Rates are of the values' own bytes, shares of copy of the encoded
// ones.
//
// Each case is verified against a loop on the host before it is timed.
#include <algorithm>

#include "bench/bench_commands.hpp"
#include "bench/bench_table.hpp"
#include "codec/light/host/encode_block.hpp"
#include "codec/light/light_column.hpp"
#include "penstock/plan.hpp"

namespace penstock::bench {
namespace {

struct LightCase {
  std::string name;
  std::uint32_t kind;
  std::uint32_t width;  // bits of the values, as far as they are drawn
};
std::vector<LightCase> light_cases() {
  std::vector<LightCase> table;
  for (const std::uint32_t width : {6u, 8u, 11u, 12u, 16u, 20u, 24u, 27u, 32u})
    table.push_back({"packed " + std::to_string(width) + " bits", LIGHT_PACKED, width});
  table.push_back({"delta", LIGHT_DELTA, 3});
  table.push_back({"runs", LIGHT_RUNS, 12});
  table.push_back({"dictionary", LIGHT_DICTIONARY, 10});
  return table;
}

std::int64_t light_value(const LightCase& work, std::uint64_t row) {
  const std::uint64_t at = work.kind == LIGHT_RUNS ? row / 50 : row;
  const auto drawn = static_cast<std::int64_t>(hash_of_row(at) >> (64 - work.width));
  if (work.kind == LIGHT_DELTA) return static_cast<std::int64_t>(row) * 8 + drawn;
  return work.kind == LIGHT_DICTIONARY ? drawn * 1'000'000'007 : drawn;
}

std::vector<std::int64_t> light_rows(const LightCase& work, std::uint64_t count) {
  std::vector<std::int64_t> values(count);
  for (std::uint64_t row = 0; row < count; row++) values[row] = light_value(work, row);
  return values;
}

// Half of the values are below the one in the middle of those that row 0 to 999 have.
std::int64_t light_limit(std::vector<std::int64_t> values) {
  values.resize(std::min<std::size_t>(values.size(), 999));
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

Result<StepId> light_plan(Plan& plan, const Table& table, std::int64_t limit) {
  StepId step = plan.source(table_source(table, "light"));
  Builder builder(plan.step(step).schema);
  PENSTOCK_ASSIGN(const NodeId below, builder.binary(Op::less, builder.column(0u),
                                                     builder.captured(Scalar::of(limit))));
  PENSTOCK_ASSIGN(step, plan.filter(step, builder.graph(), below));
  return plan.reduce(step, builder.graph(), {{Aggregate::sum, builder.column(0u), "sum", nullptr}});
}

Status verify_light(const LightCase& work, std::span<const std::int64_t> values, std::int64_t limit,
                    const Table& found) {
  __int128 sum = 0;
  for (const std::int64_t value : values)
    if (value < limit) sum += value;
  const Scalar got = scalar_at(found.columns[0], 0);
  return got.integer == sum || (got.is_null && sum == 0)
             ? Status()
             : Status(Code::internal, work.name + ": the sum is wrong");
}

Result<Figure> measure_light(const LightCase& work, const BenchOptions& options) {
  show_progress(work.name, "making data");
  const std::vector<std::int64_t> values = light_rows(work, options.rows);
  const std::int64_t limit = light_limit(values);
  PENSTOCK_ASSIGN(const light::Block block,
                  light::encode(Column::from(std::vector(values)), {1u << work.kind}));
  Plan plan;
  PENSTOCK_ASSIGN(const StepId step,
                  light_plan(plan, Table::of({{"v", light::light_column(block, {})}}), limit));
  show_progress(work.name, "checking");
  RunOptions run_options;
  run_options.device = options.device;
  run_options.page_decoding = PageDecoding::device;
  PENSTOCK_ASSIGN(const auto prepared, prepare(plan, step, run_options));
  PENSTOCK_TRY(prepared->run_seconds());
  PENSTOCK_ASSIGN(const QueryResult outcome, prepared->fetch());
  PENSTOCK_TRY(verify_light(work, values, limit, outcome.table));
  PENSTOCK_ASSIGN(Figure figure,
                  time_runs(work.name, "penstock", static_cast<double>(block.bytes().size),
                            options.repeats, [&] { return prepared->run_seconds(); }));
  figure.output_bytes = static_cast<double>(values.size() * sizeof(std::int64_t));
  figure.stored_bytes = static_cast<double>(block.bytes().size);
  return figure;
}

Result<Figures> measure_light_cases(const std::shared_ptr<Device>&, const BenchOptions& options) {
  Figures figures;
  for (const LightCase& work : light_cases()) {
    if (!is_selected(options, work.name)) continue;
    PENSTOCK_ASSIGN(Figure figure, measure_light(work, options));
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

Action declare_bench_light(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const LightCase& work : light_cases()) names.push_back(work.name);
  const std::uint64_t max_rows =
      std::min(physical_memory_bytes() / (6 * sizeof(std::int64_t)), std::uint64_t{1} << 30);
  declare_bench_options(arguments, *options,
                        {"rows of int64; six times their size must fit into this machine's memory",
                         max_rows, std::move(names)});
  return [options] { return run_bench(*options, "int64 rows", measure_light_cases); };
}

}  // namespace penstock::bench
