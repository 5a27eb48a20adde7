#include "io/csv/csv_times.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "io/csv/csv_chars.hpp"
#include "io/csv/csv_numbers.hpp"

namespace penstock::io {
namespace {

constexpr std::int64_t micros_per_day = 86'400'000'000;
constexpr std::int64_t max_year = 10'000'000;
constexpr std::int32_t infinite_days = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t infinite_micros = std::numeric_limits<std::int64_t>::max();

// Takes what it reads from the front of a text.
class Front {
 public:
  explicit Front(std::string_view text) : text_(text) {}
  std::string_view rest() const { return text_; }
  bool is_empty() const { return text_.empty(); }

  void skip_spaces() {
    while (!text_.empty() && is_space(text_[0])) text_.remove_prefix(1);
  }
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  // Takes up to so many digits, one at least.
  std::optional<std::int64_t> take_number(std::size_t max_digits) {
    std::int64_t value = 0;
    std::size_t count = 0;
    for (; count < max_digits && count < text_.size() && is_digit(text_[count]); count++)
      value = value * 10 + (text_[count] - '0');
    if (count == 0) return std::nullopt;
    text_.remove_prefix(count);
    return value;
  }

 private:
  std::string_view text_;
};

// 1 or -1 where the text is infinity or its negative, in any case.
int infinity_sign(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  text.remove_prefix(is_negative);
  if (!equals_any_case(text, "infinity") && !equals_any_case(text, "inf")) return 0;
  return is_negative ? -1 : 1;
}

std::optional<std::int32_t> take_date(Front& front, std::size_t min_year_digits) {
  const bool is_negative = front.take('-');
  const std::size_t before = front.rest().size();
  const auto year = front.take_number(18);
  if (!year || *year > max_year || front.is_empty()) return std::nullopt;
  const std::size_t year_digits = before - front.rest().size();
  const char separator = front.rest()[0];
  constexpr std::string_view separators = "-/\\ ";
  if (separators.find(separator) == std::string_view::npos) return std::nullopt;
  front.take(separator);
  const auto month = front.take_number(2);
  if (!month || !front.take(separator)) return std::nullopt;
  const auto day = front.take_number(2);
  if (!day) return std::nullopt;
  if (year_digits < min_year_digits) return std::nullopt;
  const bool is_before_christ = front.take(" (BC)") || front.take(" (bc)");
  if (is_before_christ && (is_negative || *year == 0)) return std::nullopt;
  return days_of(is_before_christ ? 1 - *year
                 : is_negative    ? -*year
                                  : *year,
                 static_cast<unsigned>(*month), static_cast<unsigned>(*day));
}

// Without seconds a minute may need two digits.
std::optional<std::int64_t> take_time(Front& front, std::size_t min_minute_digits) {
  const auto hour = front.take_number(2);
  if (!hour || !front.take(':')) return std::nullopt;
  const std::size_t before = front.rest().size();
  const auto minute = front.take_number(2);
  if (!minute) return std::nullopt;
  const bool is_short = before - front.rest().size() < min_minute_digits;
  if (is_short && !front.rest().starts_with(':')) return std::nullopt;
  std::int64_t second = 0, micros = 0;
  if (front.take(':')) {
    const auto taken = front.take_number(2);
    if (!taken) return std::nullopt;
    second = *taken;
    if (front.take('.')) {
      std::int64_t unit = 100'000;  // digits below a microsecond are dropped
      for (; !front.is_empty() && is_digit(front.rest()[0]); unit /= 10)
        micros += *front.take_number(1) * unit;
    }
  }
  const bool is_midnight = *hour == 24 && *minute == 0 && second == 0 && micros == 0;
  if ((*hour > 23 && !is_midnight) || *minute > 59 || second > 59) return std::nullopt;
  return ((*hour * 60 + *minute) * 60 + second) * 1'000'000 + micros;
}

bool is_zone_name(std::string_view text) {
  constexpr std::array<std::string_view, 16> short_names{
      "GMT", "CET", "EET", "MET",     "WET", "EST",     "MST",     "HST",
      "PRC", "ROC", "ROK", "CST6CDT", "UCT", "EST5EDT", "MST7MDT", "PST8PDT"};
  if (std::ranges::any_of(short_names, [&](auto name) { return equals_any_case(text, name); }))
    return true;
  return text.find('/') != std::string_view::npos && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || ((c | ' ') >= 'a' && (c | ' ') <= 'z') || c == '/' || c == '_' ||
                  c == '-' || c == '+';
         });
}

// Reads what follows a time: nothing, an offset, Z or a zone's name.
bool read_zone(Front front, ReadTimestamp& out) {
  if (front.take('Z')) {
    out.zone = ZoneKind::other;
  } else if (!front.is_empty() && (front.rest()[0] == '+' || front.rest()[0] == '-')) {
    front.take(front.rest()[0]);
    std::int64_t largest = 0;
    for (int part = 0; part < 3; part++) {  // hours, minutes and seconds of two digits each
      if (part > 0 && front.rest().empty()) break;
      const bool has_colon = part > 0 && front.take(':');
      const bool has_two = front.rest().size() >= 2 && is_digit(front.rest()[1]);
      const auto number = has_two ? front.take_number(2) : std::nullopt;
      if (!number && (part == 0 || has_colon)) return false;
      largest = std::max(largest, number.value_or(0));
    }
    out.zone = ZoneKind::other;
    out.is_utc = largest == 0;
  } else if (!front.is_empty() && front.rest()[0] == ' ') {
    const std::string_view name = trimmed(front.rest());
    if (name.empty() || equals_any_case(name, "utc")) return true;
    if (!is_zone_name(name)) return false;
    out.zone = ZoneKind::other;
    out.is_utc = false;
    return true;
  }
  front.skip_spaces();
  return front.is_empty();
}

}  // namespace

// Howard Hinnant's days_from_civil: counts eras of 400 years from March 1.
std::optional<std::int32_t> days_of(std::int64_t year, unsigned month, unsigned day) {
  constexpr std::array<unsigned, 12> month_days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (month < 1 || month > 12 || day < 1) return std::nullopt;
  if (day > month_days[month - 1] + (month == 2 && is_leap)) return std::nullopt;
  const std::int64_t shifted = year - (month <= 2);
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const std::int64_t year_of_era = shifted - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  const std::int64_t days = era * 146'097 + day_of_era - 719'468;
  if (days >= infinite_days || days <= -infinite_days) return std::nullopt;
  return static_cast<std::int32_t>(days);
}

std::optional<std::int64_t> micros_of(std::int32_t days, std::int64_t micros_of_day) {
  const __int128 micros = static_cast<__int128>(days) * micros_per_day + micros_of_day;
  if (micros >= infinite_micros || micros <= -infinite_micros) return std::nullopt;
  return static_cast<std::int64_t>(micros);
}

std::optional<std::int32_t> read_date(std::string_view text) {
  Front front(text);
  front.skip_spaces();
  const auto days = take_date(front, 2);
  front.skip_spaces();
  if (days && front.is_empty()) return days;
  if (const int sign = infinity_sign(text); sign != 0) return sign * infinite_days;
  if (equals_any_case(text, "epoch")) return 0;
  return std::nullopt;
}

std::optional<ReadTimestamp> read_timestamp(std::string_view text) {
  Front front(text);
  front.skip_spaces();
  const auto days = take_date(front, 1);
  ReadTimestamp out;
  if (!days) {
    if (const int sign = infinity_sign(text); sign != 0) {
      out.micros = sign * infinite_micros;
      const bool is_whole_word = text.size() >= std::string_view("infinity").size();
      if (!is_whole_word) out.zone = ZoneKind::other;  // DuckDB's TIMESTAMP has no "inf"
      return out;
    }
    return equals_any_case(text, "epoch") ? std::optional(out) : std::nullopt;
  }
  std::int64_t time = 0;
  if (!trimmed(front.rest()).empty()) {
    if (!front.take('T') && !front.take(' ')) return std::nullopt;
    front.skip_spaces();
    const auto taken = take_time(front, 1);
    if (!taken || !read_zone(front, out)) return std::nullopt;
    time = *taken;
  }
  const auto micros = micros_of(*days, time);
  if (!micros) return std::nullopt;
  out.micros = *micros;
  return out;
}

std::optional<std::int64_t> read_time(std::string_view text) {
  Front front(trimmed(text));
  const std::optional<std::int64_t> time = take_time(front, 2);
  return front.is_empty() ? time : std::nullopt;
}

}  // namespace penstock::io
