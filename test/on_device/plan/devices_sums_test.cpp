// Sums that devices keep of their shares of rows and exchange before groups are made of them,
// against one device. A device that is listed n times stands for n.
#include <random>

#include "on_device/plan/first_of_groups.hpp"

namespace penstock::test {
namespace {

constexpr std::size_t rows_of_sums = 120'000;
constexpr const char* partitioned = "group_dense_partitioned";

struct SummedRows {
  // Rows of a key by their number, a second key, and values.
  template <class KeyOf> explicit SummedRows(KeyOf key_of) {
    std::mt19937_64 numbers(71);
    std::vector<std::optional<std::int32_t>> keys(rows_of_sums), y(rows_of_sums);
    std::vector<std::optional<std::int64_t>> wide(rows_of_sums);
    std::vector<std::int64_t> x(rows_of_sums);
    std::vector<double> real(rows_of_sums), halves(rows_of_sums);
    std::vector<std::int8_t> few(rows_of_sums);
    std::vector<std::uint32_t> high(rows_of_sums);
    std::vector<std::optional<std::uint8_t>> flag(rows_of_sums);
    for (std::size_t i = 0; i < rows_of_sums; i++) {
      keys[i] = key_of(i, numbers());
      if (keys[i]) wide[i] = (std::int64_t{1} << 40) - *keys[i];
      x[i] = static_cast<std::int64_t>(numbers());
      if (i % 3 != 0) y[i] = static_cast<std::int32_t>(numbers());
      real[i] = static_cast<double>(x[i]);
      few[i] = static_cast<std::int8_t>(numbers() % 5 - 2);
      high[i] = ~static_cast<std::uint32_t>(numbers() % 9000);
      halves[i] = few[i] / 2.0;
      if (numbers() % 4 != 0) flag[i] = static_cast<std::uint8_t>(numbers() % 2);
    }
    source = plan.source(table_source(Table::of({{"key", Column::from(keys)},
                                                 {"wide", Column::from(wide)},
                                                 {"few", Column::from(few)},
                                                 {"high", Column::from(high)},
                                                 {"flag", Column::from(flag)},
                                                 {"x", Column::from(x)},
                                                 {"y", Column::from(y)},
                                                 {"real", Column::from(real)},
                                                 {"halves", Column::from(halves)}})));
  }
  NodeId column(std::string_view name) { return *b().column(name); }
  Builder& b() {
    if (!builder) builder.emplace(plan.step(source).schema);
    return *builder;
  }
  StepId grouped(std::initializer_list<const char*> keys, std::vector<AggregateCall> calls) {
    std::vector<Projection> projections;
    for (const char* key : keys) projections.push_back({key, column(key)});
    return *plan.group_by(source, b().graph(), projections, calls);
  }
  std::vector<AggregateCall> exact_calls() {
    return {{Aggregate::sum, column("x"), "x", nullptr},
            {Aggregate::average, column("y"), "y", nullptr},
            {Aggregate::minimum, column("y"), "least", nullptr},
            {Aggregate::maximum, column("x"), "most", nullptr},
            {Aggregate::count, column("y"), "values", nullptr},
            {Aggregate::count_rows, 0, "rows", nullptr}};
  }

  Plan plan;
  StepId source;
  std::optional<Builder> builder;
};

std::optional<std::int32_t> anywhere(std::size_t row, std::uint64_t number) {
  if (row % 13 == 5) return std::nullopt;
  return static_cast<std::int32_t>(number % 12'000) - 4000;
}

void expect_sums(const Plan& plan, StepId step, bool are_exchanged = true) {
  on_each_device_of_groups([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(plan, step, {.device = id}));
    for (const std::size_t count : {2u, 3u, 8u}) {
      SCOPED_TRACE(count);
      RunOptions options = rows_on_device(list_of(id, count));
      options.batch_rows = 16'384;
      options.variant = partitioned;
      TAKE(const QueryResult several, run(plan, step, options));
      expect_equal_rows(several.table, one.table);
      EXPECT_EQ(has_kernel(several.report, "group_sums"), are_exchanged);
      if (are_exchanged) { EXPECT_FALSE(has_kernel(several.report, "group_parts")); }
    }
  });
}

// Each share has a layout of its own, by what its rows have.
TEST(DevicesSums, OfKeysThatAllSharesHaveAreAddedUp) {
  SummedRows rows(anywhere);
  expect_sums(rows.plan, rows.grouped({"key"}, rows.exact_calls()));
}

TEST(DevicesSums, OfKeysThatEachShareHasAloneAreItsOwn) {
  SummedRows rows([](std::size_t row, std::uint64_t number) {
    return std::optional(static_cast<std::int32_t>(row / 8 + number % 3) - 6000);
  });
  expect_sums(rows.plan, rows.grouped({"key"}, rows.exact_calls()));
}

TEST(DevicesSums, OfSeveralKeysAreFoundByAllOfThem) {
  SummedRows rows(anywhere);
  expect_sums(rows.plan, rows.grouped({"wide", "few"}, rows.exact_calls()));
  expect_sums(rows.plan, rows.grouped({"high", "flag"}, rows.exact_calls()));
}

// No sum counts rows, so that a limb of its own says which slots have some.
TEST(DevicesSums, OfNullsAloneHaveTheirGroups) {
  SummedRows rows(anywhere);
  expect_sums(rows.plan,
              rows.grouped({"key"}, {{Aggregate::sum, rows.column("y"), "y", nullptr},
                                     {Aggregate::maximum, rows.column("y"), "most", nullptr}}));
}

// The chunks of a share have other keys than those before: it has several tables.
TEST(DevicesSums, OfSeveralTablesOfAShareAreAddedUp) {
  SummedRows rows([](std::size_t row, std::uint64_t number) {
    return std::optional(static_cast<std::int32_t>(number % 5000 + row / 20'000 % 2 * 6000));
  });
  expect_sums(rows.plan, rows.grouped({"key"}, rows.exact_calls()));
}

// Nearly all rows have keys of the first part, the others some.
TEST(DevicesSums, OfPartsWithFewGroupsOrNoneHaveTheirRows) {
  SummedRows rows([](std::size_t row, std::uint64_t number) {
    return std::optional(static_cast<std::int32_t>(row % 1000 == 0 ? 30'000 : number % 5000));
  });
  expect_sums(rows.plan, rows.grouped({"key"}, rows.exact_calls()));
}

// The host would merge so few groups as one part has, while the others wait for its rows in device
// memory. There are two programs, so that a share goes on to the next one.
TEST(DevicesSums, OfProgramsOfWhichOneHasFewGroupsInAPartHoldNobodyUp) {
  SummedRows rows([](std::size_t row, std::uint64_t number) {
    return std::optional(static_cast<std::int32_t>(row % 1000 == 0 ? 12'000 : number % 5000));
  });
  std::vector<AggregateCall> calls = rows.exact_calls();
  calls.push_back({Aggregate::count, rows.column("few"), "different", nullptr, false, true});
  const StepId grouped = rows.grouped({"key"}, calls);
  on_each_device_of_groups([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(rows.plan, grouped, {.device = id}));
    RunOptions options;
    options.variant = partitioned;
    TAKE(const std::vector<QueryResult> several,
         plan::run_on_devices(rows.plan, {grouped}, options, as_gpus(id, 2)));
    expect_equal_rows(several[0].table, one.table);
    EXPECT_TRUE(has_kernel(several[0].report, "group_sums"));
  });
}

TEST(DevicesSums, OfExtremesOfFloatsAreAddedUp) {
  SummedRows rows(anywhere);
  expect_sums(rows.plan,
              rows.grouped({"key"}, {{Aggregate::minimum, rows.column("real"), "r", nullptr},
                                     {Aggregate::count_rows, 0, "rows", nullptr}}));
}

// They have a lowest bit of their own in each chunk. These are exact in any order.
TEST(DevicesSums, OfFloatsAreMergedAsGroups) {
  SummedRows rows(anywhere);
  expect_sums(rows.plan,
              rows.grouped({"key"}, {{Aggregate::sum, rows.column("halves"), "h", nullptr},
                                     {Aggregate::count_rows, 0, "rows", nullptr}}),
              false);
}

// The first key has too few values for parts of them.
TEST(DevicesSums, ByAFirstKeyOfFewValuesAreMergedAsGroups) {
  SummedRows rows(anywhere);
  expect_sums(rows.plan, rows.grouped({"few", "key"}, rows.exact_calls()), false);
}

// A union of far apart keys would be mostly without groups.
TEST(DevicesSums, OfSharesFarApartAreMergedAsGroups) {
  SummedRows rows([](std::size_t row, std::uint64_t number) {
    return std::optional(
        static_cast<std::int32_t>(number % 5000 + row / (rows_of_sums / 2) * 1'000'000));
  });
  expect_sums(rows.plan, rows.grouped({"key"}, rows.exact_calls()), false);
}

TEST(DevicesSums, AreOfGroupsOfWhichTheFirstAreChosen) {
  SummedRows rows(anywhere);
  const StepId grouped = rows.grouped({"key"}, rows.exact_calls());
  TAKE(const StepId sorted, rows.plan.order_by(grouped, {{1, true, false}, {0, false, false}}));
  TAKE(const StepId first, rows.plan.limit(sorted, 10, 3));
  expect_sums(rows.plan, first);
}

TEST(DevicesSums, OfADeviceThatIsLostEndTheRunByItsName) {
  SummedRows rows(anywhere);
  expect_an_end(rows.plan, rows.grouped({"key"}, rows.exact_calls()), partitioned);
}

TEST(DevicesSums, ARefusedAllocationHoldsNobodyUp) {
  SummedRows rows(anywhere);
  const StepId grouped = rows.grouped({"key"}, rows.exact_calls());
  for (const Code code : {Code::no_memory, Code::capacity})
    expect_rows_or(code, rows.plan, grouped, partitioned);
}

}  // namespace
}  // namespace penstock::test
