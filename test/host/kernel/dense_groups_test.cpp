// Groups by keys of known ranges on the host executor, under sanitizers: layouts found from a
// sample, keys that it lacked, tables in parts and in global memory, and keys that no table is made
// for.
#include <numeric>
#include <set>

#include "host/kernel/dense_groups.hpp"

namespace penstock::plan {
namespace {

INSTANTIATE_TEST_SUITE_P(
    Devices, DenseGroups,
    ::testing::Values(Where{"group_dense", {false, 32, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_narrow", {false, 32, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_partitioned", {false, 64, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_global", {false, 64, kernel::ThreadOrder::reverse}}));

template <class T> std::vector<std::optional<T>> with_nulls(std::size_t rows, T first, int count) {
  std::vector<std::optional<T>> values(rows);
  for (std::size_t i = 0; i < rows; i++)
    if (i % 7 != 3)
      values[i] = static_cast<T>(first + static_cast<T>(i * 5 % static_cast<std::size_t>(count)));
  return values;
}

// A base that is negative, one beyond 32 bits, one at the end of its type; each with NULLs, which
// are a key too.
TEST_P(DenseGroups, KeysOfEveryTypeComeBackAsTheyWere) {
  constexpr std::size_t rows = 900;
  std::vector<std::int32_t> x(rows);
  for (std::size_t i = 0; i < rows; i++) x[i] = static_cast<std::int32_t>(i) - 300;
  std::vector<std::optional<std::string>> texts(rows);
  for (std::size_t i = 0; i < rows; i++)
    if (i % 11 != 0) texts[i] = "text " + std::to_string(i % 4);
  const std::vector<std::pair<std::string, Column>> keys = {
      {"i8", Column::from(with_nulls<std::int8_t>(rows, -128, 9))},
      {"u8", Column::from(with_nulls<std::uint8_t>(rows, 240, 15))},
      {"i16", Column::from(with_nulls<std::int16_t>(rows, -5, 10))},
      {"u16", Column::from(with_nulls<std::uint16_t>(rows, 65530, 5))},
      {"i32", Column::from(with_nulls<std::int32_t>(rows, INT32_MIN, 9))},
      {"u32", Column::from(with_nulls<std::uint32_t>(rows, UINT32_MAX - 8, 9))},
      {"i64", Column::from(with_nulls<std::int64_t>(rows, INT64_MIN, 9))},
      {"i64_high", Column::from(with_nulls<std::int64_t>(rows, INT64_MAX - 8, 9))},
      {"u64", Column::from(with_nulls<std::uint64_t>(rows, UINT64_MAX - 8, 9))},
      {"text", Column::from_strings(texts)}};
  for (const auto& [name, column] : keys) {
    SCOPED_TRACE(name);
    const Table table = Table::of({{name, column}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 320));
    EXPECT_EQ(variant, GetParam().variant);
    expect_sums(table, result);
  }
}

TEST_P(DenseGroups, SeveralKeysAreOneNumber) {
  constexpr std::size_t rows = 1500;
  std::vector<std::int64_t> x(rows);
  std::vector<std::optional<std::string>> texts(rows);
  for (std::size_t i = 0; i < rows; i++) {
    x[i] = static_cast<std::int64_t>(i * i) - 1000000;
    if (i % 5 != 0) texts[i] = std::to_string(i % 3);
  }
  const Table table = Table::of({{"a", Column::from(with_nulls<std::int16_t>(rows, -3, 4))},
                                 {"s", Column::from_strings(texts)},
                                 {"b", Column::from(with_nulls<std::int64_t>(rows, 1LL << 40, 5))},
                                 {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups));
  EXPECT_EQ(variant, GetParam().variant);
  expect_sums(table, result);
}

// The first chunk has keys of 0 to 9; later ones others, on either side, and new strings.
TEST_P(DenseGroups, KeysThatTheSampleLackedAreFound) {
  constexpr std::size_t rows = 2000;
  std::vector<std::int32_t> key(rows), x(rows);
  std::vector<std::optional<std::string>> texts(rows);
  for (std::size_t i = 0; i < rows; i++) {
    x[i] = static_cast<std::int32_t>(i);
    key[i] = static_cast<std::int32_t>(i % 10) + (i < 700 ? 0 : i < 1400 ? 500 : -500);
    texts[i] = "t" + std::to_string(i < 900 ? i % 2 : i % 60);
  }
  const Table table = Table::of(
      {{"key", Column::from(key)}, {"s", Column::from_strings(texts)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 320));
  expect_sums(table, result);
}

// Keys of a range that no table is made for are looked up.
TEST_P(DenseGroups, SparseKeysTakeAnotherVariant) {
  std::vector<std::int64_t> key(600), x(600);
  for (std::size_t i = 0; i < key.size(); i++)
    key[i] = static_cast<std::int64_t>(i % 12) << 58, x[i] = static_cast<std::int64_t>(i);
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 320));
  EXPECT_EQ(variant, "group_local");
  expect_sums(table, result);
}

// More slots than local memory has: parts of them, and then partitions, or a table in global
// memory.
TEST_P(DenseGroups, TablesLargerThanLocalMemoryAreSharedOut) {
  for (const std::uint32_t keys : {5000u, 60000u}) {
    SCOPED_TRACE(keys);
    std::vector<std::uint32_t> key(12000);
    std::vector<std::int32_t> x(key.size());
    for (std::size_t i = 0; i < key.size(); i++)
      key[i] = static_cast<std::uint32_t>(i * 7919 % keys), x[i] = static_cast<std::int32_t>(i);
    const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 6016));
    // If one word per sum would do, two parts of a wide table are no choice.
    const std::string wanted = GetParam().variant;
    const bool is_one_table = wanted == "group_dense" || wanted == "group_dense_narrow";
    EXPECT_EQ(variant, is_one_table ? "group_dense_partitioned" : wanted);
    expect_sums(table, result);
  }
}

// A table of 60,000 slots is 1.4 MB, and the limit 8.
TEST_P(DenseGroups, TablesKeepToTheMemoryLimit) {
  std::vector<std::uint32_t> key(3000);
  std::vector<std::int32_t> x(key.size(), 1);
  for (std::size_t i = 0; i < key.size(); i++)
    key[i] = static_cast<std::uint32_t>(i * 7919 % 60000);
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  memory_limit_bytes = 8 << 20;
  TAKE(const Table result, grouped(plan, groups));
  EXPECT_EQ(variant, "group_global");
  expect_sums(table, result);
}

TEST_P(DenseGroups, RowsThatAFilterDropsHaveNoGroup) {
  if (std::string_view(GetParam().variant) == "group_dense_narrow")
    GTEST_SKIP() << "no sum of these has 32 bits";
  std::vector<std::int32_t> key(800);
  for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::int32_t>(i % 20);
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"key", Column::from(key)}})));
  Builder f(plan.step(source).schema);
  TAKE(const NodeId above,
       f.binary(Op::greater, f.column(0u), f.captured(Scalar::of(Type{Kind::int32}, Int128{14}))));
  TAKE(const StepId filtered, plan.filter(source, f.graph(), above));
  Builder b(plan.step(filtered).schema);
  TAKE(const StepId groups, plan.group_by(filtered, b.graph(), {{"key", b.column(0u)}}, {}));
  TAKE(const Table result, grouped(plan, groups));
  ASSERT_EQ(result.row_count, 5u);
  for (std::uint64_t row = 0; row < 5; row++)
    EXPECT_EQ(scalar_at(result.columns[0], row).integer, 15 + row);
}

// The first chunks have no row that passes, so that nothing is known of keys or floats; then there
// are both. Scalars are packed in memory.
TEST_P(DenseGroups, RowsThatPassAfterTheSampleAreFound) {
  if (std::string_view(GetParam().variant) == "group_dense_narrow")
    GTEST_SKIP() << "no sum of these has 32 bits";
  constexpr std::size_t rows = 1600;
  std::vector<std::int64_t> key(rows);
  std::vector<double> x(rows);
  for (std::size_t i = 0; i < rows; i++)
    key[i] = static_cast<std::int64_t>(i / 40) - 20, x[i] = static_cast<double>(i) * 0x1p40;
  for (const std::int64_t least : {0, 50}) {
    SCOPED_TRACE(least);
    Plan plan;
    const StepId source =
        plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
    Builder f(plan.step(source).schema);
    TAKE(NodeId passes, f.binary(Op::greater_equal, f.column(0u),
                                 f.captured(Scalar::of(Type{Kind::int64}, Int128{least}))));
    for (int i = 0; i < 60; i++) {
      TAKE(const NodeId other,
           f.binary(Op::not_equal, f.column(0u),
                    f.captured(Scalar::of(Type{Kind::int64}, Int128{100 + i}))));
      TAKE(passes, f.binary(Op::and_, passes, other));
    }
    TAKE(const StepId filtered, plan.filter(source, f.graph(), passes));
    Builder b(plan.step(filtered).schema);
    const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "sum", nullptr}};
    TAKE(const StepId groups, plan.group_by(filtered, b.graph(), {{"key", b.column(0u)}}, calls));
    TAKE(const Table result, grouped(plan, groups, 320));
    EXPECT_EQ(variant, GetParam().variant);
    ASSERT_EQ(result.row_count, least == 0 ? 20u : 0u);
    for (std::uint64_t row = 0; row < result.row_count; row++)
      EXPECT_EQ(scalar_at(result.columns[1], row).real,
                (40.0 * static_cast<double>(800 + 40 * row) + 780) * 0x1p40)
          << row;
  }
}

// The product of all keys' ranges, with NULL beside each, just below and above 2^31 slots, and
// ranges of all 64 bits.
TEST_P(DenseGroups, RangesWhoseProductIsNoTableTakeAnotherVariant) {
  for (const std::int64_t wide :
       {std::int64_t{46339}, std::int64_t{46340}, std::int64_t{1} << 31, INT64_MAX}) {
    SCOPED_TRACE(wide);
    std::vector<std::optional<std::int64_t>> a(400), c(400);
    std::vector<std::int32_t> x(400);
    for (std::size_t i = 0; i < a.size(); i++) {
      x[i] = static_cast<std::int32_t>(i);
      if (i % 7 != 0) a[i] = i % 2 ? wide - 1 : wide == INT64_MAX ? INT64_MIN : 0;
      if (i % 5 != 0) c[i] = i % 3 ? wide - 1 : 0;
    }
    const Table table =
        Table::of({{"a", Column::from(a)}, {"c", Column::from(c)}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 192));
    EXPECT_EQ(variant, "group_local");
    expect_sums(table, result);
  }
}

// The value is one more key, and no accumulator tells whether a row came.
TEST_P(DenseGroups, DistinctValuesAreKeys) {
  if (std::string_view(GetParam().variant) == "group_dense_narrow")
    GTEST_SKIP() << "no sum of these has 32 bits";
  constexpr std::size_t rows = 1100;
  const std::vector<std::optional<std::int16_t>> key = with_nulls<std::int16_t>(rows, -2, 4);
  const std::vector<std::optional<std::int32_t>> x =
      with_nulls<std::int32_t>(rows, INT32_MAX - 30, 31);
  std::map<std::optional<std::int16_t>, std::set<std::int32_t>> expected;
  for (std::size_t i = 0; i < rows; i++)
    if (auto& values = expected[key[i]]; x[i]) values.insert(*x[i]);
  Plan plan;
  const StepId source =
      plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
  Builder b(plan.step(source).schema);
  AggregateCall counted{Aggregate::count, b.column(1u), "count", nullptr},
      summed{Aggregate::sum, b.column(1u), "sum", nullptr};
  counted.distinct = summed.distinct = true;
  TAKE(const StepId groups,
       plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, {counted, summed}));
  TAKE(const Table result, grouped(plan, groups, 320));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, expected.size());
  for (std::uint64_t row = 0; row < result.row_count; row++) {
    const Scalar found = scalar_at(result.columns[0], row);
    const auto& values =
        expected[found.is_null ? std::nullopt
                               : std::optional(static_cast<std::int16_t>(found.integer))];
    EXPECT_EQ(scalar_at(result.columns[1], row).integer, static_cast<Int128>(values.size())) << row;
    EXPECT_TRUE(scalar_at(result.columns[2], row).integer ==
                std::accumulate(values.begin(), values.end(), Int128{0}))
        << row;
  }
}

}  // namespace
}  // namespace penstock::plan
