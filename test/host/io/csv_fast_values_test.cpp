// Values that are read eight characters at a time, against the readers of any form.
#include "io/csv/csv_fast_values.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "io/csv/csv_numbers.hpp"
#include "io/csv/csv_times.hpp"

namespace penstock::io {
namespace {

std::string of_characters(std::mt19937& random, std::string_view characters, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; i++) out += characters[random() % characters.size()];
  return out;
}

// The bytes behind a value in a file are read with it, and are no part of it.
std::string_view followed(std::string& bytes) {
  const std::size_t size = bytes.size();
  bytes += ",1234567.9012345";
  return std::string_view(bytes).substr(0, size);
}

TEST(CsvFastValues, AShortNumberIsWhatTheReaderOfAnyFormReads) {
  std::mt19937 random(3);
  int read_count = 0;
  for (int round = 0; round < 200'000; round++) {
    std::string bytes = of_characters(random, "-", random() % 2) +
                        of_characters(random, "0123456789", random() % 12) +
                        of_characters(random, "..,e:/", random() % 2) +
                        of_characters(random, "0123456789", random() % 10);
    const std::string_view text = followed(bytes);
    ShortNumber number;
    if (!read_short_number(text, '.', number)) continue;
    read_count++;
    auto value = static_cast<__int128>(number.digits);
    if (number.is_negative) value = -value;
    const auto expected = read_scaled(text, static_cast<int>(number.fraction_digits), '.');
    ASSERT_TRUE(expected && *expected == value) << text;
  }
  EXPECT_GT(read_count, 50'000);
}

template <class Float, class Read> int expect_nearest(std::mt19937& random, const Read& read) {
  int read_count = 0;
  for (int round = 0; round < 100'000; round++) {
    std::string bytes = of_characters(random, "-", random() % 2) +
                        of_characters(random, "0123456789", 1 + random() % 8) + "." +
                        of_characters(random, "0123456789", 1 + random() % 7);
    const std::string_view text = followed(bytes);
    ShortNumber number;
    Float value = 0;
    if (!read_short_number(text, '.', number) || !quotient_of(number, value)) continue;
    read_count++;
    const auto expected = read(text);
    EXPECT_TRUE(expected && std::memcmp(&value, &*expected, sizeof(value)) == 0) << text;
  }
  return read_count;
}

TEST(CsvFastValues, AQuotientIsTheNearestFloat) {
  std::mt19937 random(4);
  EXPECT_GT(expect_nearest<double>(random, [](auto text) { return read_double(text, '.'); }),
            50'000);
  EXPECT_GT(expect_nearest<float>(random, [](auto text) { return read_float(text, '.'); }), 5'000);
}

TEST(CsvFastValues, NoOtherCharacterIsTakenForADigit) {
  for (int byte = 0; byte < 256; byte++)
    for (const std::size_t size : {1u, 7u, 8u, 9u, 16u})
      for (std::size_t at = 0; at < size; at++) {
        std::string bytes(size, '5');
        bytes[at] = static_cast<char>(byte);
        if (is_digit(bytes[at]) || (byte == '-' && at == 0) || byte == '.') continue;
        ShortNumber number;
        EXPECT_FALSE(read_short_number(followed(bytes), '.', number)) << byte << " at " << at;
      }
}

TEST(CsvFastValues, EveryDayOfTenThousandYearsIsTheCalendars) {
  for (std::uint32_t year = 0; year < 10'000; year++)
    for (std::uint32_t month = 0; month < 14; month++)
      for (const std::uint32_t day : {0u, 1u, 28u, 29u, 30u, 31u, 32u}) {
        std::int32_t days = 0;
        const bool is_read = days_of_short(year, month, day, days);
        ASSERT_EQ(is_read ? std::optional(days) : std::nullopt, days_of(year, month, day))
            << year << "-" << month << "-" << day;
      }
}

TEST(CsvFastValues, AChangedByteOfADateIsReadAsAnyDateIs) {
  const std::string_view date = "2024-11-28";
  for (std::size_t at = 0; at < date.size(); at++)
    for (int byte = 0; byte < 256; byte++) {
      std::string bytes(date);
      bytes[at] = static_cast<char>(byte);
      std::int32_t days = 0;
      const bool is_read = read_short_date(bytes.data(), days);
      if (!is_read && !is_digit(bytes[at])) continue;
      EXPECT_EQ(is_read ? std::optional(days) : std::nullopt, read_date(bytes)) << bytes;
    }
}

TEST(CsvFastValues, AChangedByteOfATimeIsReadAsAnyTimeIs) {
  const std::string_view time = "12:34:56";
  for (std::size_t at = 0; at < time.size(); at++)
    for (int byte = 0; byte < 256; byte++) {
      std::string bytes(time);
      bytes[at] = static_cast<char>(byte);
      std::uint32_t seconds = 0;
      if (!read_short_time(bytes.data(), seconds)) continue;
      const auto expected = read_timestamp("1970-01-01 " + bytes);
      ASSERT_TRUE(expected) << bytes;
      EXPECT_EQ(std::int64_t{seconds} * 1'000'000, expected->micros) << bytes;
    }
}

}  // namespace
}  // namespace penstock::io
