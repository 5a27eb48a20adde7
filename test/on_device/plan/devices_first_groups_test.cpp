// The first groups of several devices by an order, with ties of groups of different ranges, and
// with empty ranges.
#include <cmath>
#include <limits>

#include "on_device/plan/first_of_groups.hpp"

namespace penstock::test {
namespace {

TEST(DevicesFirstGroups, TiedInAllRangesAreThoseOfOneDevice) {
  FirstOfGroups groups(rows_of_groups(36'000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("same"), "sum", nullptr},
                         {Aggregate::count_rows, 0, "rows", nullptr}});
  for (const SortKey& key : {SortKey{1, true, false}, SortKey{1, false, true}, SortKey{2}})
    for (const std::uint64_t count : {1u, 17u, 2999u, 36'000u, 36'001u})
      expect_first(groups.plan, groups.first({key}, count, count > 17 ? 0 : 3), true);
}

// The tie at the limit has groups before and after each bound of ranges.
TEST(DevicesFirstGroups, TiedAtTheLimitAreThoseOfOneDevice) {
  std::vector<std::int64_t> key, x;
  for (std::int64_t row = 0; row < 72'000; row++) {
    key.push_back(row * 7919 % 36'000);
    x.push_back(key.back() % 7000 == 5 ? 9 : key.back() % 2 == 0 ? 5 : 1);
  }
  FirstOfGroups groups(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}}));
  groups.group({"key"}, {{Aggregate::maximum, groups.column("x"), "greatest", nullptr},
                         {Aggregate::average, groups.column("x"), "average", nullptr}});
  for (const std::uint32_t by : {1u, 2u}) {
    expect_first(groups.plan, groups.first({{by, true, false}}, 20), true);
    expect_first(groups.plan, groups.first({{by, true, false}, {0, true, false}}, 20), true);
  }
}

TEST(DevicesFirstGroups, TiedNullsOfAnAggregateAreThoseOfOneDevice) {
  FirstOfGroups groups(rows_of_groups(36'000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
  for (const bool nulls_first : {true, false})
    for (const bool descending : {true, false})
      for (const std::uint64_t count : {20u, 2500u})
        expect_first(groups.plan, groups.first({{1, descending, nulls_first}}, count), true);
}

TEST(DevicesFirstGroups, ByDistinctValuesAndAveragesAreThoseOfOneDevice) {
  FirstOfGroups groups(random_table(40'000, 43));
  for (const Aggregate function : {Aggregate::count, Aggregate::sum, Aggregate::average}) {
    groups.group({"i16_null"},
                 {{function, groups.column("i8"), "of distinct", nullptr, false, true}});
    for (const bool descending : {true, false})
      expect_first(groups.plan, groups.first({{1, descending, descending}, {0}}, 11, 2), true);
  }
  groups.group({"i16_null"},
               {{Aggregate::average, groups.column("i64_null"), "average", nullptr},
                {Aggregate::average, groups.column("d15_2"), "of decimals", nullptr}});
  for (const std::uint32_t by : {1u, 2u})
    expect_first(groups.plan, groups.first({{by, true, false}, {0}}, 11), true);
}

// 64 bits do not tell these averages apart: the device keeps more of them than are asked for.
TEST(DevicesFirstGroups, ByAveragesSideBySideAreThoseOfOneDevice) {
  std::vector<std::int64_t> key, x;
  for (std::int64_t row = 0; row < 72'000; row++) {
    key.push_back(row % 24'000);
    x.push_back((std::int64_t{1} << 53) + row % 24'000 % 13 + row / 24'000);
  }
  FirstOfGroups groups(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}}));
  groups.group({"key"}, {{Aggregate::average, groups.column("x"), "average", nullptr}});
  for (const bool descending : {true, false})
    expect_first(groups.plan, groups.first({{1, descending, false}, {0}}, 25), true);
}

TEST(DevicesFirstGroups, ByFloatKeysWithNanZeroesAndNullsAreThoseOfOneDevice) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<std::optional<double>> key;
  std::vector<float> narrow;
  std::vector<std::int64_t> x;
  const std::vector<std::optional<double>> odd = {
      std::nan(""), -std::nan("1"), 0.0, -0.0, infinite, -infinite, std::nullopt, 5e-324, -5e-324};
  for (std::uint64_t row = 0; row < 18'000; row++) {
    const std::uint64_t group = row * 7919 % 6000;
    key.push_back(group < odd.size() ? odd[group] : static_cast<double>(group) - 3000.5);
    narrow.push_back(static_cast<float>(key.back().value_or(1)));
    x.push_back(static_cast<std::int64_t>(group % 77));
  }
  FirstOfGroups groups(Table::of(
      {{"key", Column::from(key)}, {"narrow", Column::from(narrow)}, {"x", Column::from(x)}}));
  for (const char* const name : {"key", "narrow"}) {
    groups.group({name}, {{Aggregate::sum, groups.column("x"), "sum", nullptr},
                          {Aggregate::maximum, groups.column("key"), "greatest", nullptr}});
    expect_first(groups.plan, groups.grouped, true);
    for (const std::uint32_t by : {0u, 1u, 2u})
      for (const bool descending : {true, false})
        expect_first(groups.plan, groups.first({{by, descending, !descending}}, 14), true);
  }
}

TEST(DevicesFirstGroups, OfOneRowAndOfFewerRowsThanDevicesAreAllThereAre) {
  for (const std::uint64_t rows : {1u, 2u, 65u, 129u}) {
    SCOPED_TRACE(rows);
    Table table = rows_of_groups(rows);
    for (Column& column : table.columns) column = column.slice(0, rows);
    table.row_count = rows;
    FirstOfGroups groups(table);
    groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr}});
    expect_first(groups.plan, groups.first({{1, true, false}}, 3));
    expect_first(groups.plan, groups.first({{1, true, false}}, 0));
  }
}

// Only the last rows pass: the first shares have no groups, and choose among groups of their range.
TEST(DevicesFirstGroups, OfSharesWithoutGroupsAreChosenInTheirRange) {
  std::vector<std::int64_t> places(40'000), keys(40'000);
  for (std::size_t i = 0; i < places.size(); i++) {
    places[i] = static_cast<std::int64_t>(i);
    keys[i] = static_cast<std::int64_t>(i * 2654435761u % 30'011);
  }
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"place", Column::from(places)}, {"key", Column::from(keys)}})));
  Builder b(plan.step(source).schema);
  TAKE(const NodeId passes,
       b.binary(Op::greater_equal, b.column(0u), b.literal(Scalar::of(std::int64_t{22'000}))));
  TAKE(const StepId kept, plan.filter(source, b.graph(), passes));
  for (const bool of_distinct : {false, true}) {
    TAKE(const StepId grouped,
         plan.group_by(kept, b.graph(), {{"key", b.column(1u)}},
                       {{Aggregate::sum, b.column(0u), "sum", nullptr, false, of_distinct}}));
    TAKE(const StepId sorted, plan.order_by(grouped, {{1, true, false}, {0}}));
    TAKE(const StepId first, plan.limit(sorted, 21));
    expect_first(plan, first, true);
  }
}

// A map is between the groups and their order.
TEST(DevicesFirstGroups, BehindAMapAreThoseOfOneDevice) {
  FirstOfGroups groups(rows_of_groups(36'000));
  groups.group({"key"}, {{Aggregate::sum, groups.column("maybe"), "sum", nullptr},
                         {Aggregate::count_rows, 0, "rows", nullptr}});
  Builder after(groups.plan.step(groups.grouped).schema);
  TAKE(const NodeId more,
       after.binary(Op::add, after.column(2u), after.literal(Scalar::of(std::int64_t{1}))));
  TAKE(const StepId mapped,
       groups.plan.map(groups.grouped, after.graph(),
                       {{"more", more}, {"sum", after.column(1u)}, {"key", after.column(0u)}}));
  TAKE(const StepId sorted, groups.plan.order_by(mapped, {{1, true, false}, {2, true, false}}));
  TAKE(const StepId first, groups.plan.limit(sorted, 31));
  expect_first(groups.plan, first, true);
}

}  // namespace
}  // namespace penstock::test
