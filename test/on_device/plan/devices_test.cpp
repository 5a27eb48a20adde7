// Runs on several devices: a device that is listed n times has n shares, each with queues of its
// own, so that any device stands for several.
#include "exec/devices/cuts.hpp"
#include "on_device/plan/several_devices.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t row_count = 9001;

// Steps over a table of every type; numbers small enough that no sum overflows.
struct Steps {
  Plan plan;
  StepId rows = plan.source(std::make_shared<FixedSchemaSource>(random_table(row_count, 7)));
  Builder b{plan.step(rows).schema};

  NodeId column(std::string_view name) {
    return b.column(*find_field(plan.step(rows).schema, name));
  }
  Result<StepId> kept() {
    PENSTOCK_ASSIGN(const NodeId is_null, b.unary(Op::is_null, column("i16_null")));
    PENSTOCK_ASSIGN(const NodeId passes, b.unary(Op::not_, is_null));
    return plan.filter(rows, b.graph(), passes);
  }
  std::vector<AggregateCall> calls() {
    return {{Aggregate::count_rows, 0, "rows", nullptr},
            {Aggregate::count, column("u8_null"), "counted", nullptr},
            {Aggregate::sum, column("i32"), "sum", nullptr},
            {Aggregate::sum, column("i64_null"), "wide_sum", nullptr},
            {Aggregate::average, column("d15_2"), "average", nullptr},
            {Aggregate::minimum, column("f32"), "least", nullptr},
            {Aggregate::maximum, column("f64_null"), "greatest", nullptr},
            {Aggregate::minimum, column("s"), "least_text", nullptr},
            {Aggregate::maximum, column("s"), "greatest_text", nullptr},
            {Aggregate::count, column("i8"), "distinct", nullptr, false, true}};
  }
};

// Runs a step on one device and on it as 2, 4 and 8 devices.
void expect_same_on_several(const Plan& plan, StepId step) {
  TAKE(const std::vector<plan::Cut> cuts, plan::find_cuts(plan, {step}));
  ASSERT_FALSE(cuts.empty());
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(plan, step, {.device = id}));
    for (const std::size_t count : {2u, 4u, 8u}) {
      SCOPED_TRACE(count);
      TAKE(const QueryResult several, run(plan, step, {.device = list_of(id, count)}));
      expect_equal_rows(several.table, one.table);
      EXPECT_EQ(several.report.shares.size(), count);
      EXPECT_EQ(several.report.rows_read, one.report.rows_read);
    }
  });
}

TEST(Devices, ReducedSharesAreOneDevicesResult) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  TAKE(const StepId reduced, steps.plan.reduce(kept, steps.b.graph(), steps.calls()));
  expect_same_on_several(steps.plan, reduced);
}

TEST(Devices, GroupsOfSharesAreOneDevicesGroups) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  TAKE(const StepId grouped,
       steps.plan.group_by(kept, steps.b.graph(),
                           {{"s", steps.column("s")}, {"u8_null", steps.column("u8_null")}},
                           steps.calls()));
  expect_same_on_several(steps.plan, grouped);
}

TEST(Devices, KeysOfEveryTypeFindTheirGroup) {
  for (const char* const key :
       {"i8", "i16_null", "i64_null", "u64", "f32_null", "f64_null", "d15_2", "d18_0_null", "s"}) {
    SCOPED_TRACE(key);
    Steps steps;
    TAKE(const StepId grouped,
         steps.plan.group_by(steps.rows, steps.b.graph(), {{"key", steps.column(key)}},
                             {{Aggregate::count_rows, 0, "rows", nullptr}}));
    expect_same_on_several(steps.plan, grouped);
  }
}

TEST(Devices, FilteredRowsKeepTheirOrder) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  expect_same_on_several(steps.plan, kept);
}

TEST(Devices, SortedSharesAreMergedAndEqualRowsKeepTheirOrder) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  const Schema& schema = steps.plan.step(kept).schema;
  TAKE(const StepId sorted, steps.plan.order_by(kept, {{*find_field(schema, "s"), true, true},
                                                       {*find_field(schema, "u8_null")}}));
  expect_same_on_several(steps.plan, sorted);
  TAKE(const StepId first, steps.plan.limit(sorted, 100, 20));
  expect_same_on_several(steps.plan, first);
}

// Rows that stay in device memory are exchanged there. Enough of them for every share to sort its
// own on the device, with NULLs, equal keys in all shares, and one key that half of the rows have.
TEST(Devices, ExchangedRowsAreMergedAsOneDeviceSortsThem) {
  constexpr std::uint64_t rows = 1'200'000;
  std::vector<std::optional<std::int32_t>> keys(rows);
  std::vector<std::int64_t> places(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    const std::uint64_t mixed = i * 2654435761u % 100'003;
    if (mixed % 10 != 3) keys[i] = mixed % 2 == 0 ? 7 : static_cast<std::int32_t>(mixed) - 50'000;
    places[i] = static_cast<std::int64_t>(i);
  }
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"key", Column::from(keys)}, {"place", Column::from(places)}})));
  for (const SortKey& key : {SortKey{0, false, true}, SortKey{0, true, false}}) {
    TAKE(const StepId sorted, plan.order_by(source, {key}));
    on_each_device([&](Device& device) {
      const std::string id = device.traits().id;
      RunOptions options{.device = id};
      options.intermediate_rows = IntermediateRows::device;
      TAKE(const QueryResult one, run(plan, sorted, options));
      options.device = list_of(id, 4);
      TAKE(const QueryResult several, run(plan, sorted, options));
      ASSERT_EQ(several.table.row_count, rows);
      for (std::uint64_t row = 0; row < rows; row++)
        ASSERT_EQ(several.table.columns[1].values.as<std::int64_t>()[row],
                  one.table.columns[1].values.as<std::int64_t>()[row])
            << "row " << row;
      EXPECT_TRUE(has_kernel(several.report, "merge_runs")) << "each has a range of all shares";
    });
  }
}

TEST(Devices, WindowsSeeTheRowsOfAllShares) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  const Schema& schema = steps.plan.step(kept).schema;
  Window window;
  window.partition = {*find_field(schema, "s")};
  window.order = {{*find_field(schema, "i32")}};
  window.calls = {{WindowFunction::rank, 0, WindowFrame::peers, 1, "rank"}};
  TAKE(const StepId ranked, steps.plan.window(kept, window));
  expect_same_on_several(steps.plan, ranked);
}

// The right side is an aggregate, which is a cut of its own.
TEST(Devices, JoinsFindTheirPartnersInEveryShare) {
  Steps steps;
  TAKE(const StepId right,
       steps.plan.group_by(steps.rows, steps.b.graph(), {{"key", steps.column("u8_null")}},
                           {{Aggregate::count_rows, 0, "rows", nullptr}}));
  const StepId left =
      steps.plan.source(std::make_shared<FixedSchemaSource>(random_table(5000, 11)));
  const std::uint32_t key = *find_field(steps.plan.step(left).schema, "u8_null");
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::anti}) {
    TAKE(const StepId joined, steps.plan.join(left, right, kind, {{key, 0}}));
    TAKE(const std::vector<plan::Cut> cuts, plan::find_cuts(steps.plan, {joined}));
    EXPECT_EQ(cuts.size(), 2u);
    on_each_device([&](Device& device) {
      const std::string id = device.traits().id;
      TAKE(const QueryResult one, run(steps.plan, joined, {.device = id}));
      TAKE(const QueryResult several, run(steps.plan, joined, {.device = list_of(id, 4)}));
      expect_equal_rows(several.table, one.table);
    });
  }
}

// Two columns of one value are two accumulators if a share aggregates pairs that are in memory, and
// one if its program begins with the source.
TEST(Devices, AggregatesOfPairsAreMergedByTheProgramThatMadeThem) {
  std::vector<std::optional<std::int64_t>> numbers(2000);
  std::vector<std::int64_t> left_keys, right_keys;
  for (std::uint64_t i = 0; i < numbers.size(); i++) {
    left_keys.push_back(static_cast<std::int64_t>(i % 40));
    if (i % 7 != 2) numbers[i] = static_cast<std::int64_t>(i);
  }
  for (std::int64_t i = 0; i < 90; i++) right_keys.push_back(i % 30);
  Plan plan;
  const StepId left = plan.source(
      table_source(Table::of({{"n", Column::from(numbers)}, {"key", Column::from(left_keys)}})));
  const StepId right = plan.source(table_source(Table::of({{"key", Column::from(right_keys)}})));
  Builder b(plan.step(left).schema);
  TAKE(
      const StepId mapped,
      plan.map(left, b.graph(), {{"p", b.column(0u)}, {"q", b.column(0u)}, {"key", b.column(1u)}}));
  TAKE(const StepId joined, plan.join(mapped, right, JoinKind::inner, {{2, 0}}));
  Builder sums(plan.step(joined).schema);
  TAKE(const StepId reduced, plan.reduce(joined, sums.graph(),
                                         {{Aggregate::sum, sums.column(0u), "p", nullptr},
                                          {Aggregate::sum, sums.column(1u), "q", nullptr},
                                          {Aggregate::count_rows, 0, "rows", nullptr}}));
  on_each_device([&](Device& device) {
    RunOptions options{.device = device.traits().id};
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult one, run(plan, reduced, options));
    options.device = list_of(device.traits().id, 4);
    TAKE(const QueryResult several, run(plan, reduced, options));
    expect_equal_rows(several.table, one.table);
    EXPECT_TRUE(std::ranges::any_of(several.report.kernels, [](const KernelReport& kernel) {
      return kernel.name == "join_pairs";
    }));
  });
}

TEST(Devices, FewerRowsThanDevicesAreAllRead) {
  for (const std::uint64_t rows : {1u, 63u, 65u, 200u}) {
    Plan plan;
    std::vector<std::int64_t> values(rows);
    for (std::uint64_t i = 0; i < rows; i++) values[i] = static_cast<std::int64_t>(i);
    const StepId source = plan.source(table_source(Table::of({{"x", Column::from(values)}})));
    Builder b(plan.step(source).schema);
    TAKE(const StepId total,
         plan.reduce(source, b.graph(), {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
    on_each_device([&](Device& device) {
      TAKE(const QueryResult outcome, run(plan, total, {.device = list_of(device.traits().id, 8)}));
      EXPECT_EQ(scalar_at(outcome.table.columns[0], 0).integer,
                static_cast<Int128>(rows * (rows - 1) / 2));
      EXPECT_EQ(outcome.report.rows_read, rows);
    });
  }
}

// A sort of one share was downloaded and merged by the host, which took thirty times as long.
TEST(Devices, RowsThatAreOneShareAreOneDevicesRun) {
  std::vector<std::int64_t> values(50);
  for (std::size_t i = 0; i < values.size(); i++)
    values[i] = static_cast<std::int64_t>(i * 37 % 50);
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"x", Column::from(values)}})));
  TAKE(const StepId sorted, plan.order_by(source, {{0, false, false}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, sorted, {.device = list_of(device.traits().id, 3)}));
    EXPECT_TRUE(outcome.report.shares.empty());
    ASSERT_FALSE(outcome.report.notes.empty());
    EXPECT_EQ(outcome.report.notes[0], "one device ran all: no rows could be split");
    ASSERT_EQ(outcome.table.row_count, values.size());
    for (std::uint64_t row = 0; row < values.size(); row++)
      EXPECT_EQ(outcome.table.columns[0].values.as<std::int64_t>()[row],
                static_cast<std::int64_t>(row));
  });
}

TEST(Devices, AFailingDeviceEndsTheRunByItsName) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  on_each_device([&](Device& device) {
    const auto outcome = plan::run_on_devices(steps.plan, {kept}, {.batch_rows = 64},
                                              three_of_which_one_fails(device.traits().id, 3));
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.status().code(), Code::device_lost);
    EXPECT_NE(outcome.status().text().find("on failing:0"), std::string::npos)
        << outcome.status().text();
  });
}

TEST(Devices, OthersTakeOverTheRowsOfAFailingDeviceInOrder) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  TAKE(const StepId reduced, steps.plan.reduce(kept, steps.b.graph(), steps.calls()));
  for (const StepId step : {kept, reduced})
    on_each_device([&](Device& device) {
      const std::string id = device.traits().id;
      TAKE(const QueryResult one, run(steps.plan, step, {.device = id}));
      RunOptions options;
      options.batch_rows = 64;
      options.on_device_failure = OnDeviceFailure::go_on;
      TAKE(const std::vector<QueryResult> several,
           plan::run_on_devices(steps.plan, {step}, options, three_of_which_one_fails(id, 3)));
      expect_equal_rows(several[0].table, one.table);
      const std::string notes = several[0].report.notes.empty() ? "" : several[0].report.notes[0];
      EXPECT_NE(notes.find("took over the rows of failing:0"), std::string::npos) << notes;
    });
}

TEST(Devices, AllDevicesFailingIsAnErrorEvenWhereOthersTakeOver) {
  Steps steps;
  TAKE(const StepId kept, steps.kept());
  on_each_device([&](Device& device) {
    RunOptions options;
    options.on_device_failure = OnDeviceFailure::go_on;
    TAKE(const auto opened, open_device(device.traits().id));
    std::vector<plan::ListedDevice> devices;
    for (int i = 0; i < 2; i++)
      devices.push_back({"failing:" + std::to_string(i),
                         std::shared_ptr<Device>(std::make_shared<FailingDevice>(opened, 0))});
    const auto outcome = plan::run_on_devices(steps.plan, {kept}, options, std::move(devices));
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.status().code(), Code::device_lost);
  });
}

// The error of a query is the first error in the order of rows, and names no device.
TEST(Devices, AFaultIsTheOneOfTheFirstShare) {
  Plan plan;
  std::vector<std::int64_t> values(1000, 1);
  values[100] = values[900] = INT64_MAX;
  const StepId rows = plan.source(table_source(Table::of({{"x", Column::from(values)}})));
  Builder b(plan.step(rows).schema);
  TAKE(const NodeId next, b.binary(Op::add, b.column(0u), b.column(0u)));
  TAKE(const StepId mapped, plan.map(rows, b.graph(), {{"y", next}}));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    const auto one = run(plan, mapped, {.device = id});
    const auto several = run(plan, mapped, {.device = list_of(id, 4)});
    ASSERT_FALSE(one.ok());
    ASSERT_FALSE(several.ok());
    EXPECT_EQ(several.status().text(), one.status().text());
  });
}

}  // namespace
}  // namespace penstock::test
