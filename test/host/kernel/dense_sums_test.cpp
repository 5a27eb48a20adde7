// Sums by keys of known ranges, on the host executor, under sanitizers: exact sums of floats and
// integers, values that the limbs do not hold, and none at all.
#include <cmath>
#include <random>

#include "host/kernel/dense_groups.hpp"

namespace penstock::plan {
namespace {

class DenseSums : public DenseGroups {};
class DenseSumsOfFloat64 : public DenseGroups {
};  // which a word of group_dense_narrow does not hold
INSTANTIATE_TEST_SUITE_P(
    Devices, DenseSums,
    ::testing::Values(Where{"group_dense", {false, 32, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_narrow", {false, 32, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_partitioned", {false, 64, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_global", {false, 64, kernel::ThreadOrder::reverse}}));
INSTANTIATE_TEST_SUITE_P(
    Devices, DenseSumsOfFloat64,
    ::testing::Values(Where{"group_dense", {false, 32, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_partitioned", {false, 64, kernel::ThreadOrder::shuffled}},
                      Where{"group_dense_global", {false, 64, kernel::ThreadOrder::reverse}}));

// A sum is exact while the largest value of later chunks is 2^11 times that of the first; beyond,
// the layout is made anew.
TEST_P(DenseSumsOfFloat64, FloatsLargerThanTheSampleAreAddedExactly) {
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
      EXPECT_DOUBLE_EQ(scalar_at(result.columns[1], row).real,
                       row == 0 ? 239 * 0.125 + larger : 30.0)
          << row;
  }
}

TEST_P(DenseSumsOfFloat64, FloatsWithoutAPlaceTakeAnotherVariant) {
  for (const double outside : {HUGE_VAL, -HUGE_VAL, std::nan(""), 0x1p-1074}) {
    SCOPED_TRACE(outside);
    std::vector<double> x(100, 1e6);
    x[77] = outside;
    const Table table = Table::of(
        {{"key", Column::from(std::vector<std::int32_t>(100, 3))}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups));
    EXPECT_EQ(variant, "group");
    const double sum = scalar_at(result.columns[1], 0).real, wanted = 99e6 + outside;
    EXPECT_TRUE(std::isnan(wanted) ? std::isnan(sum) : sum == wanted) << sum;
  }
}

// Rounded once, whatever the work groups: float32 over its four limbs, of both signs, and the same
// bits in every order of threads.
TEST_P(DenseSums, NarrowFloatsAreExact) {
  constexpr std::size_t rows = 4000;
  std::mt19937_64 numbers(12);
  std::vector<float> x(rows);
  std::vector<std::uint8_t> key(rows);
  std::map<std::uint8_t, Int128> expected;  // in units of 2^-40
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
    EXPECT_EQ(scalar_at(result.columns[1], row).real,
              std::ldexp(static_cast<double>(expected[static_cast<std::uint8_t>(row)]), -40));
}

// Sums of 64 bits that leave 64, borrow through all limbs, and extremes of narrow types.
TEST_P(DenseSums, IntegersAreExact) {
  constexpr std::size_t rows = 1500;
  std::mt19937_64 numbers(3);
  std::vector<std::int64_t> i64(rows);
  std::vector<std::uint64_t> u64(rows);
  std::vector<std::optional<float>> f32(rows);
  std::vector<std::int32_t> key(rows);
  struct Expected {
    Int128 signed_sum = 0, unsigned_sum = 0;
    float least = HUGE_VALF, most = -HUGE_VALF;
  };
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
  const StepId source = plan.source(table_source(Table::of({{"key", Column::from(key)},
                                                            {"i64", Column::from(i64)},
                                                            {"u64", Column::from(u64)},
                                                            {"f32", Column::from(f32)}})));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "a", nullptr},
                                            {Aggregate::sum, b.column(2u), "b", nullptr},
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

// Without a count of rows a slot is known to have some by its sums: of zeros, of values that
// cancel, of values far below the largest, and of NULLs.
TEST_P(DenseSums, GroupsWhoseSumsAreZeroAreNotLost) {
  constexpr int groups = 40;
  std::vector<std::int32_t> key, whole;
  std::vector<float> x;
  std::vector<std::optional<float>> partly;
  std::vector<double> expected(groups);
  for (std::int32_t i = 0; i < groups * 6; i++) {
    const std::int32_t k = i % groups, turn = i / groups;
    const float size = k % 4 == 0 ? 0.0f : k % 4 == 1 ? 1e6f : k % 4 == 2 ? 0x1p-30f : 3.0f;
    key.push_back(k);
    x.push_back(turn % 2 == 0 ? size : -size);
    if (k % 4 == 3) x.back() = size, expected[static_cast<std::size_t>(k)] += 3.0;
    whole.push_back(static_cast<std::int32_t>(x.back()));
    partly.push_back(k % 5 == 0 ? std::nullopt : std::optional<float>(x.back()));
  }
  const Table table = Table::of({{"key", Column::from(key)},
                                 {"x", Column::from(x)},
                                 {"whole", Column::from(whole)},
                                 {"partly", Column::from(partly)}});
  for (std::uint32_t column = 1; column <= 3; column++) {
    SCOPED_TRACE(table.names[column]);
    Plan plan;
    const StepId source = plan.source(table_source(table));
    Builder b(plan.step(source).schema);
    const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(column), "sum", nullptr}};
    TAKE(const StepId sums, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
    TAKE(const Table result, grouped(plan, sums));
    EXPECT_EQ(variant, GetParam().variant);
    ASSERT_EQ(result.row_count, static_cast<std::uint64_t>(groups));
    for (std::uint64_t row = 0; row < groups; row++) {
      const Scalar sum = scalar_at(result.columns[1], row);
      if (column == 3 && row % 5 == 0)
        EXPECT_TRUE(sum.is_null) << row;
      else
        EXPECT_EQ(column == 2 ? static_cast<double>(sum.integer) : sum.real, expected[row]) << row;
    }
  }
}

// Infinity's exponent has a place among limbs of the largest floats.
TEST_P(DenseSums, NarrowFloatsThatAreNoNumbersAreNotAdded) {
  for (const float outside : {HUGE_VALF, -HUGE_VALF, std::nanf("")}) {
    SCOPED_TRACE(outside);
    std::vector<float> x(100, 0x1p126f);
    x[77] = outside;
    const Table table = Table::of(
        {{"key", Column::from(std::vector<std::int32_t>(100, 3))}, {"x", Column::from(x)}});
    Plan plan;
    TAKE(const StepId groups, sums_by_all_but_last(plan, table));
    TAKE(const Table result, grouped(plan, groups));
    EXPECT_EQ(variant, "group");
    const double sum = scalar_at(result.columns[1], 0).real;
    EXPECT_TRUE(std::isnan(outside) ? std::isnan(sum) : sum == static_cast<double>(outside)) << sum;
  }
}

// A slot that rows came to, but no value: in some work groups, or in all of them.
TEST_P(DenseSums, AggregatesOfNoValueAreNull) {
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
  const StepId source = plan.source(table_source(
      Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}, {"y", Column::from(y)}})));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "a", nullptr},
                                            {Aggregate::minimum, b.column(1u), "b", nullptr},
                                            {Aggregate::sum, b.column(2u), "c", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  TAKE(const Table result, grouped(plan, groups));
  EXPECT_EQ(variant, GetParam().variant);
  ASSERT_EQ(result.row_count, 5u);
  for (std::uint64_t row = 0; row < 5; row++)
    for (std::size_t c = 1; c < 4; c++)
      EXPECT_EQ(scalar_at(result.columns[c], row).is_null, row == 2) << row << " " << c;
  EXPECT_TRUE(scalar_at(result.columns[1], 3).integer == 4 * 7);
}

// More keys than `group` has slots, and floats that only limbs of a fixed place hold: from 2^47
// down to bits of 2^-73.
TEST_P(DenseSumsOfFloat64, ManyKeysWhoseFloatsHaveNoPlaceAreLookedUp) {
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

// 53 bits at any place of five limbs, of both signs, so that sums cross 0 and carries run through
// all limbs; negative zeros among them.
TEST_P(DenseSumsOfFloat64, WideFloatsAreExact) {
  constexpr std::size_t rows = 4000;
  std::mt19937_64 numbers(5);
  std::vector<double> x(rows);
  std::vector<std::uint8_t> key(rows);
  std::map<std::uint8_t, Int128> expected;  // in units of 2^-60
  for (std::size_t i = 0; i < rows; i++) {
    key[i] = static_cast<std::uint8_t>(i % 40);
    const Int128 mantissa = static_cast<std::int64_t>(numbers() >> (11 + numbers() % 53))
                            << (numbers() % 60);
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
    EXPECT_EQ(scalar_at(result.columns[1], row).real,
              std::ldexp(static_cast<double>(expected[static_cast<std::uint8_t>(row)]), -60))
        << row;
}

}  // namespace
}  // namespace penstock::plan
