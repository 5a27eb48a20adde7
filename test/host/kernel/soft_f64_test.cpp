// float64 in software, as Metal has it, against this machine's: bit for bit, but for the functions
// that only have a bound.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
namespace penstock::soft {
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
#define FUNCTION [[maybe_unused]] static inline
#define TABLE(T, NAME, n) static constexpr T NAME[n]
#define CLZ_U64(x) static_cast<u32>(std::countl_zero(static_cast<u64>(x)))
#define MUL_HIGH_U64(a, b) multiply_high(a, b)
static inline u64 multiply_high(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<u64>(Wide{a} * b >> 64);
}
#include "kernel/soft_f64.kc"
#include "kernel/soft_f64_math.kc"
}  // namespace penstock::soft
#undef FUNCTION
#undef TABLE
#undef CLZ_U64
#undef MUL_HIGH_U64
#pragma GCC diagnostic pop

namespace penstock::soft {
namespace {

double real(u64 bits) { return std::bit_cast<double>(bits); }
u64 bits_of(double x) { return std::isnan(x) ? SOFT_NAN : std::bit_cast<u64>(x); }

class Values {
 public:
  // Any bits, ends of ranges, neighbours of another number, and whole numbers over a power of 2.
  u64 next(u64 other = 0) {
    switch (random_() % 4) {
      case 0: return random_();
      case 1: return corner();
      case 2: return other ^ (random_() & ((u64{1} << (random_() % 60)) - 1));
      default:
        return bits_of(static_cast<double>(static_cast<i64>(random_() >> (random_() % 64))) /
                       static_cast<double>(u64{1} << (random_() % 20)));
    }
  }
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

 private:
  u64 corner() {
    constexpr u64 exponents[] = {0,    1,    2,    51,   52,   53,   870,  873,  874,  894,  895,
                                 896,  897,  970,  971,  1021, 1022, 1023, 1024, 1025, 1074, 1075,
                                 1076, 1085, 1086, 1087, 1150, 1151, 2045, 2046, 2047};
    constexpr u64 all = SOFT_FRACTION;
    const u64 bit = u64{1} << (random_() % 52);
    const u64 fractions[] = {0, 1, all, bit, all & ~(bit - 1), random_() & all};
    const u64 exponent =
        random_() % 3 == 0 ? 1023 + random_() % 64 : exponents[random_() % std::size(exponents)];
    return (random_() & 1) << 63 | exponent << 52 | fractions[random_() % std::size(fractions)];
  }
  std::mt19937_64 random_{1};
};

constexpr int pair_count = 1'000'000;

TEST(SoftFloat64, ArithmeticAndComparisonsAreTheMachinesBitForBit) {
  Values values;
  for (int i = 0; i < pair_count; i++) {
    const u64 a = values.next(), b = values.next(a);
    const double x = real(a), y = real(b);
    ASSERT_EQ(soft_add(a, b), bits_of(x + y)) << x << " + " << y;
    ASSERT_EQ(soft_subtract(a, b), bits_of(x - y)) << x << " - " << y;
    ASSERT_EQ(soft_multiply(a, b), bits_of(x * y)) << x << " * " << y;
    ASSERT_EQ(soft_divide(a, b), bits_of(x / y)) << x << " / " << y;
    ASSERT_EQ(soft_is_equal(a, b) != 0, x == y) << x << " == " << y;
    ASSERT_EQ(soft_is_less(a, b) != 0, x < y) << x << " < " << y;
    ASSERT_EQ(soft_is_less_or_equal(a, b) != 0, x <= y) << x << " <= " << y;
    if (i % 16 == 0) { ASSERT_EQ(soft_fmod(a, b), bits_of(std::fmod(x, y))) << x << " % " << y; }
  }
}

TEST(SoftFloat64, RootsAndWholeNumbersAreTheMachinesBitForBit) {
  Values values;
  for (int i = 0; i < pair_count; i++) {
    const u64 a = values.next();
    const double x = real(a);
    ASSERT_EQ(soft_sqrt(a), bits_of(std::sqrt(x))) << x;
    ASSERT_EQ(soft_trunc(a), bits_of(std::trunc(x))) << x;
    ASSERT_EQ(soft_floor(a), bits_of(std::floor(x))) << x;
    ASSERT_EQ(soft_ceil(a), bits_of(std::ceil(x))) << x;
    ASSERT_EQ(soft_round_half_away(a), bits_of(std::round(x))) << x;
    ASSERT_EQ(soft_rint(a), bits_of(std::rint(x))) << x;
  }
}

TEST(SoftFloat64, ConversionsAreTheMachinesBitForBit) {
  Values values;
  for (int i = 0; i < pair_count; i++) {
    const u64 a = values.next();
    const double x = real(a);
    const float narrow = static_cast<float>(x), single = std::bit_cast<float>(static_cast<u32>(a));
    ASSERT_EQ(soft_to_f32_bits(a),
              std::isnan(narrow) ? u32{0x7fc00000} : std::bit_cast<u32>(narrow))
        << x;
    ASSERT_EQ(soft_of_f32_bits(static_cast<u32>(a)), bits_of(single)) << single;
    ASSERT_EQ(soft_of_u64(a), bits_of(static_cast<double>(a))) << a;
    ASSERT_EQ(soft_of_i64(static_cast<i64>(a)), bits_of(static_cast<double>(static_cast<i64>(a))));
    if (x >= -0x1p63 && x < 0x1p63) { ASSERT_EQ(soft_to_i64(a), static_cast<i64>(x)) << x; }
    if (x > -1 && x < 0x1p64) { ASSERT_EQ(soft_to_u64(a), static_cast<u64>(x)) << x; }
  }
}

// In units of the last place of the result, which long double has 11 bits more than.
double distance(u64 result, long double wanted) {
  const double narrow = static_cast<double>(wanted), got = real(result);
  if (!std::isfinite(narrow) || !std::isfinite(got) || narrow == 0)
    return bits_of(got) == bits_of(narrow) ? 0 : std::numeric_limits<double>::infinity();
  int exponent = 0;
  std::frexp(narrow, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, -1021) - 53);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - wanted) / unit);
}

// The bounds of OpenCL 1.2, section 7.4.
TEST(SoftFloat64, FunctionsAreWithinTheBoundsOfOtherDevices) {
  Values values;
  for (int i = 0; i < pair_count / 10; i++) {
    const u64 a = i % 3 == 0
                      ? values.next()
                      : bits_of(i % 3 == 1 ? values.between(-800, 800) : values.between(0.5, 2));
    const long double x = real(a);
    ASSERT_LE(distance(soft_exp(a), std::exp(x)), 3) << x;
    ASSERT_LE(distance(soft_log(a), std::log(x)), 3) << x;
    ASSERT_LE(distance(soft_log10(a), std::log10(x)), 3) << x;
    ASSERT_LE(distance(soft_sin(a), std::sin(x)), 4) << x;
    ASSERT_LE(distance(soft_cos(a), std::cos(x)), 4) << x;
    ASSERT_LE(distance(soft_tan(a), std::tan(x)), 5) << x;
    const u64 b = i % 2 == 0 ? values.next() : bits_of(values.between(-900, 900));
    ASSERT_LE(distance(soft_pow(a, b), std::pow(x, static_cast<long double>(real(b)))), 16)
        << x << " to the " << real(b);
  }
}

TEST(SoftFloat64, PowersOfEndsAreTheMachines) {
  const double infinity = std::numeric_limits<double>::infinity(), ends[] = {0.0,
                                                                             -0.0,
                                                                             1,
                                                                             -1,
                                                                             2,
                                                                             -2,
                                                                             3,
                                                                             -3,
                                                                             0.5,
                                                                             -0.5,
                                                                             1.5,
                                                                             infinity,
                                                                             -infinity,
                                                                             std::nan(""),
                                                                             5e-324,
                                                                             -5e-324,
                                                                             9007199254740991,
                                                                             -9007199254740994,
                                                                             1e300};
  for (const double x : ends)
    for (const double y : ends)
      EXPECT_LE(distance(soft_pow(bits_of(x), bits_of(y)),
                         std::pow(static_cast<long double>(x), static_cast<long double>(y))),
                16)
          << x << " to the " << y;
}

}  // namespace
}  // namespace penstock::soft
