// A run around its kernels: tables of groups that are too small, many keys, custom functions,
// sources, reports.
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

using Combine = std::function<std::int64_t(std::int64_t, std::int64_t)>;
std::shared_ptr<const CustomReduction> reduction(const char* body, std::int64_t neutral,
                                                 Combine host) {
  auto made = std::make_shared<CustomReduction>();
  made->name = "pick";
  made->type = {Kind::int64};
  made->neutral = Scalar::of(neutral);
  made->body = body;
  made->host = [host](const Scalar& a, const Scalar& b) {
    return Scalar::of(
        host(static_cast<std::int64_t>(a.integer), static_cast<std::int64_t>(b.integer)));
  };
  made->associative = made->commutative = true;
  return made;
}

std::shared_ptr<const CustomFunction> function_of_int32(
    const char* name, const char* body, std::function<std::int32_t(std::int32_t)> host) {
  auto made = std::make_shared<CustomFunction>();
  made->name = name;
  made->parameter_names = {"x"};
  made->parameter_types = {{Kind::int32}};
  made->result_type = {Kind::int32};
  made->body = body;
  made->host = [host](std::span<const Scalar> inputs) {
    return Scalar::of(host(static_cast<std::int32_t>(inputs[0].integer)));
  };
  return made;
}

StepId add_rows(Plan& plan, std::vector<std::int32_t> values) {
  return plan.source(table_source(Table::of({{"x", Column::from(std::move(values))}})));
}

TEST(Custom, ReductionsOfOneNameKeepTheirOwnBodies) {
  Plan plan;
  const StepId rows = plan.source(
      table_source(Table::of({{"x", Column::from(std::vector<std::int64_t>{3, 1, 2, 7, 5})}})));
  Builder b(plan.step(rows).schema);
  const auto most =
      reduction("return a > b ? a : b;", INT64_MIN, [](auto x, auto y) { return std::max(x, y); });
  const auto least =
      reduction("return a < b ? a : b;", INT64_MAX, [](auto x, auto y) { return std::min(x, y); });
  const NodeId x = b.column(0u);
  TAKE(const StepId both,
       plan.reduce(rows, b.graph(),
                   {{Aggregate::custom, x, "most", most}, {Aggregate::custom, x, "least", least}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, both, {.device = device.traits().id}));
    EXPECT_EQ(text_of_row(outcome.table, 0), "7|1|");
  });
}

TEST(Custom, FunctionsWhoseNumberedNamesMeetStayApart) {
  Plan plan;
  const StepId rows = add_rows(plan, {10});
  Builder b(plan.step(rows).schema);
  std::vector<Projection> outputs;
  const std::pair<const char*, int> functions[] = {{"f", 1}, {"f", 2}, {"f_1", 3}, {"0_f", 4}};
  const char* bodies[] = {"return x + 1;", "return x + 2;", "return x + 3;", "return x + 4;"};
  for (std::size_t i = 0; i < 4; i++) {
    const int add = functions[i].second;
    TAKE(const NodeId value, b.custom(function_of_int32(functions[i].first, bodies[i],
                                                        [add](std::int32_t x) { return x + add; }),
                                      {b.column(0u)}));
    outputs.push_back({std::to_string(i), value});
  }
  TAKE(const StepId mapped, plan.map(rows, b.graph(), outputs));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, mapped, {.device = device.traits().id}));
    EXPECT_EQ(text_of_row(outcome.table, 0), "11|12|13|14|");
  });
}

// The body does not end for a row that the filter drops.
TEST(Custom, BodiesAreNotCalledForRowsThatAFilterDropped) {
  Plan plan;
  const StepId rows = add_rows(plan, {4, -3, 16, 0, 1});
  Builder b(plan.step(rows).schema);
  const auto halvings = function_of_int32(
      "halvings", "i32 n = 0; while (x != 1) { x = x > 1 ? x / 2 : x; n++; } return n;",
      [](std::int32_t x) {
        int n = 0;
        for (; x != 1; x /= 2) n++;
        return n;
      });
  TAKE(const NodeId positive, b.binary(Op::greater, b.column(0u), b.captured(Scalar::of(0))));
  TAKE(const NodeId count, b.custom(halvings, {b.column(0u)}));
  TAKE(const NodeId some, b.binary(Op::greater, count, b.captured(Scalar::of(0))));
  TAKE(const StepId kept, plan.filter(rows, b.graph(), positive));
  TAKE(const StepId again, plan.filter(kept, b.graph(), some));
  TAKE(const StepId mapped, plan.map(again, b.graph(), {{"n", count}}));
  TAKE(const StepId total, plan.reduce(again, b.graph(), {{Aggregate::sum, count, "n", nullptr}}));
  TAKE(const StepId grouped, plan.group_by(again, b.graph(), {{"n", count}},
                                           {{Aggregate::count_rows, 0, "rows", nullptr}}));
  for (const StepId step : {mapped, total, grouped})
    on_each_variant(plan, rows, step, [&](const RunOptions& options) {
      TAKE(const QueryResult outcome, run(plan, step, options));
      EXPECT_EQ(text_of_row(outcome.table, 0), step == mapped  ? "2|"
                                               : step == total ? "6|"
                                                               : "2|1|");
    });
}

TEST(GroupBy, KeysBeyondTheSixtyFourthKeepTheirNulls) {
  Plan plan;
  const std::vector<std::optional<std::int32_t>> a = {std::nullopt, 5, std::nullopt, 0};
  const std::vector<std::int32_t> always = {-7, -9, -7, -7};
  const StepId rows =
      plan.source(table_source(Table::of({{"a", Column::from(a)}, {"b", Column::from(always)}})));
  Builder b(plan.step(rows).schema);
  std::vector<Projection> keys(64, {"b", b.column(1u)});
  for (int i = 0; i < 66; i++) keys.push_back({"a", b.column(0u)});
  TAKE(const StepId grouped,
       plan.group_by(rows, b.graph(), keys, {{Aggregate::count_rows, 0, "n", nullptr}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, grouped, {.device = device.traits().id}));
    ASSERT_EQ(outcome.table.row_count, 3u);
    const char* expected[3][3] = {{"-9", "5", "1"}, {"-7", "0", "1"}, {"-7", "NULL", "2"}};
    for (std::uint64_t row = 0; row < 3; row++)
      for (std::size_t c = 0; c < 131; c++)
        ASSERT_EQ(text_of(scalar_at(outcome.table.columns[c], row)), expected[row][c < 64    ? 0
                                                                                   : c < 130 ? 1
                                                                                             : 2])
            << row << " " << c;
  });
}

// Three chunks are in flight when the first finds its tables too small, and theirs are as small.
TEST(GroupBy, ChunksThatOverflowTogetherWidenTheTablesOnce) {
  constexpr std::int32_t row_count = 200'000;
  constexpr std::uint64_t batch_rows = 32'768;
  std::vector<std::int32_t> values(row_count);
  std::iota(values.begin(), values.end(), 0);
  Plan plan;
  const StepId rows = add_rows(plan, values);
  Builder b(plan.step(rows).schema);
  TAKE(const StepId grouped, plan.group_by(rows, b.graph(), {{"x", b.column(0u)}}, {}));
  on_each_device_of_groups([&](Device& device) {
    std::vector<std::uint64_t> slots;
    RunOptions options;
    options.device = device.traits().id;
    options.batch_rows = batch_rows;
    // A CPU's own tables grow within the kernel.
    if (device.traits().wants_single_thread_groups()) options.variant = "group_dense_partitioned";
    options.on_source = [&](std::string_view text) {
      const std::string_view define = "#define PIPELINE_SLOTS ";
      slots.push_back(std::stoull(std::string(text.substr(text.find(define) + define.size(), 12))));
    };
    TAKE(const QueryResult outcome, run(plan, grouped, options));
    EXPECT_EQ(outcome.table.row_count, static_cast<std::uint64_t>(row_count));
    EXPECT_LE(slots.size(), 6u) << "each chunk tried again by itself";
    for (std::size_t i = 1; i < slots.size(); i++)
      EXPECT_NE(slots[i - 1], slots[i]) << "the same attempt again";
    EXPECT_GT(outcome.report.kernels[0].launches, outcome.report.chunks)
        << "nothing overflowed: the test shows nothing";
  });
}

// With no more device memory than a quarter of the table takes.
TEST(Execution, ATableOfFourTimesTheMemoryLimitIsAnswered) {
  constexpr std::int32_t row_count = 2'000'000;
  std::vector<std::int32_t> values(row_count);
  std::iota(values.begin(), values.end(), 0);
  Plan plan;
  const StepId rows = add_rows(plan, values);
  Builder b(plan.step(rows).schema);
  TAKE(const NodeId upper,
       b.binary(Op::greater_equal, b.column(0u), b.captured(Scalar::of(row_count - 1000))));
  TAKE(const StepId kept, plan.filter(rows, b.graph(), upper));
  TAKE(const StepId total,
       plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
  on_each_device([&](Device& device) {
    RunOptions options;
    options.device = device.traits().id;
    options.memory_limit_bytes = sizeof(std::int32_t) * row_count / 4;
    TAKE(const QueryResult sum, run(plan, total, options));
    EXPECT_GT(sum.report.chunks, 12u) << "three chunks in flight of a fourth part each";
    EXPECT_TRUE(scalar_at(sum.table.columns[0], 0).integer ==
                Int128{row_count} * (row_count - 1) / 2);
    TAKE(const QueryResult filtered, run(plan, kept, options));
    ASSERT_EQ(filtered.table.row_count, 1000u);
    EXPECT_EQ(scalar_at(filtered.table.columns[0], 999).integer, Int128{row_count - 1});
  });
}

// Yields one batch that says it has more rows than a kernel can number.
class HugeSource : public TableSource {
 public:
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return std::uint64_t{5} << 30; }
  std::string describe() const override { return "huge"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t>,
                                            const ScanOptions& options) const override {
    EXPECT_LE(options.batch_rows, std::uint64_t{1} << 31);
    struct Stream : BatchStream {
      Result<std::optional<Table>> next() override {
        Column column;
        column.type = {Kind::int8};
        column.row_count = std::uint64_t{5} << 30;
        return std::optional<Table>(Table::of({{"x", column}}));
      }
    };
    return std::unique_ptr<BatchStream>(std::make_unique<Stream>());
  }

 private:
  Schema schema_ = {{"x", {Kind::int8}, false}};
};

TEST(Execution, ABatchOfMoreRowsThanAKernelNumbersIsRefused) {
  Plan plan;
  const StepId rows = plan.source(std::make_shared<HugeSource>());
  Builder b(plan.step(rows).schema);
  TAKE(const StepId count,
       plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
  on_each_device([&](Device& device) {
    const auto outcome =
        run(plan, count, {.device = device.traits().id, .batch_rows = std::uint64_t{1} << 40});
    ASSERT_FALSE(outcome.ok());
    const std::string text = outcome.status().text();
    EXPECT_NE(text.find("a batch of 5368709120 rows; a kernel takes 2147483648 at most"),
              std::string::npos)
        << text;
  });
}

class OneShotSource : public TableSource {
 public:
  explicit OneShotSource(Table table) : inner_(table_source(std::move(table))) {}
  const Schema& schema() const override { return inner_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return std::nullopt; }
  bool can_be_scanned_again() const override { return false; }
  std::string describe() const override { return "stream"; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions&) const override {
    if (scanned_) return Status(Code::invalid, "scanned already");
    scanned_ = true;
    return inner_->scan(columns, {.batch_rows = 128});
  }

 private:
  std::shared_ptr<TableSource> inner_;
  mutable bool scanned_ = false;
};

TEST(Execution, AStreamThatIsReadOnceServesTwoResults) {
  const Table table =
      Table::of({{"x", Column::from(std::vector<std::optional<std::int32_t>>(1000, 3))},
                 {"s", Column::from_strings(std::vector<std::string>(1000, "text"))}});
  Plan plan;
  const StepId rows = plan.source(std::make_shared<OneShotSource>(table));
  Builder b(plan.step(rows).schema);
  TAKE(const StepId sum,
       plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
  TAKE(const StepId groups, plan.group_by(rows, b.graph(), {{"s", b.column(1u)}},
                                          {{Aggregate::count_rows, 0, "n", nullptr}}));
  TAKE(const std::vector<QueryResult> both, run(plan, std::vector<StepId>{sum, groups}, {}));
  EXPECT_EQ(text_of_row(both[0].table, 0), "3000|");
  EXPECT_EQ(text_of_row(both[1].table, 0), "text|1000|");
}

// More columns than one kernel's parameters: the step is computed by several, each of which reads
// the source.
TEST(Execution, AStreamThatIsReadOnceServesAWideResult) {
  Plan plan;
  const StepId rows = plan.source(std::make_shared<OneShotSource>(
      Table::of({{"x", Column::from(std::vector<std::int32_t>(300, 3))}})));
  Builder b(plan.step(rows).schema);
  std::vector<Projection> outputs;
  for (int i = 0; i < 100; i++) {
    TAKE(const NodeId sum, b.binary(Op::add, b.column(0u), b.captured(Scalar::of(i))));
    outputs.push_back({std::to_string(i), sum});
  }
  TAKE(const StepId mapped, plan.map(rows, b.graph(), outputs));
  TAKE(const QueryResult outcome, run(plan, mapped, {}));
  ASSERT_EQ(outcome.table.columns.size(), 100u);
  for (std::size_t i = 0; i < 100; i++)
    EXPECT_EQ(text_of(scalar_at(outcome.table.columns[i], 299)), std::to_string(i + 3));
}

TEST(Reports, EachKernelCountsItsOwnLaunchesAndBytes) {
  Plan plan;
  std::vector<std::optional<std::int32_t>> values(10000, 1);
  for (std::size_t i = 0; i < 10000; i += 2) values[i] = std::nullopt;
  const StepId rows = plan.source(table_source(Table::of({{"x", Column::from(values)}})));
  Builder b(plan.step(rows).schema);
  TAKE(const NodeId none, b.unary(Op::is_null, b.column(0u)));
  TAKE(const StepId kept, plan.filter(rows, b.graph(), none));
  TAKE(const StepId sum,
       plan.reduce(kept, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
  TAKE(const StepId count,
       plan.reduce(kept, b.graph(), {{Aggregate::count_rows, 0, "n", nullptr}}));
  on_each_variant(plan, rows, kept, [&](const RunOptions& filter_options) {
    TAKE(const QueryResult alone, run(plan, kept,
                                      {.device = filter_options.device,
                                       .batch_rows = 3200,
                                       .variant = filter_options.variant}));
    const KernelReport& filter = alone.report.kernels[0];
    EXPECT_EQ(filter.launches, 4u);
    const std::uint64_t read = 10000 * 4 + 1250, written = 5000 * (4 + 1);
    const std::uint64_t reads = filter.variant == "compact_count_scan_write" ? 2 : 1,
                        writes = filter.variant == "compact_tile_private" ? 3 : 1;
    EXPECT_EQ(filter.bytes_moved, reads * read + writes * written) << filter.variant;
    TAKE(const std::vector<QueryResult> both,
         run(plan, std::vector<StepId>{sum, count},
             {.device = filter_options.device, .batch_rows = 3200}));
    EXPECT_EQ(both[0].report.kernels[1].launches, 2u);
    EXPECT_EQ(both[0].report.kernels[1].bytes_moved, 5000u * 4 + 3200 / 8 + (1800 + 7) / 8);
    EXPECT_EQ(both[1].report.kernels[0].bytes_moved, 0u) << "count(*) reads no column";
  });
}

TEST(Explain, ASharedNodeIsVisitedOnce) {
  Plan plan;
  const StepId rows =
      plan.source(table_source(Table::of({{"x", Column::from(std::vector<double>{1})}})));
  Builder b(plan.step(rows).schema);
  NodeId y = b.column(0u);
  for (int i = 0; i < 64; i++) { TAKE(y, b.binary(Op::add, y, y)); }
  TAKE(const StepId mapped, plan.map(rows, b.graph(), {{"y", y}}));
  TAKE(const std::string text, explain(plan, mapped, {}));
  EXPECT_NE(text.find("16 fused"), std::string::npos) << text;
}

TEST(Explain, RowsAndBytesAreWrittenAsARunsReportWritesThem) {
  Plan plan;
  const StepId rows =
      plan.source(table_source(Table::of({{"x", Column::from(std::vector<double>(1 << 20))}})));
  Builder b(plan.step(rows).schema);
  TAKE(const StepId sum,
       plan.reduce(rows, b.graph(), {{Aggregate::sum, b.column(0u), "s", nullptr}}));
  TAKE(const std::string text, explain(plan, sum, {}));
  EXPECT_NE(text.find("(1,048,576 rows: 8.00 MiB, 8.00 MiB)"), std::string::npos) << text;
}

}  // namespace
}  // namespace penstock::test
