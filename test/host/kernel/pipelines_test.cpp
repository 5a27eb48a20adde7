// Generated pipelines on the host executor: every skeleton but the CUDA-only ones, under
// sanitizers, races and barriers checked, with several chunks and tails, against plain loops.
#include <gtest/gtest.h>

#include <map>

#include "exec/collect/run_tiles.hpp"
#include "kernel_c/host_device.hpp"
#include "penstock/expression.hpp"
#include "take.hpp"

namespace penstock::plan {
namespace {

struct Row {
  std::optional<std::int32_t> key;
  std::int64_t x;
  double y;
  bool flag;
};

std::vector<Row> make_rows(std::size_t count) {
  std::vector<Row> rows(count);
  std::uint32_t state = 7;
  const auto next = [&] { return state = state * 1664525u + 1013904223u, state >> 8; };
  for (Row& row : rows) {
    if (next() % 9 != 0) row.key = static_cast<std::int32_t>(next() % 5) - 2;
    row.x = static_cast<std::int64_t>(next() % 1000) - 500;
    row.y = static_cast<double>(next() % 4096) / 8;  // sums of these are exact in any order
    row.flag = next() % 2 == 0;
  }
  return rows;
}

Table table_of(const std::vector<Row>& rows) {
  std::vector<Scalar> keys, xs, ys, flags;
  for (const Row& row : rows) {
    keys.push_back(row.key ? Scalar::of(*row.key) : Scalar::null_of({Kind::int32}));
    xs.push_back(Scalar::of(Type{Kind::int64}, Int128{row.x}));
    ys.push_back(Scalar::of(row.y));
    flags.push_back(Scalar::of(Type{Kind::boolean}, Int128{row.flag}));
  }
  return Table::of({{"key", column_of({Kind::int32}, keys)},
                    {"x", column_of({Kind::int64}, xs)},
                    {"y", column_of({Kind::float64}, ys)},
                    {"flag", column_of({Kind::boolean}, flags)}});
}

class Pipelines : public ::testing::TestWithParam<kernel::HostDeviceOptions> {
 protected:
  static constexpr std::size_t row_count = 1000;
  const std::vector<Row> rows_ = make_rows(row_count);
  const Table table_ = table_of(rows_);
  Plan plan_;
  const StepId source_ = plan_.source(table_source(table_));
  Builder builder_{table_.schema()};
  const NodeId key_ = builder_.column(0), x_ = builder_.column(1), y_ = builder_.column(2),
               flag_ = builder_.column(3);

  // flag AND x > -100
  NodeId predicate() {
    const NodeId above = *builder_.binary(
        Op::greater, x_, builder_.captured(Scalar::of(Type{Kind::int64}, Int128{-100})));
    return *builder_.binary(Op::and_, flag_, above);
  }
  static bool passes(const Row& row) { return row.flag && row.x > -100; }

  Result<Table> run(StepId last, std::string_view variant, std::uint64_t batch_rows = 448) {
    PENSTOCK_ASSIGN(const TileProgram program, fuse(plan_, source_, last));
    RunOptions options;
    options.batch_rows = batch_rows;
    options.variant = variant;
    StringPool strings;
    RunReport report;
    RunContext run{kernel::make_host_device(GetParam()), &options, &strings, &report};
    return run_tiles(run, program, *plan_.step(source_).source);
  }
  void expect_kept_rows(const Table& result) const;
  std::string_view variant(std::string_view on_gpu, std::string_view on_cpu) const {
    return GetParam().is_cpu ? on_cpu : on_gpu;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, Pipelines,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled, 16},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}),
    [](const auto& instance) {
      return instance.param.is_cpu              ? "Cpu"
             : instance.param.subgroup_size > 0 ? "GpuWithSubgroups"
                                                : "Gpu";
    });

TEST_P(Pipelines, FilterAndMapKeepTheOrder) {
  TAKE(const StepId kept, plan_.filter(source_, builder_.graph(), predicate()));
  const NodeId sum = *builder_.binary(Op::add, x_, x_);
  TAKE(const StepId mapped, plan_.map(kept, builder_.graph(),
                                      {{"key", key_}, {"sum", sum}, {"y", y_}, {"flag", flag_}}));
  for (const std::string_view name :
       GetParam().is_cpu
           ? std::vector<std::string_view>{"compact_tile_private"}
           : std::vector<std::string_view>{"compact_count_scan_write", "compact_one_pass"}) {
    SCOPED_TRACE(name);
    TAKE(const Table result, run(mapped, name));
    expect_kept_rows(result);
  }
}

// The rows that pass, as key, 2 * x, y and flag.
void Pipelines::expect_kept_rows(const Table& result) const {
  std::size_t at = 0;
  for (const Row& row : rows_) {
    if (!passes(row)) continue;
    ASSERT_LT(at, result.row_count);
    EXPECT_EQ(scalar_at(result.columns[0], at).is_null, !row.key.has_value()) << at;
    if (row.key) {
      EXPECT_EQ(static_cast<std::int32_t>(scalar_at(result.columns[0], at).integer), *row.key)
          << at;
    }
    EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[1], at).integer), 2 * row.x) << at;
    EXPECT_EQ(scalar_at(result.columns[2], at).real, row.y) << at;
    at++;
  }
  EXPECT_EQ(result.row_count, at);
}

// Rows 0, 1, 2... of which the odd ones or all are kept, by groups of the host executor.
enum class Kept { odd_rows, all_rows };
class OnePass : public ::testing::Test {
 protected:
  static constexpr std::uint32_t threads = 32, tile_rows = threads * 4, tiles = 40;
  std::vector<std::int32_t> rows_ = std::vector<std::int32_t>((tiles - 1) * tile_rows + 17);
  std::vector<std::int32_t> out_ = std::vector<std::int32_t>(rows_.size(), -1);
  std::vector<std::uint64_t> kept_count_{0};

  void keep(Kept which, bool in_turn, std::uint32_t next_ticket, std::uint32_t groups) {
    for (std::size_t i = 0; i < rows_.size(); i++) rows_[i] = static_cast<std::int32_t>(i);
    Plan plan;
    const StepId source = plan.source(table_source(Table::of({{"x", Column::from(rows_)}})));
    Builder builder(plan.step(source).schema);
    const bool is_all = which == Kept::all_rows;
    const NodeId bits = *builder.binary(is_all ? Op::bit_or : Op::bit_and, builder.column(0u),
                                        builder.captured(Scalar::of(1)));
    const NodeId passes = *builder.binary(is_all ? Op::greater_equal : Op::equal, bits,
                                          builder.captured(Scalar::of(1)));
    TAKE(const StepId kept, plan.filter(source, builder.graph(), passes));
    TAKE(const TileProgram program, fuse(plan, source, kept));
    Policy policy;
    policy.group_size = threads, policy.vectors = 1, policy.tile_rows = tile_rows,
    policy.compact.depth = 2, policy.compact.window = 1, policy.compact.in_turn = in_turn;
    TAKE(const PipelineSource text,
         emit_pipeline(program, "compact_lanes compact_scan compact_waiting compact_one_pass",
                       policy, Target::host));
    TAKE(const kernel::HostProgram compiled, kernel::HostProgram::build(text.text, {threads, {}}));
    run(compiled, program, next_ticket, groups);
  }
  // Rows of the first tile are left out where nobody has its ticket.
  void expect_odd_rows(std::size_t first) const {
    EXPECT_EQ(kept_count_[0], rows_.size() / 2);
    for (std::size_t i = 0; i < rows_.size() / 2; i++)
      ASSERT_EQ(out_[i], i < first ? -1 : static_cast<std::int32_t>(2 * i + 1)) << i;
  }
  void expect_all_rows() const {
    EXPECT_EQ(kept_count_[0], rows_.size());
    EXPECT_EQ(out_, rows_);
  }

 private:
  void run(const kernel::HostProgram& compiled, const TileProgram& program,
           std::uint32_t next_ticket, std::uint32_t groups) {
    std::vector<std::uint32_t> tile_counts(tiles + 1, 0), first_fault{~0u};
    tile_counts[tiles] = next_ticket;
    std::vector<kernel::HostArgument> arguments = {kernel::HostArgument::buffer(rows_)};
    for (std::size_t i = 0; i < program.graph->parameters.size(); i++)
      arguments.push_back(kernel::HostArgument::value(std::int32_t{1}));
    for (const auto& buffer :
         {kernel::HostArgument::buffer(out_), kernel::HostArgument::buffer(tile_counts),
          kernel::HostArgument::buffer(kept_count_), kernel::HostArgument::buffer(first_fault),
          kernel::HostArgument::value(std::uint64_t{rows_.size()})})
      arguments.push_back(buffer);
    const Status ran =
        compiled.run("pipeline_one_pass", groups, arguments, kernel::ThreadOrder::shuffled);
    ASSERT_TRUE(ran.ok()) << ran.text();
  }
};

// A group that took the first ticket and never ran again: the others count its tile themselves, and
// put theirs in their places.
TEST_F(OnePass, AGroupThatNeverRunsHoldsNobodyUp) {
  keep(Kept::odd_rows, false, 1, 2);
  expect_odd_rows(tile_rows / 2);
}

// Groups that take tiles in turn, one after the other: the first finds the counts of the tiles of
// all others itself. More tiles wait than there are entries.
TEST_F(OnePass, GroupsInTurnFindTheCountsOfGroupsThatAreLate) {
  keep(Kept::odd_rows, true, 0, 3);
  expect_odd_rows(0);
}

// The place of the next tile is the end of the stage, where no row may be put.
TEST_F(OnePass, FullTilesGoRoundTheStage) {
  keep(Kept::all_rows, true, 0, 3);
  expect_all_rows();
}

// key -> square, of -2 to 1; a lookup behind a filter, its column filtered and stored: out of
// bounds would be a row that is not found.
class Lookups : public Pipelines {
 protected:
  const Table squares_ =
      Table::of({{"key", Column::from(std::vector<std::int32_t>{-2, -1, 0, 1})},
                 {"square", Column::from(std::vector<std::int64_t>{4, 1, 0, 1})}});
  BuildSides sides_;

  Result<StepId> joined(JoinKind kind) {
    PENSTOCK_ASSIGN(const StepId kept, plan_.filter(source_, builder_.graph(), predicate()));
    return plan_.join(kept, plan_.source(table_source(squares_)), kind, {{0, 0}});
  }
  Result<Table> run_joined(StepId join, StepId last, std::string_view variant) {
    StringPool strings;
    BuildSide side;
    side.rows = squares_;
    PENSTOCK_ASSIGN(side.table, JoinTable::build(std::span(squares_.columns).first(1), strings));
    sides_[join] = std::make_shared<const BuildSide>(std::move(side));
    PENSTOCK_ASSIGN(const TileProgram program, fuse(plan_, source_, last));
    RunOptions options;
    options.batch_rows = 448;
    options.variant = variant;
    RunReport report;
    RunContext run{kernel::make_host_device(GetParam()), &options, &strings, &report};
    run.sides = &sides_;
    return run_tiles(run, program, *plan_.step(source_).source);
  }
  static std::optional<std::int64_t> square_of(const Row& row) {
    if (!row.key || *row.key > 1) return std::nullopt;
    return std::int64_t{*row.key} * *row.key;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Devices, Lookups,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(Lookups, RowsThatAreFoundAreKeptWithWhatWasFound) {
  TAKE(const StepId join, joined(JoinKind::inner));
  for (const std::string_view name : {"compact_one_pass", "compact_count_scan_write"}) {
    TAKE(const Table result, run_joined(join, join, variant(name, "compact_tile_private")));
    std::uint64_t at = 0;
    for (const Row& row : rows_) {
      if (!passes(row) || !square_of(row)) continue;
      ASSERT_LT(at, result.row_count);
      EXPECT_EQ(scalar_at(result.columns[1], at).integer, row.x);
      EXPECT_EQ(scalar_at(result.columns[5], at++).integer, *square_of(row));
    }
    EXPECT_EQ(at, result.row_count);
  }
}

TEST_P(Lookups, GroupsAreOfWhatWasFoundAndOfNothing) {
  TAKE(const StepId join, joined(JoinKind::left));
  Builder b(plan_.step(join).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::count_rows, 0, "n", nullptr}};
  TAKE(const StepId groups, plan_.group_by(join, b.graph(), {{"square", b.column(5)}}, calls));
  std::map<std::int64_t, std::int64_t> wanted;
  for (const Row& row : rows_)
    if (passes(row)) wanted[square_of(row).value_or(99)]++;
  TAKE(const Table result, run_joined(join, groups, variant("group", "group_cpu")));
  ASSERT_EQ(result.row_count, wanted.size());
  std::uint64_t at = 0;
  for (const auto& [square, count] : wanted)
    EXPECT_EQ(scalar_at(result.columns[1], at++).integer, count) << square;
}

TEST_P(Pipelines, MapWithoutFilterStoresEveryRow) {
  const NodeId half = *builder_.binary(Op::multiply, y_, builder_.captured(Scalar::of(0.5)));
  TAKE(const StepId mapped,
       plan_.map(source_, builder_.graph(), {{"half", half}, {"flag", flag_}}));
  TAKE(const Table result, run(mapped, "store"));
  ASSERT_EQ(result.row_count, row_count);
  for (std::size_t i = 0; i < row_count; i++) {
    ASSERT_EQ(scalar_at(result.columns[0], i).real, rows_[i].y / 2) << i;
    ASSERT_EQ(result.columns[1].boolean(i), rows_[i].flag) << i;
  }
}

TEST_P(Pipelines, ReduceAddsCountsAndComparesEveryKeptRow) {
  TAKE(const StepId kept, plan_.filter(source_, builder_.graph(), predicate()));
  TAKE(const StepId total, plan_.reduce(kept, builder_.graph(),
                                        {{Aggregate::sum, x_, "sum", {}},
                                         {Aggregate::minimum, y_, "low", {}},
                                         {Aggregate::maximum, x_, "high", {}},
                                         {Aggregate::count, key_, "keys", {}},
                                         {Aggregate::sum, y_, "sum_y", {}},
                                         {Aggregate::count_rows, 0, "rows", {}}}));
  TAKE(const Table result, run(total, variant("reduce", "reduce_cpu")));
  std::int64_t sum = 0, high = INT64_MIN, keys = 0, count = 0;
  double low = 1e300, sum_y = 0;
  for (const Row& row : rows_) {
    if (!passes(row)) continue;
    sum += row.x, sum_y += row.y, high = std::max(high, row.x), low = std::min(low, row.y),
                                  keys += row.key.has_value(), count++;
  }
  ASSERT_EQ(result.row_count, 1u);
  EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[0], 0).integer), sum);
  EXPECT_EQ(scalar_at(result.columns[1], 0).real, low);
  EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[2], 0).integer), high);
  EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[3], 0).integer), keys);
  EXPECT_EQ(scalar_at(result.columns[4], 0).real, sum_y);
  EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[5], 0).integer), count);
}

TEST_P(Pipelines, GroupsAddUpTheirOwnRows) {
  TAKE(const StepId kept, plan_.filter(source_, builder_.graph(), predicate()));
  TAKE(const StepId groups,
       plan_.group_by(kept, builder_.graph(), {{"key", key_}},
                      {{Aggregate::sum, x_, "sum", {}}, {Aggregate::count_rows, 0, "rows", {}}}));
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> expected;  // NULL: past every key
  for (const Row& row : rows_) {
    if (!passes(row)) continue;
    auto& [sum, count] = expected[row.key ? *row.key : 1000];
    sum += row.x, count++;
  }
  const std::vector<std::string_view> on_gpu = {"group", "group_local"}, on_cpu = {"group_cpu"};
  for (const std::string_view name : GetParam().is_cpu ? on_cpu : on_gpu) {
    SCOPED_TRACE(name);
    TAKE(const Table result, run(groups, name));
    ASSERT_EQ(result.row_count, expected.size());
    for (std::size_t i = 0; i < expected.size(); i++) {
      const Scalar key = scalar_at(result.columns[0], i);
      const auto& [sum, count] =
          expected.at(key.is_null ? 1000 : static_cast<std::int64_t>(key.integer));
      EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[1], i).integer), sum) << i;
      EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[2], i).integer), count) << i;
    }
  }
}

// Yields its one column in batches of memory that the scan's options give, as a decoding source
// does.
class DecodingSource final : public TableSource {
 public:
  explicit DecodingSource(std::uint64_t row_count) : row_count_(row_count) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return row_count_; }
  std::string describe() const override { return "decoded"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions& options) const override {
    return std::unique_ptr<BatchStream>(std::make_unique<Stream>(row_count_, options, blocks));
  }
  mutable std::uint64_t blocks = 0;  // that the options gave

 private:
  class Stream final : public BatchStream {
   public:
    Stream(std::uint64_t rows, const ScanOptions& options, std::uint64_t& blocks)
        : rows_(rows), options_(options), blocks_(blocks) {}
    Result<std::optional<Table>> next() override {
      if (at_ == rows_) return std::optional<Table>();
      Column column;
      column.type = {Kind::int64};
      column.row_count = std::min(options_.batch_rows, rows_ - at_);
      auto memory = options_.memory ? options_.memory(column.row_count * 8) : nullptr;
      blocks_ += memory != nullptr;
      if (!memory)
        memory = {new std::byte[column.row_count * 8], std::default_delete<std::byte[]>()};
      for (std::uint64_t i = 0; i < column.row_count; i++)
        reinterpret_cast<std::int64_t*>(memory.get())[i] = static_cast<std::int64_t>(at_ + i);
      at_ += column.row_count;
      column.values = {memory, memory.get(), column.row_count * 8};
      Table table = Table::of({{"x", column}});
      return std::optional<Table>(std::move(table));
    }

   private:
    const std::uint64_t rows_;
    const ScanOptions options_;
    std::uint64_t& blocks_;
    std::uint64_t at_ = 0;
  };
  Schema schema_ = {{"x", {Kind::int64}, false}};
  std::uint64_t row_count_;
};

TEST_P(Pipelines, WhatIsDecodedIntoPinnedMemoryArrivesWhole) {
  const auto source = std::make_shared<DecodingSource>(5000);
  Plan plan;
  const StepId rows = plan.source(source);
  Builder builder(source->schema());
  TAKE(const StepId total,
       plan.reduce(rows, builder.graph(), {{Aggregate::sum, builder.column(0), "sum", {}}}));
  TAKE(const TileProgram program, fuse(plan, rows, total));
  RunOptions options;
  options.batch_rows = 640;
  StringPool strings;
  RunReport report;
  RunContext run{kernel::make_host_device(GetParam()), &options, &strings, &report};
  TAKE(const Table result, run_tiles(run, program, *source));
  EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[0], 0).integer), 5000 * 4999 / 2);
  EXPECT_EQ(source->blocks, 8u);  // of 640 rows, all of them pinned
}

// More scalars than a kernel has parameters: each must reach its own place of the buffer they are
// packed into, NULLs among them.
TEST_P(Pipelines, ManyScalarsOfManyTypesArriveEachInItsPlace) {
  const NodeId whole = builder_.literal(Scalar::null_of({Kind::int64}));
  NodeId x = x_, y = y_, flag = flag_;
  std::int64_t added = 0;
  for (int i = 1; i <= 30; i++) {
    x = *builder_.binary(Op::add, x,
                         builder_.captured(Scalar::of(
                             Type{Kind::int64}, Int128{i % 2 == 0 ? i : -1000000000000 * i})));
    y = *builder_.binary(Op::add, y, builder_.captured(Scalar::of(-i / 8.0)));
    flag = *builder_.binary(
        Op::and_, flag,
        *builder_.binary(Op::not_equal, x_,
                         builder_.captured(Scalar::of(Type{Kind::int16}, Int128{-i}))));
    added += i % 2 == 0 ? i : -1000000000000 * i;
  }
  TAKE(const StepId mapped,
       plan_.map(source_, builder_.graph(),
                 {{"x", x},
                  {"y", y},
                  {"flag", flag},
                  {"none", *builder_.variadic(Op::coalesce, {whole, whole})}}));
  TAKE(const Table result, run(mapped, "store"));
  ASSERT_EQ(result.row_count, row_count);
  for (std::size_t i = 0; i < row_count; i++) {
    ASSERT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[0], i).integer),
              rows_[i].x + added)
        << i;
    ASSERT_EQ(scalar_at(result.columns[1], i).real, rows_[i].y - 30 * 31 / 2 / 8.0) << i;
    ASSERT_EQ(result.columns[2].boolean(i), rows_[i].flag && !(rows_[i].x < 0 && rows_[i].x >= -30))
        << i;
    ASSERT_TRUE(scalar_at(result.columns[3], i).is_null) << i;
  }
}

// The body divides by what the filter keeps away from zero; a sanitizer ends the run if it is
// called for another row.
TEST_P(Pipelines, CustomBodiesSeeRowsThatPassedAlone) {
  auto function = std::make_shared<CustomFunction>();
  function->name = "parts";
  function->parameter_names = {"x"};
  function->parameter_types = {{Kind::int64}};
  function->result_type = {Kind::int64};
  function->body = "return 1000 / x;";
  const NodeId zero = builder_.captured(Scalar::of(Type{Kind::int64}, Int128{0}));
  const NodeId digit =
      *builder_.binary(Op::modulo, x_, builder_.captured(Scalar::of(Type{Kind::int64}, Int128{4})));
  const NodeId parts = *builder_.custom(function, {digit});
  TAKE(const StepId kept,
       plan_.filter(source_, builder_.graph(), *builder_.binary(Op::not_equal, digit, zero)));
  TAKE(const StepId mapped, plan_.map(kept, builder_.graph(), {{"parts", parts}}));
  TAKE(const StepId total,
       plan_.reduce(kept, builder_.graph(), {{Aggregate::sum, parts, "sum", {}}}));
  TAKE(const StepId groups, plan_.group_by(kept, builder_.graph(), {{"parts", parts}},
                                           {{Aggregate::count_rows, 0, "rows", {}}}));
  std::int64_t sum = 0, count = 0;
  for (const Row& row : rows_)
    if (row.x % 4 != 0) sum += 1000 / (row.x % 4), count++;
  TAKE(const Table rows, run(mapped, variant("compact_count_scan_write", "compact_tile_private")));
  EXPECT_EQ(static_cast<std::int64_t>(rows.row_count), count);
  TAKE(const Table reduced, run(total, variant("reduce", "reduce_cpu")));
  EXPECT_EQ(static_cast<std::int64_t>(scalar_at(reduced.columns[0], 0).integer), sum);
  TAKE(const Table grouped, run(groups, variant("group", "group_cpu")));
  EXPECT_EQ(grouped.row_count, 6u);
}

TEST_P(Pipelines, AnOverflowIsTheFaultOfTheRowThatHasIt) {
  const NodeId big = builder_.captured(Scalar::of(Type{Kind::int64}, Int128{INT64_MAX - 400}));
  const NodeId sum = *builder_.binary(Op::add, x_, big);
  TAKE(const StepId mapped, plan_.map(source_, builder_.graph(), {{"sum", sum}}));
  EXPECT_EQ(run(mapped, "store").status().code(), Code::overflow);
}

}  // namespace
}  // namespace penstock::plan
