// The C++ types of a program's values, and the Type each stands for.
//
// Beside the arithmetic types: date, timestamp, decimal<P, S>, str for strings, and opt<T> for what
// may be NULL. Several C++ types may mean one Type (long and long long, std::string and const
// char*): canonical_t names the one that traced values carry.
#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "penstock/expression.hpp"

namespace penstock {

// A value that may be NULL. In typed results opt<T> is std::optional<T>.
template <class T> struct opt {};
// A string column: carried, and compared with == and !=. In typed results std::string.
struct str {};

struct date {
  std::int32_t days_since_epoch = 0;  // 1970-01-01 is 0
  constexpr date() = default;
  constexpr explicit date(std::int32_t days) : days_since_epoch(days) {}
  constexpr date(std::chrono::sys_days day)
      : days_since_epoch(static_cast<std::int32_t>(day.time_since_epoch().count())) {}
  constexpr date(int year, unsigned month, unsigned day)
      : date(std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) /
                                   std::chrono::day(day))) {}
  constexpr auto operator<=>(const date&) const = default;
};

struct timestamp {
  std::int64_t microseconds_since_epoch = 0;
  constexpr timestamp() = default;
  constexpr explicit timestamp(std::int64_t microseconds)
      : microseconds_since_epoch(microseconds) {}
  constexpr auto operator<=>(const timestamp&) const = default;
};

namespace traced {
void the_text_is_not_a_decimal_of_this_precision_and_scale();  // not constexpr: naming it is the
                                                               // error
}  // namespace traced

// A number of `precision` digits, `scale` of them after the point, kept as a count of 10^-scale.
// More than 18 digits only in results: the sum of a decimal<P, S> is a decimal<38, S>.
template <int precision, int scale> struct decimal {
  static_assert(1 <= precision && precision <= 38 && 0 <= scale && scale <= precision,
                "decimal<P, S> needs 0 <= S <= P <= 38, P > 0");
  using Count = std::conditional_t<(precision > 18), Int128, std::int64_t>;
  Count count = 0;

  constexpr decimal() = default;
  // decimal<3, 2>("0.05"); what does not fit exactly does not compile.
  template <std::size_t length> consteval decimal(const char (&text)[length]) {
    const bool negative = text[0] == '-';
    int digits = 0, after_point = -1;
    for (std::size_t i = negative ? 1 : 0; i + 1 < length; i++) {
      if (text[i] == '.' && after_point < 0) {
        after_point = 0;
        continue;
      }
      if (text[i] < '0' || text[i] > '9')
        traced::the_text_is_not_a_decimal_of_this_precision_and_scale();
      count = count * 10 + (text[i] - '0');
      if (count != 0) digits++;
      if (after_point >= 0) after_point++;
    }
    for (after_point = after_point < 0 ? 0 : after_point; after_point < scale;
         after_point++, digits += count != 0)
      count *= 10;
    if (after_point != scale || digits > precision)
      traced::the_text_is_not_a_decimal_of_this_precision_and_scale();
    if (negative) count = -count;
  }
  static constexpr decimal of_count(Count count) {
    decimal d;
    d.count = count;
    return d;
  }
  std::string text() const {
    return text_of(Scalar::of(Type::decimal(precision, scale), static_cast<Int128>(count)));
  }
  constexpr auto operator<=>(const decimal&) const = default;
};

template <std::size_t length> struct FixedString {
  char text[length]{};
  constexpr FixedString(const char (&from)[length]) {
    for (std::size_t i = 0; i < length; i++) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, length - 1}; }
};

namespace traced {

template <class T> inline constexpr bool is_decimal = false;
template <int P, int S> inline constexpr bool is_decimal<decimal<P, S>> = true;
template <class T> inline constexpr bool is_opt = false;
template <class T> inline constexpr bool is_opt<opt<T>> = true;
template <class T> struct WithoutOpt {
  using type = T;
};
template <class T> struct WithoutOpt<opt<T>> {
  using type = T;
};
template <class T> using without_opt = typename WithoutOpt<T>::type;
template <class T, bool nullable>
using with_opt = std::conditional_t<nullable, opt<without_opt<T>>, without_opt<T>>;

template <class T>
concept CharacterType =
    std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

template <std::size_t bytes, bool is_signed> struct IntegerOf;
template <> struct IntegerOf<1, true> {
  using type = std::int8_t;
};
template <> struct IntegerOf<2, true> {
  using type = std::int16_t;
};
template <> struct IntegerOf<4, true> {
  using type = std::int32_t;
};
template <> struct IntegerOf<8, true> {
  using type = std::int64_t;
};
template <> struct IntegerOf<1, false> {
  using type = std::uint8_t;
};
template <> struct IntegerOf<2, false> {
  using type = std::uint16_t;
};
template <> struct IntegerOf<4, false> {
  using type = std::uint32_t;
};
template <> struct IntegerOf<8, false> {
  using type = std::uint64_t;
};

// Maps each C++ type to the one type of its Type: long and long long to std::int64_t, std::string
// to str. void for types that have no Type.
template <class T> consteval auto canonical() {
  if constexpr (std::same_as<T, bool> || std::same_as<T, float> || std::same_as<T, double> ||
                std::same_as<T, Int128> || std::same_as<T, date> || std::same_as<T, timestamp> ||
                std::same_as<T, str> || is_decimal<T>)
    return std::type_identity<T>();
  else if constexpr (std::same_as<T, std::chrono::sys_days>)
    return std::type_identity<date>();
  else if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return std::type_identity<str>();
  else if constexpr (std::integral<T> && sizeof(T) <= 8 && !CharacterType<T>)
    return std::type_identity<typename IntegerOf<sizeof(T), std::is_signed_v<T>>::type>();
  else
    return std::type_identity<void>();
}
template <class T> struct Canonical {
  using type = typename decltype(canonical<T>())::type;
};
template <class T>
  requires(!std::is_void_v<typename Canonical<T>::type>)
struct Canonical<opt<T>> {
  using type = opt<typename Canonical<T>::type>;
};
template <class T>
  requires(!std::is_void_v<typename Canonical<T>::type>)
struct Canonical<std::optional<T>> {
  using type = opt<typename Canonical<T>::type>;
};
template <class T> using canonical_t = typename Canonical<T>::type;

template <class T> consteval Type type_of_value() {  // T canonical; opt does not count
  using U = without_opt<T>;
  if constexpr (std::same_as<U, Int128>)
    return {Kind::int128};
  else if constexpr (std::same_as<U, date>)
    return {Kind::date32};
  else if constexpr (std::same_as<U, timestamp>)
    return {Kind::timestamp};
  else if constexpr (std::same_as<U, str>)
    return {Kind::string};
  else if constexpr (is_decimal<U>)
    return []<int P, int S>(std::type_identity<decimal<P, S>>) {
      return Type::decimal(P, S);
    }(std::type_identity<U>());
  else
    return type_of<U>();
}

// A Type as a number: g++ 12 fails on a Type as a template's argument inside another template.
constexpr unsigned code_of(Type type) {
  return static_cast<unsigned>(type.kind) | type.precision * 256u | type.scale * 65536u;
}
template <unsigned code> struct TypeOfCode {
  using type = decimal<int(code >> 8 & 255u), int(code >> 16)>;
};
#define PENSTOCK_TYPE_OF_CODE_(Type_, kind)              \
  template <> struct TypeOfCode<code_of({Kind::kind})> { \
    using type = Type_;                                  \
  }
PENSTOCK_TYPE_OF_CODE_(bool, boolean);
PENSTOCK_TYPE_OF_CODE_(std::int8_t, int8);
PENSTOCK_TYPE_OF_CODE_(std::int16_t, int16);
PENSTOCK_TYPE_OF_CODE_(std::int32_t, int32);
PENSTOCK_TYPE_OF_CODE_(std::int64_t, int64);
PENSTOCK_TYPE_OF_CODE_(std::uint8_t, uint8);
PENSTOCK_TYPE_OF_CODE_(std::uint16_t, uint16);
PENSTOCK_TYPE_OF_CODE_(std::uint32_t, uint32);
PENSTOCK_TYPE_OF_CODE_(std::uint64_t, uint64);
PENSTOCK_TYPE_OF_CODE_(float, float32);
PENSTOCK_TYPE_OF_CODE_(double, float64);
PENSTOCK_TYPE_OF_CODE_(date, date32);
PENSTOCK_TYPE_OF_CODE_(timestamp, timestamp);
PENSTOCK_TYPE_OF_CODE_(str, string);
PENSTOCK_TYPE_OF_CODE_(Int128, int128);
#undef PENSTOCK_TYPE_OF_CODE_
// Maps a Type's code to its C++ type, as opt if `nullable`.
template <unsigned code, bool nullable>
using value_type = with_opt<typename TypeOfCode<code>::type, nullable>;

template <class...> inline constexpr bool never = false;

// Returns a scalar of the program as a Scalar of its canonical type.
template <class T> Scalar scalar_of(const T& value) {
  using U = canonical_t<T>;
  if constexpr (is_opt<U>) {
    if (!value) return Scalar::null_of(type_of_value<U>());
    return scalar_of(*value);
  } else {
    constexpr Type type = type_of_value<U>();
    if constexpr (std::same_as<U, str>)
      return Scalar::of(std::string(value));
    else if constexpr (std::same_as<U, date>)
      return Scalar::of(type, Int128{date(value).days_since_epoch});
    else if constexpr (std::same_as<U, timestamp>)
      return Scalar::of(type, Int128{value.microseconds_since_epoch});
    else if constexpr (is_decimal<U>)
      return Scalar::of(type, static_cast<Int128>(value.count));
    else if constexpr (std::floating_point<U>)
      return Scalar::of(type, static_cast<double>(value));
    else
      return Scalar::of(type, static_cast<Int128>(value));
  }
}

}  // namespace traced

}  // namespace penstock
