// Groups by keys of known ranges on the host executor, under sanitizers: layouts found from a sample, keys and floats that it lacked,
// tables in parts and in global memory, and keys that no table is made for.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "kernel_c/host_device.hpp"
#include "penstock/expression.hpp"
#include "plan/run_tiles.hpp"

namespace penstock::plan {
namespace {

#define TAKE(declaration, ...) TAKE_AT_(PENSTOCK_PASTE_(taken_, __LINE__), declaration, __VA_ARGS__)
#define TAKE_AT_(name, declaration, ...)          \
  auto name = (__VA_ARGS__);                      \
  ASSERT_TRUE(name.ok()) << name.status().text(); \
  declaration = std::move(name).value()

struct Where { const char* variant; kernel::HostDeviceOptions device; };

class DenseGroups : public ::testing::TestWithParam<Where> {
 protected:
  Result<Table> grouped(const Plan& plan, StepId groups, std::uint64_t batch_rows = 0) {
    StepId source = groups;
    while (plan.step(source).kind != StepKind::source) source = plan.step(source).inputs[0];
    PENSTOCK_ASSIGN(const TileProgram program, fuse(plan, source, groups));
    RunOptions options;
    options.batch_rows = batch_rows;
    options.variant = GetParam().variant;
    options.on_source = [&](std::string_view) { texts++; };
    StringPool strings;
    RunReport report;
    TileRun run{kernel::make_host_device(GetParam().device), &options, &strings, &report};
    Result<Table> result = run_tiles(run, program, *plan.step(source).source);
    if (result.ok()) variant = report.kernels[0].variant;
    return result;
  }
  int texts = 0;           // compiled
  std::string variant;     // at the end
};

INSTANTIATE_TEST_SUITE_P(Devices, DenseGroups,
                         ::testing::Values(Where{"group_dense", {false, 32, kernel::ItemOrder::shuffled}},
                                           Where{"group_dense_global", {false, 64, kernel::ItemOrder::reverse}}));

// Sum and count of `x` by the table's other columns, as text, against a map of rows.
void expect_sums(const Table& table, const Table& result) {
  std::map<std::vector<std::string>, std::pair<double, std::int64_t>> expected;
  const std::size_t keys = table.columns.size() - 1;
  const auto key_of = [&](const Table& from, std::uint64_t row) {
    std::vector<std::string> key;
    for (std::size_t c = 0; c < keys; c++) key.push_back(text_of(scalar_at(from.columns[c], row)));
    return key;
  };
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    auto& [sum, count] = expected[key_of(table, row)];
    const Scalar x = scalar_at(table.columns[keys], row);
    sum += x.type.kind == Kind::float64 ? x.real : static_cast<double>(x.integer);
    count++;
  }
  ASSERT_EQ(result.row_count, expected.size());
  for (std::uint64_t row = 0; row < result.row_count; row++) {
    const auto found = expected.find(key_of(result, row));
    ASSERT_NE(found, expected.end()) << found->first[0];
    const Scalar sum = scalar_at(result.columns[keys], row);
    EXPECT_EQ(sum.type.kind == Kind::float64 ? sum.real : static_cast<double>(sum.integer), found->second.first) << found->first[0];
    EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[keys + 1], row).integer), found->second.second) << found->first[0];
  }
}

Result<StepId> sums_by_all_but_last(Plan& plan, const Table& table) {
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const auto x = static_cast<std::uint32_t>(table.columns.size() - 1);
  std::vector<Projection> keys;
  for (std::uint32_t c = 0; c < x; c++) keys.push_back({table.names[c], b.column(c)});
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(x), "sum", nullptr}, {Aggregate::count_rows, 0, "rows", nullptr}};
  return plan.group_by(source, b.graph(), keys, calls);
}

template <class T> std::vector<std::optional<T>> with_nulls(std::size_t rows, T first, int count) {
  std::vector<std::optional<T>> values(rows);
  for (std::size_t i = 0; i < rows; i++)
    if (i % 7 != 3) values[i] = static_cast<T>(first + static_cast<T>(i * 5 % static_cast<std::size_t>(count)));
  return values;
}

// A base that is negative, one beyond 32 bits, one at the end of its type; each with NULLs, which are a key too.
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
  const Table table = Table::of({{"key", Column::from(key)}, {"s", Column::from_strings(texts)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 320));
  expect_sums(table, result);
}

// Keys of a range that no table is made for are looked up.
TEST_P(DenseGroups, SparseKeysTakeAnotherVariant) {
  std::vector<std::int64_t> key(600), x(600);
  for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::int64_t>(i % 12) << 58, x[i] = static_cast<std::int64_t>(i);
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 320));
  EXPECT_EQ(variant, "group_local");
  expect_sums(table, result);
}

// More slots than local memory has: parts of them, and then a table in global memory.
TEST_P(DenseGroups, TablesLargerThanLocalMemoryAreSharedOutOrLieInGlobalMemory) {
  for (const std::uint32_t keys : {5000u, 60000u}) {
    SCOPED_TRACE(keys);
    std::vector<std::uint32_t> key(12000);
    std::vector<std::int32_t> x(key.size());
    for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::uint32_t>(i * 7919 % keys), x[i] = static_cast<std::int32_t>(i);
    const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 6016));
    EXPECT_EQ(variant, keys == 5000 ? GetParam().variant : "group_dense_global");
    expect_sums(table, result);
  }
}

TEST_P(DenseGroups, RowsThatAFilterDropsHaveNoGroup) {
  std::vector<std::int32_t> key(800);
  for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::int32_t>(i % 20);
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"key", Column::from(key)}})));
  Builder f(plan.step(source).schema);
  TAKE(const NodeId above, f.binary(Op::greater, f.column(0u), f.captured(Scalar::of(Type{Kind::int32}, Int128{14}))));
  TAKE(const StepId filtered, plan.filter(source, f.graph(), above));
  Builder b(plan.step(filtered).schema);
  TAKE(const StepId groups, plan.group_by(filtered, b.graph(), {{"key", b.column(0u)}}, {}));
  TAKE(const Table result, grouped(plan, groups));
  ASSERT_EQ(result.row_count, 5u);
  for (std::uint64_t row = 0; row < 5; row++) EXPECT_EQ(scalar_at(result.columns[0], row).integer, 15 + row);
}

// A sum is exact while the largest value of later chunks is 2^11 times that of the first; beyond, the layout is made anew.
TEST_P(DenseGroups, FloatsLargerThanTheSampleAreAddedExactly) {
  for (const double larger : {1e3, 1e9, 1e100, 1e300}) {
    SCOPED_TRACE(larger);
    std::vector<double> x(960, 0.125);
    x[700] = larger;
    std::vector<std::int32_t> key(x.size());
    for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<std::int32_t>(i % 4);
    const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 320));
    ASSERT_EQ(result.row_count, 4u);
    for (std::uint64_t row = 0; row < 4; row++)
      EXPECT_DOUBLE_EQ(scalar_at(result.columns[1], row).real, row == 0 ? 239 * 0.125 + larger : 30.0) << row;
  }
}

TEST_P(DenseGroups, FloatsWithoutAPlaceTakeAnotherVariant) {
  for (const double outside : {HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p-1074}) {
    SCOPED_TRACE(outside);
    std::vector<double> x(100, 1e6);
    x[77] = outside;
    const Table table = Table::of({{"key", Column::from(std::vector<std::int32_t>(100, 3))}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups));
    EXPECT_EQ(variant, "group");
    const double sum = scalar_at(result.columns[1], 0).real, wanted = 99e6 + outside;
    EXPECT_TRUE(std::isnan(wanted) ? std::isnan(sum) : sum == wanted) << sum;
  }
}

// Rounded once, whatever the work groups: float32 over its four limbs, of both signs, and the same bits in every order of items.
TEST_P(DenseGroups, NarrowFloatsAreExact) {
  constexpr std::size_t rows = 4000;
  std::mt19937_64 numbers(12);
  std::vector<float> x(rows);
  std::vector<std::uint8_t> key(rows);
  std::map<std::uint8_t, Int128> expected;      // in units of 2^-40
  for (std::size_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::uint8_t>(i % 3);
    const Int128 mantissa = static_cast<std::int64_t>(numbers() >> (40 + numbers() % 20));
    const Int128 units = (numbers() % 3 == 0 ? mantissa : -mantissa) << (numbers() % 40);
    x[i] = static_cast<float>(std::ldexp(static_cast<double>(units), -40));
    expected[key[i]] += units;
  }
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 4032));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, 3u);
  for (std::uint64_t row = 0; row < 3; row++)
    EXPECT_EQ(scalar_at(result.columns[1], row).real, std::ldexp(static_cast<double>(expected[static_cast<std::uint8_t>(row)]), -40));
}

// Sums of 64 bits that leave 64, borrow through all limbs, and extremes of narrow types.
TEST_P(DenseGroups, IntegersAreExact) {
  constexpr std::size_t rows = 1500;
  std::mt19937_64 numbers(3);
  std::vector<std::int64_t> i64(rows);
  std::vector<std::uint64_t> u64(rows);
  std::vector<std::optional<float>> f32(rows);
  std::vector<std::int32_t> key(rows);
  struct Expected { Int128 signed_sum = 0, unsigned_sum = 0; float least = HUGE_VALF, most = -HUGE_VALF; };
  std::map<std::int32_t, Expected> expected;
  for (std::size_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::int32_t>(i * i % 7) - 3;
    i64[i] = static_cast<std::int64_t>(numbers()), u64[i] = numbers();
    Expected& e = expected[key[i]];
    e.signed_sum += i64[i], e.unsigned_sum += u64[i];
    if (i % 4 == 0) continue;
    f32[i] = static_cast<float>(static_cast<std::int64_t>(numbers() % 2000)) - 1000.0f;
    e.least = std::min(e.least, *f32[i]), e.most = std::max(e.most, *f32[i]);
  }
  Plan plan;
  const StepId source = plan.source(table_source(
      Table::of({{"key", Column::from(key)}, {"i64", Column::from(i64)}, {"u64", Column::from(u64)}, {"f32", Column::from(f32)}})));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "a", nullptr}, {Aggregate::sum, b.column(2u), "b", nullptr},
                                            {Aggregate::minimum, b.column(3u), "c", nullptr},
                                            {Aggregate::maximum, b.column(3u), "d", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  TAKE(const Table result, grouped(plan, groups, 448));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, expected.size());
  std::uint64_t row = 0;
  for (const auto& [k, e] : expected) {
    EXPECT_TRUE(scalar_at(result.columns[1], row).integer == e.signed_sum) << k;
    EXPECT_TRUE(scalar_at(result.columns[2], row).integer == e.unsigned_sum) << k;
    EXPECT_EQ(static_cast<float>(scalar_at(result.columns[3], row).real), e.least) << k;
    EXPECT_EQ(static_cast<float>(scalar_at(result.columns[4], row).real), e.most) << k;
    row++;
  }
}

// Infinity's exponent has a place among limbs of the largest floats.
TEST_P(DenseGroups, NarrowFloatsThatAreNoNumbersAreNotAdded) {
  for (const float outside : {HUGE_VALF, -HUGE_VALF, std::nanf("")}) {
    SCOPED_TRACE(outside);
    std::vector<float> x(100, 0x1p126f);
    x[77] = outside;
    const Table table = Table::of({{"key", Column::from(std::vector<std::int32_t>(100, 3))}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups));
    EXPECT_EQ(variant, "group");
    const double sum = scalar_at(result.columns[1], 0).real;
    EXPECT_TRUE(std::isnan(outside) ? std::isnan(sum) : sum == static_cast<double>(outside)) << sum;
  }
}

// A slot that rows came to, but no value: in some work groups, or in all of them.
TEST_P(DenseGroups, AggregatesOfNoValueAreNull) {
  constexpr std::size_t rows = 1200;
  std::vector<std::int32_t> key(rows);
  std::vector<std::optional<std::int32_t>> x(rows);
  std::vector<std::optional<float>> y(rows);
  for (std::size_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::int32_t>(i % 5);
    if (key[i] == 2 || (key[i] == 3 && i > 20)) continue;
    x[i] = 7;
    y[i] = 0.5f;
  }
  Plan plan;
  const StepId source =
      plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}, {"y", Column::from(y)}})));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "a", nullptr}, {Aggregate::minimum, b.column(1u), "b", nullptr},
                                            {Aggregate::sum, b.column(2u), "c", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  TAKE(const Table result, grouped(plan, groups));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, 5u);
  for (std::uint64_t row = 0; row < 5; row++)
    for (std::size_t c = 1; c < 4; c++) EXPECT_EQ(scalar_at(result.columns[c], row).is_null, row == 2) << row << " " << c;
  EXPECT_TRUE(scalar_at(result.columns[1], 3).integer == 4 * 7);
}

// More keys than `group` has slots, and floats that only limbs of a fixed place hold: from 2^47 down to bits of 2^-73.
TEST_P(DenseGroups, ManyKeysWhoseFloatsHaveNoPlaceAreLookedUp) {
  std::vector<std::int32_t> key(80000);
  std::vector<double> x(key.size());
  for (std::size_t i = 0; i < key.size(); i++) {
    key[i] = static_cast<std::int32_t>(i * 7919 % 9000);
    x[i] = key[i] == 1 ? 0x1.8p47 : 0x1.0000000000001p-21;
  }
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 80000));
  EXPECT_EQ(variant, "group_global");
  expect_sums(table, result);
}

// The first chunks have no row that passes, so that nothing is known of keys or floats; then there are both. Scalars are packed in memory.
TEST_P(DenseGroups, RowsThatPassAfterTheSampleAreFound) {
  constexpr std::size_t rows = 1600;
  std::vector<std::int64_t> key(rows);
  std::vector<double> x(rows);
  for (std::size_t i = 0; i < rows; i++) key[i] = static_cast<std::int64_t>(i / 40) - 20, x[i] = static_cast<double>(i) * 0x1p40;
  for (const std::int64_t least : {0, 50}) {
    SCOPED_TRACE(least);
    Plan plan;
    const StepId source = plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
    Builder f(plan.step(source).schema);
    TAKE(NodeId passes, f.binary(Op::greater_equal, f.column(0u), f.captured(Scalar::of(Type{Kind::int64}, Int128{least}))));
    for (int i = 0; i < 60; i++) {
      TAKE(const NodeId other, f.binary(Op::not_equal, f.column(0u), f.captured(Scalar::of(Type{Kind::int64}, Int128{100 + i}))));
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
      EXPECT_EQ(scalar_at(result.columns[1], row).real, (40.0 * static_cast<double>(800 + 40 * row) + 780) * 0x1p40) << row;
  }
}

// The product of all keys' ranges, with NULL beside each, just below and above 2^31 slots, and ranges of all 64 bits.
TEST_P(DenseGroups, RangesWhoseProductIsNoTableTakeAnotherVariant) {
  for (const std::int64_t wide : {std::int64_t{46339}, std::int64_t{46340}, std::int64_t{1} << 31, INT64_MAX}) {
    SCOPED_TRACE(wide);
    std::vector<std::optional<std::int64_t>> a(400), c(400);
    std::vector<std::int32_t> x(400);
    for (std::size_t i = 0; i < a.size(); i++) {
      x[i] = static_cast<std::int32_t>(i);
      if (i % 7 != 0) a[i] = i % 2 ? wide - 1 : wide == INT64_MAX ? INT64_MIN : 0;
      if (i % 5 != 0) c[i] = i % 3 ? wide - 1 : 0;
    }
    const Table table = Table::of({{"a", Column::from(a)}, {"c", Column::from(c)}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups, 192));
    EXPECT_EQ(variant, "group_local");
    expect_sums(table, result);
  }
}

// 53 bits at any place of five limbs, of both signs, so that sums cross 0 and carries run through all limbs; negative zeros among them.
TEST_P(DenseGroups, WideFloatsAreExact) {
  constexpr std::size_t rows = 4000;
  std::mt19937_64 numbers(5);
  std::vector<double> x(rows);
  std::vector<std::uint8_t> key(rows);
  std::map<std::uint8_t, Int128> expected;      // in units of 2^-60
  for (std::size_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::uint8_t>(i % 40);
    const Int128 mantissa = static_cast<std::int64_t>(numbers() >> (11 + numbers() % 53)) << (numbers() % 60);
    const Int128 units = i % 7 == 0 ? 0 : i % 2 ? mantissa : -mantissa;
    x[i] = i % 7 == 0 ? -0.0 : std::ldexp(static_cast<double>(units), -60);
    expected[key[i]] += units;
  }
  const Table table = Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}});
  Plan plan;
  TAKE(const StepId groups, sums_by_all_but_last(plan, table));
  TAKE(const Table result, grouped(plan, groups, 4032));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, 40u);
  for (std::uint64_t row = 0; row < 40; row++)
    EXPECT_EQ(scalar_at(result.columns[1], row).real, std::ldexp(static_cast<double>(expected[static_cast<std::uint8_t>(row)]), -60))
        << row;
}

// The value is one more key, and no accumulator tells whether a row came.
TEST_P(DenseGroups, DistinctValuesAreKeys) {
  constexpr std::size_t rows = 1100;
  const std::vector<std::optional<std::int16_t>> key = with_nulls<std::int16_t>(rows, -2, 4);
  const std::vector<std::optional<std::int32_t>> x = with_nulls<std::int32_t>(rows, INT32_MAX - 30, 31);
  std::map<std::optional<std::int16_t>, std::set<std::int32_t>> expected;
  for (std::size_t i = 0; i < rows; i++)
    if (auto& values = expected[key[i]]; x[i]) values.insert(*x[i]);
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
  Builder b(plan.step(source).schema);
  AggregateCall counted{Aggregate::count, b.column(1u), "count", nullptr}, summed{Aggregate::sum, b.column(1u), "sum", nullptr};
  counted.distinct = summed.distinct = true;
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, {counted, summed}));
  TAKE(const Table result, grouped(plan, groups, 320));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, expected.size());
  for (std::uint64_t row = 0; row < result.row_count; row++) {
    const Scalar found = scalar_at(result.columns[0], row);
    const auto& values = expected[found.is_null ? std::nullopt : std::optional(static_cast<std::int16_t>(found.integer))];
    EXPECT_EQ(scalar_at(result.columns[1], row).integer, static_cast<Int128>(values.size())) << row;
    EXPECT_TRUE(scalar_at(result.columns[2], row).integer == std::accumulate(values.begin(), values.end(), Int128{0})) << row;
  }
}

}  // namespace
}  // namespace penstock::plan
