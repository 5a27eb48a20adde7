// Values of DISTINCT added up on the device by a second group-by, against the host's sums of the
// same groups.
#include "on_device/plan/merged_groups.hpp"

namespace penstock::test {
namespace {

using plan::MergeLocation;

AggregateCall distinct(Aggregate function, NodeId argument) {
  AggregateCall call{function, argument, "a", nullptr};
  call.distinct = true;
  return call;
}

// Aggregates of the distinct values of a column of random_table() by some of its others; without
// keys, one row of them.
Grouping distinct_of(std::uint64_t rows, const char* column, const std::vector<const char*>& keys) {
  Grouping grouping;
  const StepId source =
      grouping.plan.source(std::make_shared<FixedSchemaSource>(random_table(rows, rows + 11)));
  Builder b(grouping.plan.step(source).schema);
  std::vector<Projection> projections;
  for (const char* key : keys) projections.push_back({key, *b.column(key)});
  const NodeId x = *b.column(column);
  std::vector<AggregateCall> calls = {distinct(Aggregate::count, x)};
  // Floats would be added in the order of the groups, which the device does not fix.
  const Type type = b.graph()->at(x).type;
  if (is_integer(type) || type.kind == Kind::decimal)
    for (const Aggregate function : {Aggregate::sum, Aggregate::average})
      calls.push_back(distinct(function, x));
  grouping.step = keys.empty() ? *grouping.plan.reduce(source, b.graph(), calls)
                               : *grouping.plan.group_by(source, b.graph(), projections, calls);
  return grouping;
}

void expect_totals_there(const Merged& merged) {
  EXPECT_TRUE(has_kernel(merged.report, "group_merge"));
  EXPECT_TRUE(has_kernel(merged.report, "distinct_totals"));
  EXPECT_TRUE(merged.report.notes.empty());
}

TEST(DistinctTotals, ValuesOfEveryTypeAreAddedUpAsOnTheHost) {
  for (const char* column : {"u8_null", "i16_null", "i64_null", "f64_null", "d15_2", "s"}) {
    SCOPED_TRACE(column);
    for (const std::vector<const char*>& keys :
         std::vector<std::vector<const char*>>{{}, {"s"}, {"b_null", "u8", "s"}}) {
      SCOPED_TRACE(keys.size());
      const Grouping grouping = distinct_of(1500, column, keys);
      expect_as_on_host(grouping.plan, grouping.step, {.batch_rows = 640}, expect_totals_there);
    }
  }
}

TEST(DistinctTotals, ZeroesAreOneValueAndSoAreNaNs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Grouping grouping;
  const StepId source = grouping.plan.source(table_source(Table::of(
      {{"x", Column::from(std::vector<std::optional<double>>{0.0, -0.0, nan, -nan, 1.5, {}})}})));
  Builder b(grouping.plan.step(source).schema);
  TAKE(grouping.step,
       grouping.plan.reduce(source, b.graph(), {distinct(Aggregate::count, b.column(0u))}));
  expect_as_on_host(grouping.plan, grouping.step, {}, [](const Merged& merged) {
    EXPECT_EQ(text_of_row(merged.table, 0), "3|");
    expect_totals_there(merged);
  });
}

TEST(DistinctTotals, NullsAloneAndNoRowsHaveNoValues) {
  for (const std::uint64_t rows : {0u, 40u}) {
    SCOPED_TRACE(rows);
    const std::vector<std::optional<std::int64_t>> x(rows);
    Grouping grouping;
    const StepId source = grouping.plan.source(table_source(Table::of({{"x", Column::from(x)}})));
    Builder b(grouping.plan.step(source).schema);
    TAKE(grouping.step, grouping.plan.reduce(source, b.graph(),
                                             {distinct(Aggregate::count, b.column(0u)),
                                              distinct(Aggregate::sum, b.column(0u))}));
    expect_as_on_host(grouping.plan, grouping.step, {}, [&](const Merged& merged) {
      EXPECT_EQ(text_of_row(merged.table, 0), "0|NULL|");
      EXPECT_EQ(has_kernel(merged.report, "distinct_totals"), rows > 0);
    });
  }
}

// `values` of a column for each of `keys` keys, seen twice each.
Grouping counted(std::uint64_t keys, std::uint64_t values) {
  Grouping grouping;
  std::vector<std::int64_t> key(2 * keys * values);
  std::vector<std::int32_t> x(key.size());
  for (std::size_t i = 0; i < key.size(); i++) {
    const std::uint64_t mixed = i * 7919 % (keys * values);
    key[i] = static_cast<std::int64_t>(mixed % keys * 1'000'003);
    x[i] = static_cast<std::int32_t>(mixed / keys);
  }
  const StepId source = grouping.plan.source(
      table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
  Builder b(grouping.plan.step(source).schema);
  grouping.step = *grouping.plan.group_by(
      source, b.graph(), {{"key", b.column(0u)}},
      {distinct(Aggregate::count, b.column(1u)), distinct(Aggregate::sum, b.column(1u))});
  return grouping;
}

TEST(DistinctTotals, FewKeysOfManyValuesAndManyKeysOfFew) {
  for (const auto& [keys, values] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{1, 30'000}, {13, 1500}, {20'000, 3}}) {
    SCOPED_TRACE(keys);
    const Grouping grouping = counted(keys, values);
    expect_as_on_host(
        grouping.plan, grouping.step, {.batch_rows = 8192}, [&](const Merged& merged) {
          ASSERT_EQ(merged.table.row_count, keys);
          EXPECT_EQ(text_of(scalar_at(merged.table.columns[1], 0)), std::to_string(values));
          expect_totals_there(merged);
        });
  }
}

TEST(DistinctTotals, BeyondTheMemoryLimitTheHostAddsUpAndSaysSo) {
  const Grouping grouping = counted(50'000, 3);
  expect_as_on_host(grouping.plan, grouping.step,
                    {.batch_rows = 6400, .memory_limit_bytes = 8 << 20}, [](const Merged& merged) {
                      EXPECT_EQ(merged.table.row_count, 50'000u);
                      EXPECT_FALSE(has_kernel(merged.report, "distinct_totals"));
                      ASSERT_EQ(merged.report.notes.size(), 2u);
                      EXPECT_EQ(merged.report.notes[1],
                                "values of DISTINCT were added up on the host: 150,000 of them");
                    });
}

}  // namespace
}  // namespace penstock::test
