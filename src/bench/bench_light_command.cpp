// penstock bench light: columns in light encodings, unpacked by the kernel that reads them. Rates
// are of the values' own bytes, shares of copy of what is read and written.
//
// "packed", "delta" and the others are a filter and a sum over int64 in one kernel; "unpack" writes
// int32 as a plain array. Each case is verified against a loop on the host before it is timed.
#include <algorithm>
#include <atomic>

#include "base/machine_memory.hpp"
#include "base/parallel.hpp"
#include "bench/bench_commands.hpp"
#include "bench/bench_light_blocks.hpp"
#include "bench/bench_measures.hpp"
#include "bench/bench_table.hpp"
#include "codec/light/host/encode_block.hpp"
#include "codec/light/light_column.hpp"
#include "penstock/run.hpp"

namespace penstock::bench {
namespace {

// Values repeat after so many rows; their encodings are copied.
constexpr std::uint64_t distinct_rows = std::uint64_t{1} << 22;

struct LightCase {
  std::string name;
  std::uint32_t kind;
  std::uint32_t width;  // bits of the values, as far as they are drawn
  bool is_summed = true;
};
std::vector<LightCase> light_cases() {
  std::vector<LightCase> table;
  for (const bool is_summed : {true, false})
    for (const std::uint32_t width : {6u, 8u, 11u, 12u, 16u, 20u, 24u, 27u, 32u})
      table.push_back({(is_summed ? "packed " : "unpack ") + std::to_string(width) + " bits",
                       LIGHT_PACKED, width, is_summed});
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

// A case's values, which repeat, and the column of them.
template <class T> struct LightRows {
  std::vector<T> values;
  std::uint64_t row_count = 0;
  Column column;
  std::uint64_t stored_bytes = 0;
  T at(std::uint64_t row) const { return values[row % values.size()]; }
};

template <class T> Result<LightRows<T>> light_rows(const LightCase& work, std::uint64_t row_count) {
  LightRows<T> rows;
  rows.row_count = row_count;
  rows.values.resize(std::min(row_count, distinct_rows));
  in_parallel(rows.values.size(), min_rows_per_thread,
              [&](std::uint64_t first, std::uint64_t last) {
                for (std::uint64_t row = first; row < last; row++)
                  rows.values[row] = static_cast<T>(light_value(work, row));
              });
  PENSTOCK_ASSIGN(const light::Block block,
                  light::encode(Column::from(rows.values), {1u << work.kind}));
  PENSTOCK_ASSIGN(light::Block whole, repeated_block(block, row_count));
  rows.stored_bytes = whole.bytes().size;
  rows.column = light::light_column(std::move(whole), {});
  return rows;
}

// Half of the values are below the one in the middle of those that row 0 to 998 have.
std::int64_t light_limit(std::span<const std::int64_t> values) {
  const auto sample = values.first(std::min<std::size_t>(values.size(), 999));
  std::vector<std::int64_t> few(sample.begin(), sample.end());
  std::ranges::nth_element(few, few.begin() + static_cast<std::ptrdiff_t>(few.size() / 2));
  return few[few.size() / 2];
}

Result<StepId> sum_below(Plan& plan, const Column& column, std::int64_t limit) {
  StepId step = plan.source(table_source(Table::of({{"v", column}}), "light"));
  Builder builder(plan.step(step).schema);
  PENSTOCK_ASSIGN(const NodeId below, builder.binary(Op::less, builder.column(0u),
                                                     builder.captured(Scalar::of(limit))));
  PENSTOCK_ASSIGN(step, plan.filter(step, builder.graph(), below));
  return plan.reduce(step, builder.graph(), {{Aggregate::sum, builder.column(0u), "sum", nullptr}});
}

// An operation that changes nothing, so that the column is computed by a kernel.
Result<StepId> plain_values(Plan& plan, const Column& column) {
  const StepId step = plan.source(table_source(Table::of({{"v", column}}), "light"));
  Builder builder(plan.step(step).schema);
  PENSTOCK_ASSIGN(const NodeId same, builder.binary(Op::bit_or, builder.column(0u),
                                                    builder.captured(Scalar::of(std::int32_t{0}))));
  return plan.map(step, builder.graph(), {{"v", same}});
}

Status wrong_answer(const LightCase& work) {
  return {Code::internal, work.name + ": the answer is wrong"};
}

Status verify_sum(const LightCase& work, const LightRows<std::int64_t>& rows, std::int64_t limit,
                  const Table& found) {
  const std::uint64_t times = rows.row_count / rows.values.size();
  const std::uint64_t rest = rows.row_count % rows.values.size();
  __int128 sum = 0;
  for (std::uint64_t row = 0; row < rows.values.size(); row++)
    if (rows.values[row] < limit)
      sum += static_cast<__int128>(rows.values[row]) * (times + (row < rest ? 1 : 0));
  const Scalar got = scalar_at(found.columns[0], 0);
  return got.integer == sum || (got.is_null && sum == 0) ? Status() : wrong_answer(work);
}

Status verify_values(const LightCase& work, const LightRows<std::int32_t>& rows,
                     const Table& found) {
  const auto* const values = found.columns[0].values.as<std::int32_t>();
  std::atomic<bool> is_equal = found.row_count == rows.row_count;
  if (!is_equal) return wrong_answer(work);
  in_parallel(rows.row_count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t row = first; row < last; row++)
      if (values[row] != rows.at(row)) is_equal = false;
  });
  return is_equal ? Status() : wrong_answer(work);
}

// Runs a plan, calls verify(table), then times it. `written_bytes` of output are moved, too.
template <class T, class Verify>
Result<Figure> time_plan(const LightCase& work, const BenchOptions& options, const Plan& plan,
                         StepId step, const LightRows<T>& rows, std::uint64_t written_bytes,
                         const Verify& verify) {
  show_progress(work.name, "checking");
  RunOptions run_options;
  run_options.device = options.device;
  run_options.page_decoding = PageDecoding::device;
  PENSTOCK_ASSIGN(const auto prepared, prepare(plan, step, run_options));
  PENSTOCK_TRY(prepared->run_seconds());
  PENSTOCK_ASSIGN(const QueryResult outcome, prepared->fetch());
  PENSTOCK_TRY(verify(outcome.table));
  const auto moved = static_cast<double>(rows.stored_bytes + written_bytes);
  PENSTOCK_ASSIGN(Figure figure, time_runs(work.name, "penstock", moved, options.repeats,
                                           [&] { return prepared->run_seconds(); }));
  figure.output_bytes = static_cast<double>(rows.row_count * sizeof(T));
  figure.stored_bytes = static_cast<double>(rows.stored_bytes);
  return figure;
}

Result<Figure> measure_sum(const LightCase& work, const BenchOptions& options) {
  PENSTOCK_ASSIGN(const auto rows, light_rows<std::int64_t>(work, options.rows));
  const std::int64_t limit = light_limit(rows.values);
  Plan plan;
  PENSTOCK_ASSIGN(const StepId step, sum_below(plan, rows.column, limit));
  return time_plan(work, options, plan, step, rows, 0,
                   [&](const Table& found) { return verify_sum(work, rows, limit, found); });
}

Result<Figure> measure_unpacking(const LightCase& work, const BenchOptions& options) {
  PENSTOCK_ASSIGN(const auto rows, light_rows<std::int32_t>(work, options.rows));
  Plan plan;
  PENSTOCK_ASSIGN(const StepId step, plain_values(plan, rows.column));
  return time_plan(work, options, plan, step, rows, rows.row_count * sizeof(std::int32_t),
                   [&](const Table& found) { return verify_values(work, rows, found); });
}

}  // namespace

Result<Figures> measure_light(const std::shared_ptr<Device>&, const BenchOptions& options) {
  Figures figures;
  for (const LightCase& work : light_cases()) {
    if (!is_selected(options, work.name)) continue;
    show_progress(work.name, "making data");
    PENSTOCK_ASSIGN(Figure figure,
                    work.is_summed ? measure_sum(work, options) : measure_unpacking(work, options));
    figures.push_back(std::move(figure));
  }
  return figures;
}

Action declare_bench_light(Arguments& arguments) {
  auto options = std::make_shared<BenchOptions>();
  std::vector<std::string> names;
  for (const LightCase& work : light_cases()) names.push_back(work.name);
  const std::uint64_t max_rows =
      std::min(machine_memory_bytes() / (6 * sizeof(std::int64_t)), std::uint64_t{1} << 30);
  declare_bench_options(
      arguments, *options,
      {"rows; 48 bytes for each must fit into this machine's memory", max_rows, std::move(names)});
  return [options] { return run_bench(*options, "rows", measure_light); };
}

}  // namespace penstock::bench
