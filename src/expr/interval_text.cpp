// Reads intervals: "1 year 2 days", "3.5 weeks ago", "04:05:06.7", or a number of units.
#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "expr/constant.hpp"

namespace penstock::expr {
namespace {

constexpr std::int64_t billion = 1'000'000'000;

struct NamedUnit {
  std::string_view names;
  std::int64_t months, days, microseconds;  // one of them
};
constexpr NamedUnit named_units[] = {
    {"millennium millennia millenium mil mils", 12000, 0, 0},
    {"century centuries cent c", 1200, 0, 0},
    {"decade decades dec decs", 120, 0, 0},
    {"year years yr yrs y", 12, 0, 0},
    {"quarter quarters", 3, 0, 0},
    {"month months mon mons", 1, 0, 0},
    {"week weeks w weekofyear", 0, 7, 0},
    {"day days d dayofmonth", 0, 1, 0},
    {"hour hours hr hrs h", 0, 0, 3'600'000'000},
    {"minute minutes min mins m", 0, 0, 60'000'000},
    {"second seconds sec secs s", 0, 0, 1'000'000},
    {"millisecond milliseconds ms msec msecs msecond mseconds", 0, 0, 1000},
    {"microsecond microseconds us usec usecs usecond useconds", 0, 0, 1}};

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; (at = words.find(word, at)) != words.npos; at += word.size()) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

const NamedUnit* unit_named(std::string_view name) {
  const auto found = std::ranges::find_if(named_units, [&](const NamedUnit& unit) {
    return !name.empty() && has_word(unit.names, name);
  });
  return found == std::end(named_units) ? nullptr : &*found;
}

struct Quantity {
  std::int64_t whole = 0, billionths = 0;
};  // both with the sign

std::optional<Quantity> take_quantity(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative ? 1 : 0);
  if (digits.empty() || !is_digit(digits.front())) return std::nullopt;
  Quantity quantity;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, quantity.whole);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  if (take(text, '.'))
    for (std::int64_t unit = billion / 10; !text.empty() && is_digit(text.front());
         unit /= 10, text.remove_prefix(1))
      quantity.billionths += unit * (text.front() - '0');
  if (is_negative) quantity.billionths = -quantity.billionths;
  return quantity;
}

bool add_to(std::int64_t& sum, std::int64_t count, std::int64_t each) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(count, each, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

// The rest of a month becomes days, 30 to a month, and the rest of a day becomes a time. Fractions
// of years and of longer units become the nearest number of months.
bool add_fraction(Interval& interval, std::int64_t billionths, const NamedUnit& unit) {
  const std::int64_t months = billionths * unit.months;
  if (unit.months >= 12) {
    const std::int64_t half = months < 0 ? -billion / 2 : billion / 2;
    return add_to(interval.months, (months + half) / billion, 1);
  }
  const std::int64_t days = months % billion * 30 + billionths * unit.days;
  const Int128 microseconds =
      Int128{days % billion} * microseconds_per_day + Int128{billionths} * unit.microseconds;
  return add_to(interval.months, months / billion, 1) && add_to(interval.days, days / billion, 1) &&
         add_to(interval.microseconds, static_cast<std::int64_t>(microseconds / billion), 1);
}

bool add_units(Interval& interval, const Quantity& quantity, const NamedUnit& unit) {
  return add_fraction(interval, quantity.billionths, unit) &&
         add_to(interval.months, quantity.whole, unit.months) &&
         add_to(interval.days, quantity.whole, unit.days) &&
         add_to(interval.microseconds, quantity.whole, unit.microseconds);
}

bool is_within_days(const Interval& interval) {
  const auto fits = [](std::int64_t count) { return count >= INT32_MIN && count <= INT32_MAX; };
  return fits(interval.months) && fits(interval.days);
}

// DuckDB truncates a number of any units but these two.
std::optional<Interval> number_of_units(std::string_view text, std::string_view unit_name) {
  Interval interval;
  const NamedUnit* const unit = unit_named(unit_name);
  static_cast<void>(take(text, '+'));
  std::optional<Quantity> quantity = take_quantity(text);
  if (unit == nullptr || !quantity || !text.empty()) return std::nullopt;
  if (unit_name != "second" && unit_name != "millisecond") quantity->billionths = 0;
  return add_units(interval, *quantity, *unit) ? std::optional(interval) : std::nullopt;
}

// DuckDB passes over an offset behind a time: "04:05+02:30".
std::string_view without_offset(std::string_view text) {
  const auto has_digits = [&](std::size_t at) {
    return text.size() >= at + 2 && is_digit(text[at]) && is_digit(text[at + 1]);
  };
  if (text.empty() || (text[0] != '+' && text[0] != '-') || !has_digits(1)) return text;
  return text.substr(text.size() > 3 && text[3] == ':' && has_digits(4) ? 6 : 3);
}

// Takes "-04:05:06.7" or "3 days" from the front. A number alone is seconds.
bool take_part(std::string_view& text, Interval& interval, bool is_first) {
  constexpr int hour_digits = 9;
  std::string_view clock = text;
  const bool is_negative = take(clock, '-');
  if (const auto time = take_time(clock, hour_digits)) {
    text = without_offset(clock);
    return add_to(interval.microseconds, *time, is_negative ? -1 : 1);
  }
  const std::optional<Quantity> quantity = take_quantity(text);
  if (!quantity) return false;
  if (text.empty()) return is_first && add_units(interval, *quantity, *unit_named("second"));
  text = trim(text);
  const std::size_t end = std::min(
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), text.size());
  const NamedUnit* const unit = unit_named(lower(text.substr(0, end)));
  text.remove_prefix(end);
  return unit != nullptr && add_units(interval, *quantity, *unit);
}

}  // namespace

std::optional<Interval> parse_interval(std::string_view text, std::string_view unit_name) {
  text = trim(text);
  if (!unit_name.empty()) return number_of_units(text, unit_name);
  if (take(text, '@')) text = trim(text);
  if (text.empty()) return std::nullopt;
  Interval interval;
  bool is_ago = false;
  for (bool is_first = true; !text.empty() && !is_ago; is_first = false) {
    is_ago = !is_first && lower(text) == "ago";
    if (!is_ago && !take_part(text, interval, is_first)) return std::nullopt;
    text = trim(text);
  }
  if (!is_within_days(interval)) return std::nullopt;
  if (!is_ago) return interval;
  if (interval.microseconds == INT64_MIN) return std::nullopt;
  return Interval{-interval.months, -interval.days, -interval.microseconds};
}

}  // namespace penstock::expr
