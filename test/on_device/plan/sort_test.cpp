// ORDER BY of more rows than the host sorts, on every device.
#include <gtest/gtest.h>

#include <random>

#include "on_device/plan/plan_fixture.hpp"
#include "table/sort/sort_keys.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t device_row_count = min_device_sort_rows + 12'345;

Table random_table() {
  std::mt19937_64 numbers(5);
  std::vector<std::optional<double>> reals(device_row_count);
  std::vector<std::int64_t> wide(device_row_count), rows(device_row_count);
  std::vector<std::int32_t> narrow(device_row_count);
  for (std::uint64_t i = 0; i < device_row_count; i++) {
    if (numbers() % 10 != 0)
      reals[i] = static_cast<double>(static_cast<std::int64_t>(numbers() % 1000)) / 8 - 50;
    wide[i] = static_cast<std::int64_t>(numbers());
    narrow[i] = static_cast<std::int32_t>(numbers() % 50);
    rows[i] = static_cast<std::int64_t>(i);
  }
  return Table::of({{"real", Column::from(reals)},
                    {"wide", Column::from(wide)},
                    {"narrow", Column::from(narrow)},
                    {"row", Column::from(rows)}});
}

void expect_order(const std::vector<SortKey>& keys, std::uint64_t limit = ~std::uint64_t{0}) {
  const Table table = random_table();
  const auto expected = order_on_host(normalized_keys(table, keys), device_row_count, limit);
  Plan plan;
  const StepId rows = plan.source(table_source(table));
  TAKE(const StepId ordered, plan.order_by(rows, keys));
  TAKE(const StepId limited, plan.limit(ordered, limit));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, limited, {.device = device.traits().id}));
    ASSERT_EQ(outcome.table.row_count, expected.size());
    const auto* got = outcome.table.columns[3].values.as<std::int64_t>();
    for (std::size_t i = 0; i < expected.size(); i++)
      ASSERT_EQ(got[i], static_cast<std::int64_t>(expected[i])) << "place " << i;
    const bool sorted_there =
        std::any_of(outcome.report.kernels.begin(), outcome.report.kernels.end(),
                    [](const KernelReport& kernel) { return kernel.name == "radix_sort"; });
    EXPECT_EQ(sorted_there, sorts_on_device(device_row_count, limit))
        << "the report says what ran where";
  });
}

TEST(OrderBy, OneNarrowKey) { expect_order({{2, true, false}}); }
TEST(OrderBy, OneWideKey) { expect_order({{1, false, false}}); }
TEST(OrderBy, KeysThatTakeSeveralWords) {
  expect_order({{2, true, false}, {0, false, true}, {1, true, false}});
}
TEST(OrderBy, NullsStandWhereTheyAreAskedFor) {
  expect_order({{0, true, true}, {2, false, false}});
}
TEST(OrderBy, HalfOfTheRows) { expect_order({{1, false, false}}, device_row_count / 2); }
TEST(OrderBy, TheFirstTen) { expect_order({{1, true, false}}, 10); }

}  // namespace
}  // namespace penstock::plan
