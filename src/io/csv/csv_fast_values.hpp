// Reads the usual forms of numbers and dates, without a branch for each of their characters. Other
// forms, and values that are none, are left to csv_numbers and csv_times.
//
// Eight characters are one word, the first one in its lowest byte. 16 bytes behind a text may be
// read. Results are left in `out`, as an std::optional would go through memory.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "io/csv/csv_chars.hpp"

namespace penstock::io {

inline std::uint64_t word_at(const char* text) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, text, 8);
  } else {
    for (int i = 0; i < 8; i++)
      word |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  return word;
}

constexpr std::uint64_t every_byte(unsigned char byte) {
  return std::uint64_t{0x0101010101010101} * byte;
}

// Whether every byte is below ten.
constexpr bool are_digits(std::uint64_t values) {
  return ((values | (values + every_byte(0x76))) & every_byte(0x80)) == 0;
}

// The number of eight digits, by their values.
constexpr std::uint64_t number_of_eight(std::uint64_t values) {
  values = (values * 10 + (values >> 8)) & 0x00ff00ff00ff00ff;
  values = (values * 100 + (values >> 16)) & 0x0000ffff0000ffff;
  return (values * 10'000 + (values >> 32)) & 0xffffffff;
}

// Eight characters or 16, by the word that holds them.
template <class Word> class ShortText {
 public:
  static constexpr unsigned max_count = sizeof(Word);

  explicit ShortText(const char* text) : chars_(word_at(text)) {
    if constexpr (is_double) chars_ |= static_cast<Word>(word_at(text + 8)) << 64;
  }
  // Returns where the byte stands first; max_count if it does not.
  unsigned find(char byte) const {
    const std::uint64_t wanted = every_byte(static_cast<unsigned char>(byte));
    unsigned at = first_zero(static_cast<std::uint64_t>(chars_) ^ wanted);
    if constexpr (is_double)
      if (at == 8) at += first_zero(static_cast<std::uint64_t>(chars_ >> 64) ^ wanted);
    return at;
  }
  void remove(unsigned at) {
    const Word before = (Word{1} << (8 * at)) - 1;
    chars_ = (chars_ & before) | ((chars_ >> 8) & ~before);
  }
  // The number of the first characters, one at least. Returns false where they are not all digits.
  [[gnu::always_inline]] bool number(unsigned count, std::uint64_t& out) const {
    Word zeros = every_byte('0');
    if constexpr (is_double) zeros |= zeros << 64;
    const Word values = (chars_ - zeros) << (8 * (max_count - count));  // zeros stand before them
    const auto low = static_cast<std::uint64_t>(values);
    if (!are_digits(low)) return false;
    if constexpr (is_double) {
      const auto high = static_cast<std::uint64_t>(values >> 64);
      if (!are_digits(high)) return false;
      out = number_of_eight(low) * 100'000'000 + number_of_eight(high);
    } else {
      out = number_of_eight(low);
    }
    return true;
  }

 private:
  static constexpr bool is_double = sizeof(Word) == 16;
  static unsigned first_zero(std::uint64_t word) {
    const std::uint64_t zeros = (word - every_byte(1)) & ~word & every_byte(0x80);
    return static_cast<unsigned>(std::countr_zero(zeros)) / 8;
  }

  Word chars_;
};

struct ShortNumber {
  std::uint64_t digits = 0;
  unsigned fraction_digits = 0;  // how many of them follow the separator
  bool is_negative = false;
};

template <class Word>
[[gnu::always_inline]] inline bool read_digits_of(std::string_view text, char separator,
                                                  ShortNumber& out) {
  ShortText<Word> chars(text.data());
  auto count = static_cast<unsigned>(text.size());
  if (const unsigned at = chars.find(separator); at < count) {
    out.fraction_digits = --count - at;
    if (at == 0 || out.fraction_digits == 0) return false;
    chars.remove(at);
  }
  return chars.number(count, out.digits);
}

// Reads up to 16 characters behind a minus: digits, with a separator between two of them or none.
[[gnu::always_inline]] inline bool read_short_number(std::string_view text, char separator,
                                                     ShortNumber& out) {
  out.is_negative = text.starts_with('-');
  text.remove_prefix(out.is_negative);
  if (text.empty() || text.size() > 16) return false;
  return text.size() <= 8 ? read_digits_of<std::uint64_t>(text, separator, out)
                          : read_digits_of<unsigned __int128>(text, separator, out);
}

// The float nearest to a short number: the quotient of two numbers that floats have exactly is
// rounded once. Returns false where they have not.
template <class Float>
[[gnu::always_inline]] inline bool quotient_of(const ShortNumber& number, Float& out) {
  constexpr std::uint64_t max_digits = std::uint64_t{1} << std::numeric_limits<Float>::digits;
  constexpr unsigned max_exponent = sizeof(Float) == 8 ? 22 : 10;
  constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  if (number.digits > max_digits || number.fraction_digits > max_exponent) return false;
  const Float value =
      static_cast<Float>(number.digits) / static_cast<Float>(powers[number.fraction_digits]);
  out = number.is_negative ? -value : value;
  return true;
}

// Days since 1970-01-01 of a year below 10000. Returns false where the month has no such day.
inline bool days_of_short(std::uint32_t year, std::uint32_t month, std::uint32_t day,
                          std::int32_t& out) {
  constexpr unsigned char month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  constexpr std::uint16_t days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  if (month - 1 > 11) return false;
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day - 1 >= month_days[month - 1] + std::uint32_t{month == 2 && is_leap}) return false;
  // Leap days of all years before this one and of a year 0, which is one.
  const std::uint32_t before = year + 399;
  const std::uint32_t leap_days = before / 4 - before / 100 + before / 400;
  const std::uint32_t days = year * 365 + leap_days + days_before[month - 1] +
                             std::uint32_t{month > 2 && is_leap} + day - 1;
  constexpr std::int32_t days_to_1970 = 719'528 + 96;
  out = static_cast<std::int32_t>(days) - days_to_1970;
  return true;
}

// Reads 2024-12-31 at the beginning of a text.
inline bool read_short_date(const char* text, std::int32_t& out) {
  constexpr std::uint64_t zeros = 0x2d30302d30303030;  // "0000-00-"
  const std::uint64_t values = word_at(text) - zeros;
  const auto tens = static_cast<unsigned char>(text[8] - '0');
  const auto ones = static_cast<unsigned char>(text[9] - '0');
  constexpr std::uint64_t separators = 0xff0000ff00000000;
  if (!are_digits(values) || (values & separators) != 0 || tens > 9 || ones > 9) return false;
  const std::uint64_t pairs = values * 10 + (values >> 8);
  const auto pair = [&](int byte) {
    return static_cast<std::uint32_t>(pairs >> (8 * byte)) & 0xff;
  };
  return days_of_short(pair(0) * 100 + pair(2), pair(5), tens * 10u + ones, out);
}

// Reads 23:59:59 as seconds.
inline bool read_short_time(const char* text, std::uint32_t& out) {
  constexpr std::uint64_t zeros = 0x30303a30303a3030;  // "00:00:00"
  const std::uint64_t values = word_at(text) - zeros;
  constexpr std::uint64_t separators = 0x0000ff0000ff0000;
  if (!are_digits(values) || (values & separators) != 0) return false;
  const std::uint64_t pairs = values * 10 + (values >> 8);
  const auto pair = [&](int byte) {
    return static_cast<std::uint32_t>(pairs >> (8 * byte)) & 0xff;
  };
  if (pair(0) > 23 || pair(3) > 59 || pair(6) > 59) return false;
  out = (pair(0) * 60 + pair(3)) * 60 + pair(6);
  return true;
}

}  // namespace penstock::io
