// Right sides of joins that several devices read in shares and put together in the memory of each,
// against one device that reads all of them.
#include <atomic>

#include "on_device/plan/several_devices.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

bool has_note(const RunReport& report, std::string_view text) {
  return std::ranges::any_of(
      report.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

// Orders of customers: each order's key is its place; keys of customers repeat.
struct Orders {
  explicit Orders(std::uint64_t rows = 4000) {
    std::vector<std::int64_t> order(rows), customer(rows);
    std::vector<std::optional<std::int32_t>> price(rows);
    for (std::uint64_t i = 0; i < rows; i++) {
      order[i] = static_cast<std::int64_t>(i);
      customer[i] = static_cast<std::int64_t>(i * 2654435761u % 501);
      if (i % 11 != 4) price[i] = static_cast<std::int32_t>(i % 1000);
    }
    orders = plan.source(table_source(Table::of({{"order", Column::from(order)},
                                                 {"customer", Column::from(customer)},
                                                 {"price", Column::from(price)}})));
    std::vector<std::int64_t> lines(3 * rows);
    for (std::uint64_t i = 0; i < lines.size(); i++)
      lines[i] = static_cast<std::int64_t>(i * 40503u % (rows + 500));
    items = plan.source(table_source(Table::of({{"line", Column::from(lines)}})));
  }
  StepId where(StepId from, Op op, std::uint32_t column, std::int64_t value) {
    Builder b(plan.step(from).schema);
    const NodeId passes = *b.binary(op, b.column(column), b.literal(Scalar::of(value)));
    return *plan.filter(from, b.graph(), passes);
  }

  Plan plan;
  StepId orders = 0, items = 0;
};

// Rows that are read in shares are counted once, other rows by every device.
void expect_read_in_shares(const Plan& plan, StepId step, bool are_read_in_shares = true) {
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(plan, step, {.device = id}));
    for (const std::size_t count : {2u, 8u}) {
      SCOPED_TRACE(count);
      TAKE(const QueryResult several, run(plan, step, rows_on_device(list_of(id, count))));
      expect_equal_rows(several.table, one.table);
      EXPECT_EQ(several.report.rows_read == one.report.rows_read, are_read_in_shares);
    }
  });
}

TEST(DevicesRightSides, EveryKindOfJoinFindsPartnersInTheSharesOfOthers) {
  for (const JoinKind kind :
       {JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti, JoinKind::not_in}) {
    SCOPED_TRACE(name_of(kind));
    Orders of;
    const StepId right = of.where(of.orders, Op::less, 1, 250);
    TAKE(const StepId joined, of.plan.join(of.items, right, kind, {{0, 0}}));
    expect_read_in_shares(of.plan, joined);
  }
}

TEST(DevicesRightSides, RightSidesOfRightSidesAreReadInSharesToo) {
  Orders of;
  std::vector<std::int64_t> customers(501);
  for (std::size_t i = 0; i < customers.size(); i++)
    customers[i] = static_cast<std::int64_t>((i * 7) % 501);
  const StepId people =
      of.plan.source(table_source(Table::of({{"customer", Column::from(customers)}})));
  const StepId some = of.where(people, Op::less, 0, 300);
  TAKE(const StepId theirs, of.plan.join(of.orders, some, JoinKind::semi, {{1, 0}}));
  TAKE(const StepId joined, of.plan.join(of.items, theirs, JoinKind::inner, {{0, 0}}));
  Builder b(of.plan.step(joined).schema);
  TAKE(const StepId grouped,
       of.plan.group_by(joined, b.graph(), {{"customer", *b.column("customer")}},
                        {{Aggregate::sum, *b.column("price"), "price", nullptr}}));
  expect_read_in_shares(of.plan, grouped);
}

// The last rows alone pass, so that first shares have none; or no row at all does.
TEST(DevicesRightSides, SharesWithoutRowsAreNoLessPutTogether) {
  for (const std::int64_t from : {3900, 5000}) {
    SCOPED_TRACE(from);
    Orders of;
    const StepId right = of.where(of.orders, Op::greater_equal, 0, from);
    for (const JoinKind kind : {JoinKind::left, JoinKind::anti}) {
      TAKE(const StepId joined, of.plan.join(of.items, right, kind, {{0, 0}}));
      expect_read_in_shares(of.plan, joined);
    }
  }
}

// No share sees a key twice.
TEST(DevicesRightSides, KeysThatRepeatInOtherSharesMakePairs) {
  std::vector<std::int64_t> keys(1024);
  std::vector<std::int32_t> values(keys.size());
  for (std::size_t i = 0; i < keys.size(); i++) {
    keys[i] = static_cast<std::int64_t>(i % 128);
    values[i] = static_cast<std::int32_t>(i);
  }
  Orders of;
  const StepId right = of.plan.source(
      table_source(Table::of({{"key", Column::from(keys)}, {"value", Column::from(values)}})));
  TAKE(const StepId joined, of.plan.join(of.items, right, JoinKind::inner, {{0, 0}}));
  Builder b(of.plan.step(joined).schema);
  TAKE(const StepId sum, of.plan.reduce(joined, b.graph(),
                                        {{Aggregate::sum, *b.column("value"), "sum", nullptr},
                                         {Aggregate::count_rows, 0, "rows", nullptr}}));
  expect_read_in_shares(of.plan, sum);
}

TEST(DevicesRightSides, ANullInOneShareLeavesNotInWithoutRows) {
  std::vector<std::optional<std::int64_t>> keys(1024);
  for (std::size_t i = 0; i < keys.size(); i++)
    if (i != 1000) keys[i] = static_cast<std::int64_t>(i);
  Orders of;
  const StepId right = of.plan.source(table_source(Table::of({{"key", Column::from(keys)}})));
  TAKE(const StepId joined, of.plan.join(of.items, right, JoinKind::not_in, {{0, 0}}));
  expect_read_in_shares(of.plan, joined);
}

TEST(DevicesRightSides, StringsAreReadWholeByEveryDevice) {
  Orders of;
  std::vector<std::string> names(4000);
  std::vector<std::int64_t> keys(names.size());
  for (std::size_t i = 0; i < names.size(); i++) {
    names[i] = "name " + std::to_string(i % 37);
    keys[i] = static_cast<std::int64_t>(i);
  }
  const StepId right = of.plan.source(table_source(
      Table::of({{"key", Column::from(keys)}, {"name", Column::from_strings(names)}})));
  TAKE(const StepId joined, of.plan.join(of.items, right, JoinKind::inner, {{0, 0}}));
  expect_read_in_shares(of.plan, joined, false);
}

StepId sums_of_joined(Orders& of) {
  const StepId right = of.where(of.orders, Op::less, 1, 250);
  const StepId joined = *of.plan.join(of.items, right, JoinKind::inner, {{0, 0}});
  Builder b(of.plan.step(joined).schema);
  return *of.plan.reduce(joined, b.graph(),
                         {{Aggregate::sum, *b.column("price"), "sum", nullptr},
                          {Aggregate::count_rows, 0, "rows", nullptr}});
}

// Memory for the share of a device is not enough for the shares of all.
TEST(DevicesRightSides, RowsThatDoNotFitAreReadWholeByEveryDevice) {
  Orders of(300'000);
  const StepId sums = sums_of_joined(of);
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(of.plan, sums, {.device = id}));
    bool were_read_whole = false, were_read_in_shares = false;
    for (std::uint64_t limit = 1 << 20; limit <= 128 << 20; limit *= 2) {
      SCOPED_TRACE(limit);
      RunOptions options = rows_on_device(list_of(id, 4));
      options.memory_limit_bytes = limit;
      options.batch_rows = 1 << 14;
      TAKE(const QueryResult several, run(of.plan, sums, options));
      expect_equal_rows(several.table, one.table);
      const bool is_read_once = several.report.rows_read == one.report.rows_read;
      EXPECT_NE(is_read_once, has_note(several.report, "begun anew"));
      (is_read_once ? were_read_in_shares : were_read_whole) = true;
    }
    EXPECT_TRUE(were_read_whole);
    EXPECT_TRUE(were_read_in_shares);
  });
}

TEST(DevicesRightSides, ADeviceLostAtAnyLaunchEndsTheRunByItsName) {
  Orders of;
  const StepId sums = sums_of_joined(of);
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    int launches = 0;
    for (; launches < 60; launches++) {
      const auto outcome = plan::run_on_devices(of.plan, {sums}, rows_on_device(id),
                                                three_of_which_one_fails(id, launches));
      if (outcome.ok()) break;
      EXPECT_EQ(outcome.status().code(), Code::device_lost) << outcome.status().text();
      EXPECT_NE(outcome.status().text().find("failing:0"), std::string::npos);
    }
    EXPECT_GT(launches, 3);
  });
}

TEST(DevicesRightSides, ARefusedAllocationHoldsNobodyUp) {
  Orders of;
  const StepId sums = sums_of_joined(of);
  expect_rows_or(Code::no_memory, of.plan, sums);
}

// As if the rows of all shares exceed the largest allocation, and the rows of one share do not.
TEST(DevicesRightSides, AnAllocationThatIsTooLargeForADeviceHoldsNobodyUp) {
  Orders of;
  const StepId sums = sums_of_joined(of);
  expect_rows_or(Code::capacity, of.plan, sums);
}

// The first result is rows that the join's right side begins with. They are whole on every device.
TEST(DevicesRightSides, RowsOfAnEarlierCutAreTakenOnce) {
  Orders of;
  const StepId kept = of.where(of.orders, Op::less, 0, 1000);
  const StepId right = of.where(kept, Op::greater, 0, 10);
  TAKE(const StepId joined, of.plan.join(of.items, right, JoinKind::inner, {{0, 0}}));
  Builder b(of.plan.step(joined).schema);
  TAKE(const StepId sum,
       of.plan.reduce(joined, b.graph(), {{Aggregate::count_rows, 0, "rows", nullptr}}));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const std::vector<QueryResult> one, run(of.plan, {kept, sum}, RunOptions{.device = id}));
    TAKE(const std::vector<QueryResult> several,
         run(of.plan, {kept, sum}, rows_on_device(list_of(id, 3))));
    for (std::size_t i = 0; i < one.size(); i++) expect_equal_rows(several[i].table, one[i].table);
  });
}

TEST(DevicesRightSides, GroupsAreAskedForWithoutBeginningAnew) {
  Orders of;
  Builder b(of.plan.step(of.orders).schema);
  TAKE(const StepId grouped, of.plan.group_by(of.orders, b.graph(), {{"customer", b.column(1u)}},
                                              {{Aggregate::count_rows, 0, "rows", nullptr}}));
  TAKE(const StepId joined, of.plan.join(of.items, grouped, JoinKind::inner, {{0, 0}}));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(of.plan, joined, {.device = id}));
    TAKE(const QueryResult several, run(of.plan, joined, rows_on_device(list_of(id, 2))));
    expect_equal_rows(several.table, one.table);
    EXPECT_FALSE(has_note(several.report, "begun anew"));
  });
}

// Rows that are equal by the second order keep the first one.
TEST(DevicesRightSides, OrdersOfOrdersAreRunAsWithoutShares) {
  Orders of;
  TAKE(const StepId joined, of.plan.join(of.items, of.orders, JoinKind::inner, {{0, 0}}));
  TAKE(const StepId by_line, of.plan.order_by(joined, {{0, false, false}}));
  TAKE(const StepId by_customer, of.plan.order_by(by_line, {{2, false, false}}));
  expect_read_in_shares(of.plan, by_customer);
}

// Every device has the same right side. Its rows were exchanged as if each had a part of them: the
// first device had all of them twice, the others none.
TEST(DevicesRightSides, TheOrderOfARightSideIsNotExchanged) {
  Orders of(2 * plan::min_device_sort_rows + 9000);
  TAKE(const StepId by_price, of.plan.order_by(of.orders, {{2, true, false}}));
  TAKE(const StepId dearest, of.plan.limit(by_price, plan::min_device_sort_rows + 5000));
  TAKE(const StepId theirs, of.plan.join(of.items, dearest, JoinKind::semi, {{0, 0}}));
  TAKE(const StepId by_line, of.plan.order_by(theirs, {{0, false, false}}));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(of.plan, by_line, {.device = id}));
    EXPECT_GT(one.table.row_count, 2 * plan::min_device_sort_rows);
    for (const std::size_t count : {2u, 3u}) {
      TAKE(const QueryResult several, run(of.plan, by_line, rows_on_device(list_of(id, count))));
      expect_equal_rows(several.table, one.table);
    }
  });
}

// A callback that says so once: a run that began anew would go on.
TEST(DevicesRightSides, ACancelledRunIsNotBegunAnew) {
  Orders of;
  TAKE(const StepId joined, of.plan.join(of.items, of.orders, JoinKind::inner, {{0, 0}}));
  on_each_device([&](Device& device) {
    for (const int last : {1, 5}) {
      RunOptions options = rows_on_device(list_of(device.traits().id, 2));
      options.batch_rows = 512;
      std::atomic<int> calls = 0;
      options.progress = [&](const Progress&) { return ++calls != last; };
      const auto outcome = run(of.plan, joined, options);
      EXPECT_EQ(outcome.status().code(), Code::cancelled) << outcome.status().text();
    }
  });
}

}  // namespace
}  // namespace penstock::test
