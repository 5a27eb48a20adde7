// The rows of functions of numbers that are no operation. Functions of integers run in kernels.
// Devices round transcendental functions differently. The host computes the ones here: one answer
// on every device.
#include <cmath>

#include "expr/construction.hpp"
#include "expr/integers.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::number, string_rows::real, string_rows::string,
    string_rows::truth;

constexpr Type int8_type{Kind::int8}, int16_type{Kind::int16}, uint64_type{Kind::uint64},
    float32_type{Kind::float32}, huge_type{Kind::int128};
constexpr std::int64_t largest_factorial = 33;  // of HUGEINT

StringFunction number_row(std::string_view name, std::vector<std::string_view> sql_names,
                          std::vector<Type> inputs, Type result, std::string_view doc,
                          Scalar (*host)(Inputs), std::string_view body = {}) {
  StringFunction made =
      string_rows::function_row(name, std::move(sql_names), std::move(inputs), result, doc, host);
  made.body = body;
  return made;
}

StringFunction real_row(std::string_view name, std::string_view doc, Scalar (*host)(Inputs)) {
  return number_row(name, {name}, {float64_type}, float64_type, doc, host);
}

StringFunction with_fits(StringFunction row, bool (*fits)(Inputs), std::string_view fault) {
  row.fits = fits;
  row.fault = fault;
  return row;
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                   : static_cast<std::uint64_t>(value);
}

std::uint64_t common_divisor(std::uint64_t a, std::uint64_t b) {
  while (b != 0) {
    const std::uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

constexpr std::string_view common_divisor_body =
    "u64 a = input1 < 0 ? (u64)0 - (u64)input1 : (u64)input1;\n"
    "  u64 b = input2 < 0 ? (u64)0 - (u64)input2 : (u64)input2;\n"
    "  while (b != 0) {\n"
    "    const u64 rest = a % b;\n"
    "    a = b;\n"
    "    b = rest;\n"
    "  }\n"
    "  return (i64)a;";

// The least common multiple, or 2^63 and more where 64 bits do not hold it.
Int128 common_multiple(Inputs in) {
  const std::uint64_t a = magnitude(integer(in[0])), b = magnitude(integer(in[1]));
  if (a == 0 || b == 0) return 0;
  return static_cast<Int128>(a / common_divisor(a, b)) * static_cast<Int128>(b);
}

Scalar factorial(Inputs in) {
  Int128 product = 1;
  for (std::int64_t i = 2; i <= std::min(integer(in[0]), largest_factorial); i++) product *= i;
  return Scalar::of(huge_type, product);
}

// The number of ways to choose k of n, or nothing where HUGEINT does not hold it.
std::optional<Int128> combinations(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return Int128{0};
  Int128 result = 1;
  for (std::int64_t i = 1; i <= std::min(k, n - k); i++) {
    const Int128 factor = n - i + 1;
    if (result > range_of(huge_type).maximum / factor) return std::nullopt;
    result = result * factor / i;
  }
  return result;
}

template <class T> Scalar bits_of(Inputs in) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto word = static_cast<Unsigned>(static_cast<T>(in[0].integer));
  return Scalar::of(int8_type, Int128{std::popcount(word)});
}

// Counts the bits of a word by adding up neighbours.
constexpr std::string_view bit_count_body =
    "u64 word = (u64)input1;\n"
    "  u32 count = 0u;\n"
    "  while (word != 0) {\n"
    "    word &= word - 1;\n"
    "    count++;\n"
    "  }\n"
    "  return (i8)count;";

// The even number that is nearest, away from zero.
double even_of(double value) {
  const double half = std::ceil(std::fabs(value) / 2);
  return std::copysign(2 * half, value);
}

// The double 2.55 is less than 2.55, and its product with 10 is 25.5: the product's error decides.
double rounded_product(double value, double power, double (*round)(double)) {
  const double product = value * power, error = std::fma(value, power, -product);
  const double cut = std::trunc(product);
  if (std::abs(product - cut) != 0.5 || error == 0) return round(product);
  return (error < 0) == (product < 0) ? cut + std::copysign(1, product) : cut;
}

double cut_product(double value, double power, double (*)(double)) {
  return std::trunc(value * power);
}

double rounded_to(double value, std::int64_t digits, double (*round)(double),
                  double (*of_product)(double, double, double (*)(double)) = rounded_product) {
  if (!std::isfinite(value)) return value;
  const double power = std::pow(10.0, static_cast<double>(std::abs(digits)));
  const double result =
      digits < 0 ? round(value / power) * power : of_product(value, power, round) / power;
  return std::isfinite(result) ? result : digits < 0 ? 0 : value;
}

// Cuts an integer to a multiple of a power of ten: digits are negative.
Int128 integer_to(Int128 value, std::int64_t digits, bool is_rounded) {
  if (digits >= 0) return value;
  if (digits < -18) return 0;
  const Int128 power = power_of_ten(static_cast<int>(-digits));
  return (is_rounded ? divide_half_away(value, power) : value / power) * power;
}

std::string digits_of(std::uint64_t value, unsigned base, std::size_t least_digits) {
  constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string text;
  for (; value != 0; value /= base) text.insert(text.begin(), digits[value % base]);
  if (text.size() < least_digits) text.insert(0, least_digits - text.size(), '0');
  return text;
}

bool is_base(std::int64_t base) { return base >= 2 && base <= 36; }

Scalar in_base(Inputs in) {
  const std::int64_t base = integer(in[1]),
                     least = std::clamp<std::int64_t>(in.size() > 2 ? integer(in[2]) : 1, 1, 64);
  if (!is_base(base)) return string("");
  return string(digits_of(magnitude(integer(in[0])), static_cast<unsigned>(base),
                          static_cast<std::size_t>(least)));
}

template <unsigned base> Scalar number_text(Inputs in) {
  return string(digits_of(static_cast<std::uint64_t>(in[0].integer), base, 1));
}

// The finaliser of SplitMix64, of the number and a seed.
Scalar sample_number(Inputs in) {
  std::uint64_t word = static_cast<std::uint64_t>(integer(in[0])) * 0x9e3779b97f4a7c15u +
                       static_cast<std::uint64_t>(integer(in[1])) * 0xd1342543de82ef95u;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  word ^= word >> 31;
  return real(static_cast<double>(word >> 11) * 0x1p-53);
}

Scalar narrow(double value) { return Scalar::of(float32_type, double{static_cast<float>(value)}); }

std::vector<StringFunction> real_rows() {
  return {
      real_row("asin", "the angle of a sine",
               [](Inputs in) { return real(std::asin(in[0].real)); }),
      real_row("acos", "the angle of a cosine",
               [](Inputs in) { return real(std::acos(in[0].real)); }),
      real_row("atan", "the angle of a tangent",
               [](Inputs in) { return real(std::atan(in[0].real)); }),
      number_row("atan2", {"atan2"}, {float64_type, float64_type}, float64_type,
                 "the angle of a point",
                 [](Inputs in) { return real(std::atan2(in[0].real, in[1].real)); }),
      real_row("cot", "the cotangent", [](Inputs in) { return real(1 / std::tan(in[0].real)); }),
      real_row("sinh", "the hyperbolic sine",
               [](Inputs in) { return real(std::sinh(in[0].real)); }),
      real_row("cosh", "the hyperbolic cosine",
               [](Inputs in) { return real(std::cosh(in[0].real)); }),
      real_row("tanh", "the hyperbolic tangent",
               [](Inputs in) { return real(std::tanh(in[0].real)); }),
      real_row("asinh", "the inverse of sinh",
               [](Inputs in) { return real(std::asinh(in[0].real)); }),
      real_row("acosh", "the inverse of cosh",
               [](Inputs in) { return real(std::acosh(in[0].real)); }),
      real_row("atanh", "the inverse of tanh",
               [](Inputs in) { return real(std::atanh(in[0].real)); }),
      real_row("cbrt", "the cube root", [](Inputs in) { return real(std::cbrt(in[0].real)); }),
      real_row("log2", "the logarithm to base 2",
               [](Inputs in) { return real(std::log2(in[0].real)); }),
      real_row("gamma", "the gamma function",
               [](Inputs in) { return real(std::tgamma(in[0].real)); }),
      real_row("lgamma", "the logarithm of the gamma function",
               [](Inputs in) { return real(std::lgamma(in[0].real)); }),
      real_row("even", "the next even number away from zero",
               [](Inputs in) { return real(even_of(in[0].real)); }),
      number_row("signbit", {"signbit"}, {float64_type}, boolean_type, "whether it has a minus",
                 [](Inputs in) { return truth(std::signbit(in[0].real)); }),
      number_row("nextafter", {"nextafter"}, {float64_type, float64_type}, float64_type,
                 "the neighbour in the direction of the second",
                 [](Inputs in) { return real(std::nextafter(in[0].real, in[1].real)); }),
      number_row("nextafter_of_float", {"nextafter"}, {float32_type, float32_type}, float32_type,
                 "the neighbour in the direction of the second",
                 [](Inputs in) {
                   return narrow(std::nextafter(static_cast<float>(in[0].real),
                                                static_cast<float>(in[1].real)));
                 }),
      number_row(
          "round_to", {}, {float64_type, int32_type}, float64_type,
          "rounded to digits, half away from zero",
          [](Inputs in) { return real(rounded_to(in[0].real, integer(in[1]), std::round)); }),
      number_row(
          "round_even", {"round_even", "roundbankers"}, {float64_type, int32_type}, float64_type,
          "rounded to digits, half to even",
          [](Inputs in) { return real(rounded_to(in[0].real, integer(in[1]), std::nearbyint)); }),
      number_row("trunc_to", {}, {float64_type, int32_type}, float64_type, "cut off behind digits",
                 [](Inputs in) {
                   return real(rounded_to(in[0].real, integer(in[1]), std::trunc, cut_product));
                 }),
  };
}

std::vector<StringFunction> integer_rows() {
  return {
      number_row(
          "gcd", {"gcd", "greatest_common_divisor"}, {int64_type, int64_type}, int64_type,
          "the greatest common divisor",
          [](Inputs in) {
            return number(static_cast<std::int64_t>(
                common_divisor(magnitude(integer(in[0])), magnitude(integer(in[1])))));
          },
          common_divisor_body),
      with_fits(
          number_row(
              "lcm", {"lcm", "least_common_multiple"}, {int64_type, int64_type}, int64_type,
              "the least common multiple",
              [](Inputs in) { return number(static_cast<std::int64_t>(common_multiple(in))); }),
          [](Inputs in) { return common_multiple(in) <= INT64_MAX; },
          "a least common multiple leaves BIGINT"),
      with_fits(
          number_row("factorial", {"factorial", "!"}, {int32_type}, huge_type,
                     "the product of all numbers up to it", factorial),
          [](Inputs in) { return integer(in[0]) <= largest_factorial; },
          "factorial(): a result is outside HUGEINT"),
      with_fits(
          number_row("binom", {"binom"}, {int32_type, int32_type}, huge_type,
                     "how many ways there are to choose the second of the first",
                     [](Inputs in) {
                       return Scalar::of(huge_type,
                                         combinations(integer(in[0]), integer(in[1])).value_or(0));
                     }),
          [](Inputs in) { return combinations(integer(in[0]), integer(in[1])).has_value(); },
          "binom(): a result is outside HUGEINT"),
      number_row("bit_count_8", {"bit_count"}, {int8_type}, int8_type, "the number of bits set",
                 bits_of<std::int8_t>),
      number_row("bit_count_16", {"bit_count"}, {int16_type}, int8_type, "the number of bits set",
                 bits_of<std::int16_t>),
      number_row("bit_count_32", {"bit_count"}, {int32_type}, int8_type, "the number of bits set",
                 bits_of<std::int32_t>),
      number_row("bit_count", {"bit_count"}, {int64_type}, int8_type, "the number of bits set",
                 bits_of<std::int64_t>, bit_count_body),
      number_row("integer_round_to", {}, {int64_type, int32_type}, int64_type,
                 "rounded to a multiple of a power of ten",
                 [](Inputs in) {
                   return number(
                       static_cast<std::int64_t>(integer_to(in[0].integer, integer(in[1]), true)));
                 }),
      number_row("integer_trunc_to", {}, {int64_type, int32_type}, int64_type,
                 "cut to a multiple of a power of ten",
                 [](Inputs in) {
                   return number(
                       static_cast<std::int64_t>(integer_to(in[0].integer, integer(in[1]), false)));
                 }),
      number_row("hex_of_number", {"hex", "to_hex"}, {uint64_type}, string_type,
                 "its hexadecimal digits", number_text<16>),
      number_row("hex_of_integer", {"hex", "to_hex"}, {int64_type}, string_type,
                 "its hexadecimal digits", number_text<16>),
      number_row("bin_of_number", {"bin", "to_binary"}, {uint64_type}, string_type,
                 "its binary digits", number_text<2>),
      number_row("bin_of_integer", {"bin", "to_binary"}, {int64_type}, string_type,
                 "its binary digits", number_text<2>),
      number_row("sample_number", {}, {int64_type, int64_type}, float64_type,
                 "a number from 0 to 1 that looks random", sample_number),
      with_fits(
          {.name = "to_base",
           .sql_names = {"to_base"},
           .inputs = {int64_type, int32_type, int32_type},
           .required_inputs = 2,
           .result = string_type,
           .doc = "its digits to a base from 2 to 36, at least so many",
           .host = in_base},
          [](Inputs in) { return integer(in[0]) >= 0 && is_base(integer(in[1])); },
          "to_base takes a number from 0 on and a base from 2 to 36"),
  };
}

}  // namespace

std::vector<StringFunction> number_rows() {
  std::vector<StringFunction> all = real_rows();
  for (StringFunction& row : integer_rows()) all.push_back(std::move(row));
  return all;
}

}  // namespace penstock::expr
