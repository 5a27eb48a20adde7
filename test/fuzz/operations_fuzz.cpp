// The operations of expressions on any bits: total (UndefinedBehaviorSanitizer ends the program
// otherwise), and their overflow predicates right against 128-bit arithmetic.
#define GROUP_SIZE 1
// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
namespace kernelc {
#include "kernel/group.kc"
#include "expr/operations.kc"
}
// clang-format on
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace {

using kernelc::i64;
using kernelc::u32;
using kernelc::u64;
using Wide = __int128;

void require(bool holds, const char* claim, Wide a, Wide b) {
  if (holds) return;
  std::fprintf(stderr, "%s fails for %lld and %lld\n", claim, static_cast<long long>(a),
               static_cast<long long>(b));
  std::abort();
}

// The product of two 64-bit words without sign needs 128 bits and none for a sign.
Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}
template <class T> bool product_fits(Wide a, Wide b) {
  T narrow;
  return !__builtin_mul_overflow(static_cast<T>(a), static_cast<T>(b), &narrow);
}
template <class T> bool fits(Wide value) {
  return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
}

#define CHECK_ARITHMETIC(T)                                                                        \
  {                                                                                                \
    using namespace kernelc;                                                                       \
    T a, b;                                                                                        \
    std::memcpy(&a, data, sizeof a);                                                               \
    std::memcpy(&b, data + 8, sizeof b);                                                           \
    const Wide wa = a, wb = b;                                                                     \
    require((add_overflows_##T(a, b) != 0) == !fits<T>(wa + wb), "add_overflows_" #T, wa, wb);     \
    require((subtract_overflows_##T(a, b) != 0) == !fits<T>(wa - wb), "subtract_overflows_" #T,    \
            wa, wb);                                                                               \
    require((multiply_overflows_##T(a, b) != 0) == !product_fits<T>(wa, wb),                       \
            "multiply_overflows_" #T, wa, wb);                                                     \
    require((negate_overflows_##T(a) != 0) == !fits<T>(-wa), "negate_overflows_" #T, wa, wb);      \
    require(add_##T(a, b) == static_cast<T>(wa + wb), "add_" #T, wa, wb);                          \
    require(subtract_##T(a, b) == static_cast<T>(wa - wb), "subtract_" #T, wa, wb);                \
    require(multiply_##T(a, b) == static_cast<T>(product(wa, wb)), "multiply_" #T, wa, wb);        \
    if (wb != 0 && fits<T>(wa / wb))                                                               \
      require(quotient_##T(a, b) == static_cast<T>(wa / wb), "quotient_" #T, wa, wb);              \
    if (wb != 0) require(remainder_##T(a, b) == static_cast<T>(wa % wb), "remainder_" #T, wa, wb); \
    quotient_##T(a, b);                                                                            \
    remainder_##T(a, b);                                                                           \
    if (wa >= 0 && wb >= 0 && wb < Wide(8 * sizeof(T)))                                            \
      require((shift_left_overflows_##T(a, b) != 0) == !fits<T>(wa << static_cast<int>(wb)),       \
              "shift_left_overflows_" #T, wa, wb);                                                 \
    shift_left_##T(a, b);                                                                          \
    shift_left_overflows_##T(a, b);                                                                \
    shift_right_##T(a, b);                                                                         \
  }

void check_float_casts(const std::uint8_t* data) {
  using namespace kernelc;
  f32 f;
  f64 d;
  std::memcpy(&f, data, sizeof f);
  std::memcpy(&d, data, sizeof d);
  const auto whole = [&](auto value, auto limit) { require(value == limit, "cast", 0, 0); };
  i8_of_f32(f), i16_of_f32(f), i32_of_f32(f), i64_of_f32(f), u8_of_f32(f), u16_of_f32(f),
      u32_of_f32(f), u64_of_f32(f);
  i8_of_f64(d), i16_of_f64(d), i32_of_f64(d), i64_of_f64(d), u8_of_f64(d), u16_of_f64(d),
      u32_of_f64(d), u64_of_f64(d);
  if (outside_i32_f64(d) == 0) whole(static_cast<f64>(i32_of_f64(d)), MATH_RINT_F64(d));
  if (outside_u64_f32(f) == 0) whole(static_cast<f32>(u64_of_f32(f)), MATH_RINT_F32(f));
}

void check_decimals_and_dates(const std::uint8_t* data) {
  using namespace kernelc;
  i64 a, b;
  std::memcpy(&a, data, sizeof a);
  std::memcpy(&b, data + 8, sizeof b);
  i64 power = 10;
  for (u32 i = 0; i < data[15] % 17u; i++) power *= 10;
  a %= 1000000000000000000;
  const Wide floor = a >= 0 ? a / power : -((-Wide(a) + power - 1) / power);
  require(floor_decimal(a, power) == floor, "floor_decimal", a, power);
  require(ceiling_decimal(a, power) == (a % power == 0 ? floor : floor + 1), "ceiling_decimal", a,
          power);
  const Wide magnitude = (Wide(a < 0 ? -a : a) * 2 + power) / (Wide(power) * 2);
  require(round_decimal(a, power) == (a < 0 ? -magnitude : magnitude), "round_decimal", a, power);
  require(order_scaled_i64(a, b, power) == (Wide(a) * power > b) - (Wide(a) * power < b),
          "order_scaled_i64", a, b);
  f64_of_decimal(a, power);
  const i64 days = b % 3000000;
  const i64 month = month_of_days(days), day = day_of_days(days),
            day_of_year = day_of_year_of_days(days);
  require(month >= 1 && month <= 12 && day >= 1 && day <= 31 && day_of_year >= day &&
              day_of_year <= 366,
          "date parts", days, 0);
  require(year_of_days(days + 400 * 366) > year_of_days(days), "year_of_days", days, 0);
  days_of_timestamp(a), time_of_timestamp(a);
}

void check_wide_integers(const std::uint8_t* data) {
  using namespace kernelc;
  I128 a, b;
  std::memcpy(&a, data, sizeof a);
  std::memcpy(&b, data + 16, sizeof b);
  const auto wide = [](I128 x) {
    return static_cast<Wide>(static_cast<unsigned __int128>(static_cast<u64>(x.high)) << 64 |
                             x.low);
  };
  const auto unsigned_wide = [&](I128 x) { return static_cast<unsigned __int128>(wide(x)); };
  require(unsigned_wide(i128_add(a, b)) == unsigned_wide(a) + unsigned_wide(b), "i128_add", a.high,
          b.high);
  require(unsigned_wide(i128_negate(a)) == -unsigned_wide(a), "i128_negate", a.high, 0);
  require((i128_less(a, b) != 0) == (wide(a) < wide(b)), "i128_less", a.high, b.high);
  require(wide(i128_of_i64(a.high)) == a.high && wide(i128_of_u64(a.low)) == Wide(a.low), "i128_of",
          a.high, 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < 32) return 0;
  CHECK_ARITHMETIC(i8)
  CHECK_ARITHMETIC(i16)
  CHECK_ARITHMETIC(i32)
  CHECK_ARITHMETIC(i64)
  CHECK_ARITHMETIC(u8)
  CHECK_ARITHMETIC(u16)
  CHECK_ARITHMETIC(u32)
  CHECK_ARITHMETIC(u64)
  check_float_casts(data);
  check_decimals_and_dates(data);
  check_wide_integers(data);
  return 0;
}
