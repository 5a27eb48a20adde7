// ORDER BY ... LIMIT while chunks stream, against all rows ordered at once, on every device.
#include <gtest/gtest.h>

#include <random>

#include "on_device/plan/plan_fixture.hpp"
#include "table/sort/sort_keys.hpp"

namespace penstock::plan {
namespace {

enum : std::uint32_t { real, few, text, amount, truth, whole, row_number };

Table mixed_table(std::uint64_t rows) {
  std::mt19937_64 numbers(rows + 3);
  std::vector<std::optional<double>> reals(rows);
  std::vector<std::optional<std::int32_t>> fews(rows);
  std::vector<std::optional<std::string>> texts(rows);
  std::vector<Scalar> amounts(rows);
  std::vector<Scalar> truths(rows, Scalar::null_of({Kind::boolean}));
  std::vector<std::uint64_t> wholes(rows);
  std::vector<std::int64_t> places(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    const std::uint64_t drawn = numbers();
    const double drawn_real = drawn % 17 == 0 ? -0.0 : static_cast<double>(drawn % 700) - 350;
    if (drawn % 9 != 0) reals[i] = drawn % 31 == 0 ? std::nan("") : drawn_real;
    if (drawn % 7 != 0) fews[i] = static_cast<std::int32_t>(drawn / 64 % 5) - 2;
    if (drawn % 11 != 0) texts[i] = "text " + std::to_string(drawn / 128 % 400);
    amounts[i] =
        Scalar::of(Type::decimal(15, 2), static_cast<Int128>(drawn / 32 % 100'000) - 50'000);
    if (drawn % 5 != 0) truths[i] = Scalar::of(drawn / 256 % 2 == 0);
    wholes[i] = drawn;
    places[i] = static_cast<std::int64_t>(i);
  }
  return Table::of({{"real", Column::from(reals)},
                    {"few", Column::from(fews)},
                    {"text", Column::from_strings(texts)},
                    {"amount", column_of(Type::decimal(15, 2), amounts)},
                    {"truth", column_of({Kind::boolean}, truths)},
                    {"whole", Column::from(wholes)},
                    {"row", Column::from(places)}});
}

// Chunks of 64 rows and more: the rows at the k-th place lie on both sides of many chunks' borders.
void expect_top(const Table& table, const std::vector<SortKey>& keys, std::uint64_t count,
                std::uint64_t offset = 0) {
  const std::vector<std::uint64_t> order =
      order_on_host(normalized_keys(table, keys), table.row_count, table.row_count);
  const std::uint64_t first = std::min(offset, table.row_count),
                      rows = std::min(count, table.row_count - first);
  Plan plan;
  const StepId source = plan.source(table_source(table));
  TAKE(const StepId ordered, plan.order_by(source, keys));
  TAKE(const StepId limited, plan.limit(ordered, count, offset));
  on_each_device([&](Device& device) {
    for (const std::uint64_t batch_rows : {64, 1024, 0}) {
      SCOPED_TRACE(batch_rows);
      TAKE(const QueryResult outcome,
           run(plan, limited, {.device = device.traits().id, .batch_rows = batch_rows}));
      ASSERT_EQ(outcome.table.row_count, rows);
      const auto* got = outcome.table.columns[row_number].values.as<std::int64_t>();
      for (std::uint64_t i = 0; i < rows; i++)
        ASSERT_EQ(got[i], static_cast<std::int64_t>(order[first + i])) << "place " << i;
      for (std::uint64_t i = 0; i < rows; i += 7)
        EXPECT_EQ(test::text_of_row(outcome.table, i), test::text_of_row(table, order[first + i]));
    }
  });
}

TEST(TopK, RealsWithNaNs) {
  for (const bool descending : {false, true})
    for (const bool nulls_first : {false, true})
      expect_top(mixed_table(5000), {{real, descending, nulls_first}}, 100);
}
TEST(TopK, TiesAtTheLastPlaceStandAsTheyStood) {
  for (const std::uint64_t count : {1, 63, 64, 65, 500})
    expect_top(mixed_table(3000), {{few, true, false}}, count);
}
TEST(TopK, ASecondKeyDecidesAmongEqualFirstOnes) {
  expect_top(mixed_table(5000), {{few, false, false}, {whole, true, false}}, 200);
  expect_top(mixed_table(5000), {{truth, true, true}, {real, false, true}, {text, true, false}},
             1200);
}
TEST(TopK, Strings) {
  expect_top(mixed_table(4000), {{text, false, false}}, 40);
  expect_top(mixed_table(4000), {{text, true, true}}, 40);
  expect_top(mixed_table(4000), {{text, true, false}, {amount, false, false}}, 500);
}
TEST(TopK, WholeRangesOfUnsignedIntegersAndDecimals) {
  expect_top(mixed_table(5000), {{whole, true, false}}, 10);
  expect_top(mixed_table(5000), {{amount, true, false}}, 10);
}
TEST(TopK, NoneAndMoreThanThereAre) {
  expect_top(mixed_table(700), {{whole, false, false}}, 0);
  expect_top(mixed_table(700), {{whole, false, false}}, 5000);
  expect_top(mixed_table(0), {{whole, false, false}}, 5);
}
TEST(TopK, BehindAnOffset) { expect_top(mixed_table(3000), {{amount, false, false}}, 20, 90); }
TEST(TopK, OfNullsAlone) {
  const std::vector<std::optional<double>> nulls(500);
  Table table = mixed_table(500);
  table.columns[real] = Column::from(nulls);
  expect_top(table, {{real, false, true}}, 30);
  expect_top(table, {{real, true, false}}, 30);
}

TEST(TopK, OfKeptRowsByAnExpression) {
  const Table table = mixed_table(4000);
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  TAKE(const NodeId positive, b.binary(Op::greater, b.column(real), b.captured(Scalar::of(0.0))));
  TAKE(const StepId kept, plan.filter(source, b.graph(), positive));
  TAKE(const NodeId doubled, b.binary(Op::add, b.column(amount), b.column(amount)));
  TAKE(const StepId mapped,
       plan.map(kept, b.graph(), {{"doubled", doubled}, {"row", b.column(row_number)}}));
  TAKE(const StepId ordered, plan.order_by(mapped, {{0, true, false}}));
  TAKE(const StepId limited, plan.limit(ordered, 25));
  std::vector<std::uint64_t> passed;
  for (std::uint64_t row : order_on_host(normalized_keys(table, {{amount, true, false}}),
                                         table.row_count, table.row_count))
    if (table.columns[real].is_valid(row) && !(scalar_at(table.columns[real], row).real <= 0))
      passed.push_back(row);  // NaN is greater
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome,
         run(plan, limited, {.device = device.traits().id, .batch_rows = 128}));
    ASSERT_EQ(outcome.table.row_count, 25u);
    for (std::uint64_t i = 0; i < 25; i++)
      EXPECT_EQ(scalar_at(outcome.table.columns[1], i).integer, static_cast<Int128>(passed[i]))
          << "place " << i;
    EXPECT_LT(outcome.report.bytes_downloaded, passed.size() * 8)
        << "the kernel drops rows that cannot be among the first";
  });
}

// Groups are ordered before columns are made of them: counts repeat, so that most groups at the
// last place are told apart by their keys alone.
TEST(TopK, GroupsThatTieAtTheLastPlaceStandByTheirKeys) {
  const Table table = mixed_table(20'000);
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  TAKE(const StepId groups,
       plan.group_by(source, b.graph(), {{"text", b.column(text)}, {"few", b.column(few)}},
                     {{Aggregate::count_rows, 0, "rows", nullptr},
                      {Aggregate::minimum, b.column(real), "least", nullptr}}));
  for (const std::vector<SortKey>& keys : std::vector<std::vector<SortKey>>{
           {{2, true, false}}, {{3, false, true}, {2, false, false}}, {{1, true, true}}}) {
    TAKE(const StepId ordered, plan.order_by(groups, keys));
    TAKE(const StepId limited, plan.limit(ordered, 40, 3));
    on_each_device([&](Device& device) {
      TAKE(const QueryResult all, run(plan, groups, {.device = device.traits().id}));
      TAKE(const QueryResult first, run(plan, limited, {.device = device.traits().id}));
      ASSERT_GT(all.table.row_count, 4 * 43u);
      ASSERT_EQ(first.table.row_count, 40u);
      const std::vector<std::uint64_t> order =
          order_on_host(normalized_keys(all.table, keys), all.table.row_count, all.table.row_count);
      for (std::uint64_t i = 0; i < 40; i++)
        EXPECT_EQ(test::text_of_row(first.table, i), test::text_of_row(all.table, order[i + 3]))
            << "place " << i;
    });
  }
}

TEST(TopK, AFaultOfARowThatIsDroppedStillEndsTheRun) {
  std::vector<std::int32_t> key(4096), divisor(4096, 1);
  for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::int32_t>(i);
  divisor[4000] = 0;
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"key", Column::from(key)}, {"divisor", Column::from(divisor)}})));
  Builder b(plan.step(source).schema);
  TAKE(const NodeId quotient, b.binary(Op::integer_divide, b.column(0u), b.column(1u)));
  TAKE(const StepId mapped,
       plan.map(source, b.graph(), {{"key", b.column(0u)}, {"quotient", quotient}}));
  TAKE(const StepId ordered, plan.order_by(mapped, {{0, false, false}}));
  TAKE(const StepId limited, plan.limit(ordered, 3));
  on_each_device([&](Device& device) {
    for (const std::uint64_t batch_rows : {64, 0})
      EXPECT_FALSE(
          run(plan, limited, {.device = device.traits().id, .batch_rows = batch_rows}).ok())
          << "whatever the chunks";
  });
}

}  // namespace
}  // namespace penstock::plan
