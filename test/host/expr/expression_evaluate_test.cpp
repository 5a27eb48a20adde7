// evaluate() on NULL, NaN and faults: the meaning that emitted kernels are held to.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "penstock/expression.hpp"

namespace penstock {
namespace {

// Columns: a and b boolean, x and y int32, all nullable; r and s float64, q float32.
const Schema evaluated_schema{{"a", {Kind::boolean}, true}, {"b", {Kind::boolean}, true},
                              {"x", {Kind::int32}, true},   {"y", {Kind::int32}, true},
                              {"r", {Kind::float64}, true}, {"s", {Kind::float64}, true}};

struct InputRow {
  std::vector<Scalar> values;
  InputRow() {
    for (const Field& field : evaluated_schema) values.push_back(Scalar::null_of(field.type));
  }
  template <class T> InputRow& set(std::size_t column, T value) {
    values[column] = Scalar::of(evaluated_schema[column].type, value);
    return *this;
  }
};

Evaluated run(Builder& b, const Result<NodeId>& root, const InputRow& row) {
  EXPECT_TRUE(root.ok()) << root.status().text();
  return evaluate(*b.graph(), {&*root, 1}, row.values)[0];
}

// 'T', 'F', 'N' for NULL, 'X' for a fault.
char state(const Evaluated& result) {
  if (result.fault != Code::ok) return 'X';
  return result.value.is_null ? 'N' : result.value.integer != 0 ? 'T' : 'F';
}

// A boolean in each state: column a or b, or (1 // x) = 1 with x = 0 for the fault.
NodeId in_state(Builder& b, char wanted, std::uint32_t column, InputRow& row) {
  if (wanted == 'T' || wanted == 'F') row.set(column, wanted == 'T');
  if (wanted != 'X') return b.column(column);
  row.set(2 + column, 0);
  return *b.binary(Op::equal,
                   *b.binary(Op::integer_divide, b.literal(Scalar::of(1)), b.column(2 + column)),
                   b.literal(Scalar::of(1)));
}

TEST(Evaluate, AndOrFollowKleeneAndADecidingSideHidesTheOthersFault) {
  const std::string states = "TFNX";
  const char* and_table[] = {"TFNX", "FFFF", "NFNX", "XFXX"};
  const char* or_table[] = {"TTTT", "TFNX", "TNNX", "TXXX"};
  for (std::size_t i = 0; i < 4; i++)
    for (std::size_t j = 0; j < 4; j++) {
      Builder builder(evaluated_schema);
      InputRow row;
      const NodeId left = in_state(builder, states[i], 0, row),
                   right = in_state(builder, states[j], 1, row);
      EXPECT_EQ(state(run(builder, builder.binary(Op::and_, left, right), row)), and_table[i][j])
          << states[i] << " AND " << states[j];
      EXPECT_EQ(state(run(builder, builder.binary(Op::or_, left, right), row)), or_table[i][j])
          << states[i] << " OR " << states[j];
    }
}

TEST(Evaluate, TheFirstInputsFaultWins) {
  Builder b(evaluated_schema);
  InputRow row;
  const NodeId left = in_state(b, 'X', 0, row), right = in_state(b, 'X', 1, row);
  for (Op op : {Op::and_, Op::or_, Op::equal}) {
    const Evaluated result = run(b, b.binary(op, left, right), row);
    EXPECT_EQ(result.fault, Code::invalid);
    EXPECT_EQ(text_of(*b.graph(), result.fault_node, evaluated_schema), "(1 // x)") << name_of(op);
  }
}

TEST(Evaluate, ANullResultCarriesNoFault) {
  Builder b(evaluated_schema);
  InputRow row;
  row.set(2, 1).set(3, 0);
  const NodeId quotient = *b.binary(Op::integer_divide, b.column(2), b.column(3));
  EXPECT_EQ(run(b, quotient, row).fault, Code::invalid);
  EXPECT_EQ(run(b, b.binary(Op::add, quotient, *b.cast(b.column(0), {Kind::int32})), row).fault,
            Code::ok)
      << "a is NULL";
  EXPECT_EQ(run(b, quotient, InputRow().set(3, 0)).fault, Code::ok) << "NULL // 0 is NULL";
}

TEST(Evaluate, OnlyTheTakenBranchFaults) {
  Builder b(evaluated_schema);
  const NodeId quotient = *b.binary(Op::integer_divide, b.literal(Scalar::of(6)), b.column(2));
  const NodeId guarded = *b.select(*b.binary(Op::equal, b.column(2), b.literal(Scalar::of(0))),
                                   b.literal(Scalar::of(-1)), quotient);
  EXPECT_EQ(text_of(run(b, guarded, InputRow().set(2, 0)).value), "-1");
  EXPECT_EQ(text_of(run(b, guarded, InputRow().set(2, 3)).value), "2");
  const NodeId chosen = *b.select(b.column(0), b.literal(Scalar::of(1)), quotient);
  EXPECT_EQ(run(b, chosen, InputRow().set(2, 0)).fault, Code::invalid)
      << "a NULL condition takes the second branch";
  const NodeId fallback = *b.variadic(Op::coalesce, {b.column(3), quotient});
  EXPECT_EQ(run(b, fallback, InputRow().set(2, 0).set(3, 9)).fault, Code::ok);
  EXPECT_EQ(run(b, fallback, InputRow().set(2, 0)).fault, Code::invalid);
}

TEST(Evaluate, LeastAndGreatestSkipNulls) {
  Builder b(evaluated_schema);
  const NodeId least = *b.variadic(Op::least, {b.column(2), b.column(3)}),
               greatest = *b.variadic(Op::greatest, {b.column(2), b.column(3)});
  EXPECT_EQ(text_of(run(b, least, InputRow().set(3, 4)).value), "4");
  EXPECT_EQ(text_of(run(b, greatest, InputRow().set(2, -4).set(3, 4)).value), "4");
  EXPECT_TRUE(run(b, least, InputRow()).value.is_null);
}

TEST(Evaluate, FloatsHaveOneTotalOrder) {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<double, int> ranked[] = {{-infinity, 0}, {-1.5, 1},     {-0.0, 2}, {0.0, 2},
                                           {1.5, 3},       {infinity, 4}, {nan, 5},  {-nan, 5}};
  Builder b(evaluated_schema);
  for (const bool narrow : {false, true}) {
    const auto side = [&](std::uint32_t column) {
      return narrow ? *b.cast(b.column(column), {Kind::float32}) : b.column(column);
    };
    const NodeId less = *b.binary(Op::less, side(4), side(5)),
                 equal = *b.binary(Op::equal, side(4), side(5));
    for (const auto& [left, left_rank] : ranked)
      for (const auto& [right, right_rank] : ranked) {
        const InputRow row = InputRow().set(4, left).set(5, right);
        EXPECT_EQ(run(b, less, row).value.integer != 0, left_rank < right_rank)
            << left << " < " << right;
        EXPECT_EQ(run(b, equal, row).value.integer != 0, left_rank == right_rank)
            << left << " = " << right;
      }
  }
}

// 16777216 + 1 + 1 is 16777218 in double and 16777216 in float.
TEST(Evaluate, Float32IsNotComputedInDouble) {
  Builder b(evaluated_schema);
  const NodeId narrow = *b.cast(b.column(4), {Kind::float32}), one = b.captured(Scalar::of(1.0f));
  const NodeId sum = *b.binary(Op::add, *b.binary(Op::add, narrow, one), one);
  EXPECT_EQ(text_of(run(b, sum, InputRow().set(4, 16777216.0)).value), "16777216.0");
}

// Columns: sums of DECIMAL(18,2), DECIMAL(18,0) and DECIMAL(18,18), which have up to 38 digits;
// unsigned whole numbers.
const Schema wide_schema{{"c", Type{Kind::decimal, 38, 2}, true},
                         {"n", Type{Kind::decimal, 38, 0}, true},
                         {"f", Type{Kind::decimal, 38, 18}, true},
                         {"u", {Kind::uint64}, true}};

Evaluated run_wide(Builder& b, const Result<NodeId>& root, std::uint32_t column, Int128 value,
                   std::uint32_t other = 0, Int128 with = 0) {
  EXPECT_TRUE(root.ok()) << root.status().text();
  std::vector<Scalar> row;
  for (const Field& field : wide_schema) row.push_back(Scalar::of(field.type, Int128{0}));
  row[other] = Scalar::of(wide_schema[other].type, with);
  row[column] = Scalar::of(wide_schema[column].type, value);
  return evaluate(*b.graph(), {&*root, 1}, row)[0];
}

TEST(Evaluate, DecimalsOverSixtyFourBitsBecomeTheNearestFloat) {
  const Int128 many = Int128{1000000000000000000};
  for (const Kind kind : {Kind::float64, Kind::float32}) {
    Builder b(wide_schema);
    const auto cast = b.cast(b.column(0), {kind}), tiny = b.cast(b.column(2), {kind});
    const auto rounded = [&](double value) {
      return kind == Kind::float64 ? value : static_cast<double>(static_cast<float>(value));
    };
    EXPECT_EQ(run_wide(b, cast, 0, 200 * many - 200).value.real, rounded(2e18));
    EXPECT_EQ(run_wide(b, cast, 0, -(200 * many - 200)).value.real, rounded(-2e18));
    EXPECT_EQ(run_wide(b, cast, 0, many * many * 99).value.real, rounded(99e34));
    EXPECT_EQ(run_wide(b, tiny, 2, 20 * many + many / 2).value.real, rounded(20.5));
    EXPECT_EQ(run_wide(b, tiny, 2, (many / 8 * 9 << 53) + 1).value.real, rounded(0x1.2p53));
  }
}

TEST(Evaluate, SumsOfDecimalsOfFarScalesCompareByValue) {
  Builder b(wide_schema);
  const auto less = b.binary(Op::less, b.column(1), b.column(2));
  const Int128 sum =
      Int128{200} * 999999999999999999;  // 10^18 times as much has more than 127 bits
  EXPECT_EQ(state(run_wide(b, less, 1, sum, 2, sum)), 'F');
  EXPECT_EQ(state(run_wide(b, less, 1, -sum, 2, sum)), 'T');
  EXPECT_EQ(state(run_wide(b, less, 1, -sum, 2, -sum)), 'T');
}

TEST(Evaluate, AProductOfMoreThan127BitsOverflows) {
  Builder b(wide_schema);
  const NodeId u = b.column(3);
  const auto square = b.binary(Op::multiply, u, u);
  for (const std::uint64_t value :
       {UINT64_MAX, std::uint64_t{0xb504f333f9de6485}, std::uint64_t{1} << 63})
    EXPECT_EQ(run_wide(b, square, 3, Int128{value}).fault, Code::overflow) << value;
}

// 10^38 - 1 is more than half of what 128 bits hold: sums of two may exceed them.
TEST(Evaluate, DecimalsOf38DigitsOverflowBeyondThem) {
  Builder b(wide_schema);
  const NodeId c = b.column(0), n = b.column(1);
  const Int128 ten_19 = Int128{10000000000000000000U}, most = ten_19 * ten_19 - 1;
  const auto sum = b.binary(Op::add, n, n), difference = b.binary(Op::subtract, b.column(0), c),
             next = b.binary(Op::add, n, b.literal(Scalar::of(1))),
             twice = b.binary(Op::multiply, n, b.literal(Scalar::of(2)));
  EXPECT_EQ(run_wide(b, sum, 1, most).fault, Code::overflow);
  EXPECT_EQ(run_wide(b, sum, 1, -most).fault, Code::overflow);
  EXPECT_EQ(run_wide(b, next, 1, most).fault, Code::overflow);
  EXPECT_EQ(run_wide(b, twice, 1, most).fault, Code::overflow);
  EXPECT_EQ(text_of(run_wide(b, next, 1, most - 1).value),
            "99999999999999999999999999999999999999");
  EXPECT_EQ(text_of(run_wide(b, next, 1, -most).value), "-99999999999999999999999999999999999998");
  EXPECT_EQ(text_of(run_wide(b, difference, 0, -most).value), "0.00");
}

// A sum may have any count of 128 bits.
TEST(Evaluate, TheLeast128BitsHaveNoNegation) {
  Builder b(wide_schema);
  const Int128 least = static_cast<Int128>(static_cast<unsigned __int128>(1) << 127);
  EXPECT_EQ(run_wide(b, b.unary(Op::negate, b.column(1)), 1, least).fault, Code::overflow);
  EXPECT_EQ(run_wide(b, b.unary(Op::absolute, b.column(1)), 1, least).fault, Code::overflow);
}

TEST(Evaluate, CastsOf38DigitsRoundHalfAwayAndKeepToTheirDigits) {
  Builder b(wide_schema);
  const Int128 ten_19 = Int128{10000000000000000000U}, most = ten_19 * ten_19 - 1;
  const auto whole = b.cast(b.column(0), Type::decimal(37, 0)),
             finer = b.cast(b.column(1), Type::decimal(38, 1)),
             narrow = b.cast(b.column(1), Type::decimal(18, 0)),
             bigint = b.cast(b.column(0), {Kind::int64});
  EXPECT_EQ(text_of(run_wide(b, whole, 0, most).value), "1" + std::string(36, '0'));
  EXPECT_EQ(text_of(run_wide(b, whole, 0, -150).value), "-2");
  EXPECT_EQ(text_of(run_wide(b, whole, 0, 149).value), "1");
  EXPECT_EQ(run_wide(b, finer, 1, most).fault, Code::overflow);
  EXPECT_EQ(run_wide(b, narrow, 1, ten_19 / 10).fault, Code::overflow);
  EXPECT_EQ(text_of(run_wide(b, narrow, 1, 1 - ten_19 / 10).value), "-999999999999999999");
  EXPECT_EQ(run_wide(b, bigint, 0, most).fault, Code::overflow);
}

TEST(Scalars, ColumnsReturnWhatTheyWereMadeOf) {
  const std::vector<Scalar> samples[] = {
      {Scalar::of(true), Scalar::null_of({Kind::boolean}), Scalar::of(false)},
      {Scalar::of(std::int8_t{-128}), Scalar::of(std::int8_t{127})},
      {Scalar::of(UINT64_MAX), Scalar::null_of({Kind::uint64}), Scalar::of(std::uint64_t{0})},
      {Scalar::of(1.5f), Scalar::of(-0.0f)},
      {Scalar::of(Type{Kind::date32}, -1), Scalar::of(Type{Kind::date32}, 20000)},
      {Scalar::of(Type::decimal(15, 2), -1), Scalar::null_of(Type::decimal(15, 2))},
      {Scalar::of(Type::decimal(38, 2), Int128{INT64_MAX} * 1000),
       Scalar::of(Type::decimal(38, 2), Int128{INT64_MIN} * 1000)},
      {Scalar::of(std::string("a")), Scalar::null_of({Kind::string}), Scalar::of(std::string())},
  };
  for (const std::vector<Scalar>& values : samples) {
    const Column column = column_of(values[0].type, values);
    ASSERT_EQ(column.row_count, values.size());
    for (std::size_t row = 0; row < values.size(); row++) {
      const Scalar back = scalar_at(column, row);
      EXPECT_EQ(back.is_null, values[row].is_null) << name_of(values[0].type);
      EXPECT_EQ(text_of(back), text_of(values[row])) << name_of(values[0].type);
    }
  }
}

}  // namespace
}  // namespace penstock
