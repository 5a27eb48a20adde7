// Aggregates of DISTINCT values against sets of the interpreter's values, on every device.
#include <gtest/gtest.h>

#include <set>

#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

std::vector<AggregateCall> distinct_calls(NodeId x, NodeId plain) {
  const auto of = [&](Aggregate function, NodeId argument, bool distinct) {
    AggregateCall call{function, argument, "a", nullptr};
    call.distinct = distinct;
    return call;
  };
  return {of(Aggregate::count, x, true),    of(Aggregate::sum, plain, false),
          of(Aggregate::sum, x, true),      of(Aggregate::count_rows, 0, false),
          of(Aggregate::average, x, true),  of(Aggregate::maximum, x, true),
          of(Aggregate::count, plain, true)};
}

struct Seen {
  std::set<Int128> values, plain;
  Int128 sum = 0;
  std::uint64_t rows = 0, present = 0;
};

void expect_row(const Table& table, std::uint64_t row, std::size_t first, const Seen& seen) {
  const auto at = [&](std::size_t i) { return scalar_at(table.columns[first + i], row); };
  Int128 distinct_sum = 0;
  for (const Int128 value : seen.values) distinct_sum += value;
  EXPECT_EQ(at(0).integer, static_cast<Int128>(seen.values.size()));
  EXPECT_TRUE(seen.present == 0 ? at(1).is_null : at(1).integer == seen.sum);
  EXPECT_TRUE(seen.values.empty() ? at(2).is_null : at(2).integer == distinct_sum);
  EXPECT_EQ(at(3).integer, static_cast<Int128>(seen.rows));
  const double average =
      static_cast<double>(distinct_sum) / static_cast<double>(seen.values.size());
  EXPECT_TRUE(seen.values.empty() ? at(4).is_null : at(4).real == average);
  EXPECT_TRUE(seen.values.empty() ? at(5).is_null : at(5).integer == *seen.values.rbegin());
  EXPECT_EQ(at(6).integer, static_cast<Int128>(seen.plain.size()));
}

void add(Seen& seen, const Scalar& x, const Scalar& plain) {
  seen.rows++;
  if (!x.is_null) seen.values.insert(x.integer);
  if (plain.is_null) return;
  seen.plain.insert(plain.integer);
  seen.sum += plain.integer;
  seen.present++;
}

// `most` distinct values of x; every `present`-th one is there; `keys` groups, the last of which is
// NULL; 0: no keys.
void expect_distinct(std::uint64_t rows, std::int64_t most, std::uint64_t present,
                     std::int32_t keys) {
  std::vector<std::optional<std::int64_t>> x(rows);
  std::vector<std::optional<std::int32_t>> plain(rows), key(rows);
  std::map<std::int64_t, Seen> expected;  // NULL is the last
  if (keys == 0) expected[0];
  const Table table = [&] {
    for (std::uint64_t row = 0; row < rows; row++) {
      const auto mixed = static_cast<std::int64_t>(row * 2'654'435'761u % 4'294'967'291u);
      if (present > 0 && row % present == 0) x[row] = mixed % most - most / 2;
      if (row % 3 != 0) plain[row] = static_cast<std::int32_t>(mixed % 50);
      const std::int32_t group = keys == 0 ? 0 : static_cast<std::int32_t>(mixed % 1000) % keys;
      if (group != keys - 1) key[row] = group;
    }
    return Table::of(
        {{"x", Column::from(x)}, {"plain", Column::from(plain)}, {"key", Column::from(key)}});
  }();
  for (std::uint64_t row = 0; row < rows; row++)
    add(expected[keys == 0 ? 0 : key[row].value_or(keys)], scalar_at(table.columns[0], row),
        scalar_at(table.columns[1], row));
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = distinct_calls(b.column(0u), b.column(1u));
  const auto step = keys == 0 ? plan.reduce(source, b.graph(), calls)
                              : plan.group_by(source, b.graph(), {{"key", b.column(2u)}}, calls);
  ASSERT_OK(step);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome,
         run(plan, *step, {.device = device.traits().id, .batch_rows = 1024}));
    ASSERT_EQ(outcome.table.row_count, expected.size());
    std::uint64_t row = 0;
    for (const auto& [group, seen] : expected) {
      SCOPED_TRACE(static_cast<long long>(group));
      EXPECT_TRUE(keys == 0 || scalar_at(outcome.table.columns[0], row).is_null == (group == keys));
      expect_row(outcome.table, row++, keys > 0 ? 1 : 0, seen);
    }
  });
}

TEST(Distinct, ValuesOfSeveralChunksAreCountedOnce) { expect_distinct(5000, 300, 2, 0); }
TEST(Distinct, GroupsOfSeveralArgumentsStandBesideTheirPlainAggregates) {
  expect_distinct(5000, 300, 2, 7);
}
TEST(Distinct, MoreValuesThanATableHolds) { expect_distinct(20'000, 1'000'000, 1, 5); }
TEST(Distinct, OfNullsAloneThereAreNone) { expect_distinct(500, 10, 0, 3); }
TEST(Distinct, OneGroup) { expect_distinct(500, 10, 1, 1); }
TEST(Distinct, NoRowsGiveOneRowWithoutKeys) { expect_distinct(0, 10, 1, 0); }
TEST(Distinct, NoRowsGiveNoGroups) { expect_distinct(0, 10, 1, 4); }

TEST(Distinct, OverAnAggregatesRowsOnTheHost) {
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"k", Column::from(std::vector<std::int32_t>{1, 2, 3, 4, 4})},
                              {"x", Column::from(std::vector<std::int64_t>{5, 5, 6, 1, 4})}})));
  Builder rows(plan.step(source).schema);
  TAKE(const StepId sums, plan.group_by(source, rows.graph(), {{"k", rows.column(0u)}},
                                        {{Aggregate::sum, rows.column(1u), "s", nullptr}}));
  Builder groups(plan.step(sums).schema);
  AggregateCall count{Aggregate::count, groups.column(1u), "n", nullptr},
      sum{Aggregate::sum, groups.column(0u), "s", nullptr};
  count.distinct = true;
  TAKE(const StepId counted, plan.reduce(sums, groups.graph(), {sum, count}));
  TAKE(const QueryResult outcome, run(plan, counted, {}));
  EXPECT_EQ(text_of_row(outcome.table, 0), "10|2|") << "sums are 5, 5, 6 and 5";
}

TEST(Distinct, OfRowsIsRefused) {
  Plan plan;
  const StepId source =
      plan.source(table_source(Table::of({{"x", Column::from(std::vector<std::int32_t>{1})}})));
  Builder b(plan.step(source).schema);
  AggregateCall rows{Aggregate::count_rows, 0, "n", nullptr};
  rows.distinct = true;
  EXPECT_FALSE(plan.reduce(source, b.graph(), {rows}).ok());
}

}  // namespace
}  // namespace penstock::test
