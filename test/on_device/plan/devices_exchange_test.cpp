// Groups and sorted rows that several devices exchange in device memory, against one device that
// passes its groups and rows to the host. A device that is listed n times stands for n.
#include "exec/devices/share_run.hpp"
#include "on_device/plan/several_devices.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

struct RandomRows {
  explicit RandomRows(std::uint64_t rows)
      : source(plan.source(std::make_shared<FixedSchemaSource>(random_table(rows, 23)))) {}
  NodeId column(std::string_view name) { return *b.column(name); }

  Plan plan;
  StepId source;
  Builder b{plan.step(source).schema};
};

// Sums of floats differ by their order, which is the order of shares.
std::vector<AggregateCall> exact_calls(RandomRows& rows) {
  std::vector<AggregateCall> calls = {{Aggregate::count_rows, 0, "rows", nullptr}};
  for (const char* name : {"i8", "u8_null", "i32_null", "i64_null", "d15_2"})
    for (const Aggregate function : {Aggregate::count, Aggregate::sum, Aggregate::average,
                                     Aggregate::minimum, Aggregate::maximum})
      calls.push_back({function, rows.column(name), "x", nullptr});
  for (const char* name : {"f32_null", "f64", "b_null", "date", "u64_null"})
    for (const Aggregate function : {Aggregate::minimum, Aggregate::maximum})
      calls.push_back({function, rows.column(name), "x", nullptr});
  return calls;
}

void expect_exchanged(const Plan& plan, StepId step, bool are_exchanged = true) {
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(plan, step, {.device = id}));
    for (const std::size_t count : {2u, 4u, 8u}) {
      SCOPED_TRACE(count);
      TAKE(const QueryResult several, run(plan, step, rows_on_device(list_of(id, count))));
      expect_equal_rows(several.table, one.table);
      EXPECT_EQ(groups_are_exchanged(several.report), are_exchanged);
    }
  });
}

TEST(DevicesExchange, KeysOfEveryTypeFindTheirRange) {
  for (const std::vector<const char*>& keys :
       std::vector<std::vector<const char*>>{{"i8"},
                                             {"b_null", "i16_null"},
                                             {"i64_null"},
                                             {"u64"},
                                             {"f32_null"},
                                             {"u8", "f64_null"},
                                             {"d15_2"},
                                             {"d18_0_null", "date_null"},
                                             {"moment"}}) {
    SCOPED_TRACE(keys[0]);
    RandomRows rows(3000);
    std::vector<Projection> projections;
    for (const char* key : keys) projections.push_back({key, rows.column(key)});
    TAKE(const StepId grouped,
         rows.plan.group_by(rows.source, rows.b.graph(), projections, exact_calls(rows)));
    expect_exchanged(rows.plan, grouped);
  }
}

// All groups came to the host once, of which ORDER BY ... LIMIT took ten.
TEST(DevicesExchange, OnlyFirstGroupsOfEachRangeComeToTheHost) {
  RandomRows rows(3000);
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(), {{"key", rows.column("i16_null")}},
                          {{Aggregate::sum, rows.column("i32"), "sum", nullptr}}));
  TAKE(const StepId sorted, rows.plan.order_by(grouped, {{1, true, false}, {0, false, false}}));
  TAKE(const StepId first, rows.plan.limit(sorted, 10, 3));
  expect_exchanged(rows.plan, first);
  on_each_device([&](Device& device) {
    const RunOptions options = rows_on_device(list_of(device.traits().id, 4));
    TAKE(const QueryResult all, run(rows.plan, sorted, options));
    TAKE(const QueryResult few, run(rows.plan, first, options));
    EXPECT_LT(few.report.bytes_exchanged, all.report.bytes_exchanged * 9 / 10);
  });
}

TEST(DevicesExchange, StringsAmongTheKeysAreMergedByTheHost) {
  RandomRows rows(3000);
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(),
                          {{"i8", rows.column("i8")}, {"s", rows.column("s")}}, exact_calls(rows)));
  expect_exchanged(rows.plan, grouped, false);
}

TEST(DevicesExchange, ValuesOfDistinctAreAddedUpInTheRangeOfTheirKeys) {
  RandomRows rows(6000);
  const AggregateCall call{Aggregate::count, rows.column("i16_null"), "x", nullptr, false, true};
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(), {{"i8", rows.column("i8_null")}}, {call}));
  expect_exchanged(rows.plan, grouped);
}

// DISTINCT beside other aggregates: two programs; their columns are put side by side.
TEST(DevicesExchange, ProgramsOfOneStepHaveTheSameRowsInTheSameOrder) {
  RandomRows rows(6000);
  std::vector<AggregateCall> calls = exact_calls(rows);
  calls.push_back({Aggregate::count, rows.column("i16_null"), "x", nullptr, false, true});
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(), {{"i8", rows.column("i8_null")}}, calls));
  expect_exchanged(rows.plan, grouped);
}

TEST(DevicesExchange, ExtremesOfStringsAreOneDevices) {
  RandomRows rows(6000);
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(), {{"i8", rows.column("i8_null")}},
                          {{Aggregate::minimum, rows.column("s"), "least", nullptr},
                           {Aggregate::maximum, rows.column("s"), "greatest", nullptr}}));
  expect_exchanged(rows.plan, grouped, false);
}

// Only the last rows pass, so that the first shares have no groups; or none at all.
TEST(DevicesExchange, SharesWithoutGroupsGetTheirRange) {
  for (const std::int64_t from : {3900, 5000}) {
    std::vector<std::int64_t> places(4000), keys(4000);
    for (std::size_t i = 0; i < places.size(); i++) {
      places[i] = static_cast<std::int64_t>(i);
      keys[i] = static_cast<std::int64_t>(i * 2654435761u % 1009) - 500;
    }
    Plan plan;
    const StepId source = plan.source(
        table_source(Table::of({{"place", Column::from(places)}, {"key", Column::from(keys)}})));
    Builder b(plan.step(source).schema);
    TAKE(const NodeId passes,
         b.binary(Op::greater_equal, b.column(0u), b.literal(Scalar::of(from))));
    TAKE(const StepId kept, plan.filter(source, b.graph(), passes));
    TAKE(const StepId grouped, plan.group_by(kept, b.graph(), {{"key", b.column(1u)}},
                                             {{Aggregate::sum, b.column(0u), "sum", nullptr}}));
    expect_exchanged(plan, grouped, from < 4000);
  }
}

// A share sorts on its device from so many rows on.
constexpr std::uint64_t rows_of_three = 3 * plan::min_device_sort_rows + 5000;

// A column of each way to be downloaded: words, bits, flags of NULLs.
Table rows_to_sort() {
  std::vector<std::int32_t> keys(rows_of_three);
  std::vector<std::optional<std::int8_t>> flags(rows_of_three);
  std::vector<std::optional<std::int64_t>> wide(rows_of_three);
  for (std::uint64_t i = 0; i < rows_of_three; i++) {
    keys[i] = static_cast<std::int32_t>(i * 2654435761u % 70'007);
    if (i % 5 != 1) flags[i] = static_cast<std::int8_t>(i % 3);
    if (i % 7 != 2) wide[i] = static_cast<std::int64_t>(i * 31 % 1009) << 33;
  }
  return Table::of(
      {{"key", Column::from(keys)}, {"flag", Column::from(flags)}, {"wide", Column::from(wide)}});
}

void expect_exchanged_rows(const std::vector<SortKey>& keys, bool are_merged) {
  Plan plan;
  const StepId source = plan.source(table_source(rows_to_sort()));
  TAKE(const StepId sorted, plan.order_by(source, keys));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(plan, sorted, {.device = id}));
    TAKE(const QueryResult several, run(plan, sorted, rows_on_device(list_of(id, 3))));
    expect_equal_rows(several.table, one.table);
    EXPECT_GT(several.report.bytes_exchanged, rows_of_three * 14);
    EXPECT_EQ(has_kernel(several.report, "merge_runs"), are_merged);
  });
}

TEST(DevicesExchange, SortedRowsOfAllRangesAreMergedToOneTable) {
  expect_exchanged_rows({{0, false, false}, {2, true, false}}, true);
}

TEST(DevicesExchange, NullsOfTheFirstKeyAreInTheirRange) {
  expect_exchanged_rows({{2, false, true}}, true);
}

TEST(DevicesExchange, RowsOfManyKeysAreSortedAgain) {
  expect_exchanged_rows({{2, true, false}, {0, true, false}, {2, false, true}}, false);
}

struct SortedKeys {
  SortedKeys() {
    std::vector<std::int32_t> keys(rows_of_three);
    for (std::size_t i = 0; i < keys.size(); i++)
      keys[i] = static_cast<std::int32_t>(i * 2654435761u % 100'003);
    const StepId source = plan.source(table_source(Table::of({{"key", Column::from(keys)}})));
    sorted = *plan.order_by(source, {{0, false, false}});
  }
  Plan plan;
  StepId sorted = 0;
};

TEST(DevicesExchange, ADeviceLostAmongGroupsEndsTheRunByItsName) {
  RandomRows rows(3000);
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(), {{"key", rows.column("i16_null")}},
                          {{Aggregate::sum, rows.column("i32"), "sum", nullptr}}));
  expect_an_end(rows.plan, grouped);
}

TEST(DevicesExchange, ADeviceLostAmongSortedRowsEndsTheRunByItsName) {
  SortedKeys sorting;
  expect_an_end(sorting.plan, sorting.sorted);
}

TEST(DevicesExchange, ARefusedAllocationAmongGroupsHoldsNobodyUp) {
  RandomRows rows(3000);
  TAKE(const StepId grouped,
       rows.plan.group_by(rows.source, rows.b.graph(), {{"key", rows.column("i16_null")}},
                          {{Aggregate::sum, rows.column("i32"), "sum", nullptr}}));
  expect_rows_or(Code::no_memory, rows.plan, grouped);
}

TEST(DevicesExchange, ARefusedAllocationAmongSortedRowsHoldsNobodyUp) {
  SortedKeys sorting;
  expect_rows_or(Code::no_memory, sorting.plan, sorting.sorted);
}

// One share looks partners up: there two columns of one value are one accumulator. The other share
// begins with joined rows, as if its device could not keep the table: there they are two.
TEST(DevicesExchange, SharesWithOtherAccumulatorsOfAJoinAreMerged) {
  std::vector<std::optional<std::int64_t>> numbers(2048);
  std::vector<std::int64_t> left_keys, right_keys;
  for (std::uint64_t i = 0; i < numbers.size(); i++) {
    left_keys.push_back(static_cast<std::int64_t>(i % 40));
    if (i % 7 != 2) numbers[i] = static_cast<std::int64_t>(i);
  }
  for (std::int64_t i = 0; i < 40; i++) right_keys.push_back(i);
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
  TAKE(const std::vector<plan::Cut> cuts, plan::find_cuts(plan, {reduced}));
  ASSERT_EQ(cuts.size(), 1u);
  on_each_device([&](Device& device) {
    const RunOptions options{.device = device.traits().id};
    TAKE(const QueryResult one, run(plan, reduced, options));
    TAKE(QueryResult rows, run(plan, joined, options));
    for (Column& column : rows.table.columns) column = column.slice(1024, 1024);
    rows.table.row_count = 1024;
    TAKE(plan::ShareResult first, plan::run_share_of_rows(plan, cuts[0], {0, 1024}, options, {}));
    plan::RunInputs given;
    given.rows[joined] = rows.table;
    TAKE(plan::ShareResult second,
         plan::run_share_of_rows(plan, cuts[0], {1024, 2048}, options, given));
    ASSERT_NE(first.parts[0].base, second.parts[0].base);
    std::vector<plan::SharePart> parts = {first.parts, second.parts};
    for (int turn = 0; turn < 2; turn++, std::swap(parts[0], parts[1])) {
      TAKE(const Table merged, plan::merge_shares(plan, cuts[0], parts));
      expect_equal_rows(merged, one.table);
    }
  });
}

// A device that is lost at any launch: in measuring its bandwidth, as it is of another kind, in its
// share, or in the steps after all shares, which the first device runs.
TEST(DevicesExchange, OthersTakeOverWhereverADeviceIsLost) {
  class OfAnotherKind final : public ForwardingDevice {
   public:
    explicit OfAnotherKind(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
      traits_.name = "of another kind";
    }
  };
  RandomRows rows(2000);
  Window window;
  window.order = {{*find_field(rows.plan.step(rows.source).schema, "i32")}};
  window.calls = {{WindowFunction::rank, 0, WindowFrame::peers, 1, "rank"}};
  TAKE(const NodeId passes, rows.b.unary(Op::is_null, rows.column("i16_null")));
  TAKE(const StepId kept, rows.plan.filter(rows.source, rows.b.graph(), passes));
  TAKE(const StepId ranked, rows.plan.window(kept, window));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const auto opened, open_device(id));
    TAKE(const QueryResult one, run(rows.plan, ranked, {.device = id}));
    RunOptions options;
    options.on_device_failure = OnDeviceFailure::go_on;
    for (int launches = 0; launches < 12; launches++) {
      std::vector<plan::ListedDevice> devices;
      devices.push_back({"failing:0", std::shared_ptr<Device>(
                                          std::make_shared<FailingDevice>(opened, launches))});
      devices.push_back({id, std::shared_ptr<Device>(std::make_shared<OfAnotherKind>(opened))});
      TAKE(const std::vector<QueryResult> several,
           plan::run_on_devices(rows.plan, {ranked}, options, std::move(devices)));
      expect_equal_rows(several[0].table, one.table);
    }
  });
}

// Every device would need that memory again.
TEST(DevicesExchange, HostMemoryThatRunsOutIsNoDevicesFailure) {
  RandomRows rows(2000);
  TAKE(const NodeId passes, rows.b.unary(Op::is_null, rows.column("i16_null")));
  TAKE(const StepId kept, rows.plan.filter(rows.source, rows.b.graph(), passes));
  on_each_device([&](Device& device) {
    RunOptions options{.device = list_of(device.traits().id, 2)};
    options.on_device_failure = OnDeviceFailure::go_on;
    std::atomic<int> calls = 0;
    options.progress = [&](const Progress&) -> bool {
      calls++;
      throw std::bad_alloc();
    };
    const auto outcome = run(rows.plan, kept, options);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.status().code(), Code::no_memory);
    EXPECT_LE(calls, 2) << "the rows were given to another device";
  });
}

}  // namespace
}  // namespace penstock::test
