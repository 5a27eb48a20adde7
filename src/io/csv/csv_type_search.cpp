#include "io/csv/csv_type_search.hpp"

#include <algorithm>
#include <array>

#include "expr/intervals.hpp"
#include "io/csv/csv_chars.hpp"
#include "io/csv/csv_numbers.hpp"
#include "io/csv/csv_times.hpp"

namespace penstock::io {
namespace {

// A dash stands for the separator that the values have.
constexpr std::array<std::string_view, 6> date_formats{"%m-%d-%Y", "%m-%d-%y", "%d-%m-%Y",
                                                       "%d-%m-%y", "%Y-%m-%d", "%y-%m-%d"};
constexpr std::array<std::string_view, 6> timestamp_formats{
    "%m-%d-%Y %I:%M:%S %p", "%m-%d-%y %I:%M:%S %p", "%d-%m-%Y %H:%M:%S",
    "%d-%m-%y %H:%M:%S",    "%Y-%m-%d %H:%M:%S",    "%y-%m-%d %H:%M:%S"};

// Returns what stands between the first three numbers of a value that begins with one.
std::optional<char> date_separator(std::string_view value) {
  value = value.substr(std::min(value.find_first_not_of(" \t\n\v\f\r"), value.size()));
  char separators[2] = {};
  for (char& separator : separators) {
    std::size_t digits = 0;
    while (digits < value.size() && is_digit(value[digits])) digits++;
    if (digits == 0 || digits + 1 >= value.size() || !is_digit(value[digits + 1]))
      return std::nullopt;
    separator = value[digits];
    value.remove_prefix(digits + 1);
  }
  constexpr std::string_view known = "-./ ";
  if (separators[0] != separators[1] || known.find(separators[0]) == std::string_view::npos)
    return std::nullopt;
  return separators[0];
}

std::string with_separator(std::string_view format, char separator) {
  std::string out(format);
  std::ranges::replace(out, '-', separator);
  return out;
}

bool is_date_or_time(CsvGuess guess) {
  return guess == CsvGuess::date || guess == CsvGuess::time || guess == CsvGuess::zoned_timestamp ||
         guess == CsvGuess::timestamp;
}

CsvGuess next_guess(CsvGuess guess) {
  return static_cast<CsvGuess>(static_cast<unsigned char>(guess) - 1);
}

bool fits_timestamp(std::string_view value, CsvGuess guess, const CsvTimeFormats& formats) {
  if (guess == CsvGuess::timestamp && formats.timestamp)
    return formats.timestamp->read_timestamp(value).has_value();
  const auto read = read_timestamp(value);
  return read && (guess == CsvGuess::zoned_timestamp || read->zone == ZoneKind::none);
}

}  // namespace

CsvType type_of_guess(CsvGuess guess) {
  switch (guess) {
    case CsvGuess::float64: return {{Kind::float64}};
    case CsvGuess::wider_integer: return {{Kind::string}, "BIGNUM"};
    case CsvGuess::integer_128: return {{Kind::int128}};
    case CsvGuess::integer_64: return {{Kind::int64}};
    case CsvGuess::zoned_timestamp: return {expr::instant_type};
    case CsvGuess::timestamp: return {{Kind::timestamp}};
    case CsvGuess::date: return {{Kind::date32}};
    case CsvGuess::time: return {expr::time_type};
    case CsvGuess::boolean: return {{Kind::boolean}};
    default: return {{Kind::string}};
  }
}

bool fits_guess(std::string_view value, CsvGuess guess, const CsvTimeFormats& formats,
                char decimal_separator) {
  switch (guess) {
    case CsvGuess::string: return true;
    case CsvGuess::float64: return may_be_number(value) && is_double(value, decimal_separator);
    case CsvGuess::wider_integer:
      return may_be_number(value) && integer_width(value) != IntegerWidth::none;
    case CsvGuess::integer_128:
      return may_be_number(value) && (integer_width(value) == IntegerWidth::bits_64 ||
                                      integer_width(value) == IntegerWidth::bits_128);
    case CsvGuess::integer_64:
      return may_be_number(value) && integer_width(value) == IntegerWidth::bits_64;
    case CsvGuess::zoned_timestamp:
    case CsvGuess::timestamp: return fits_timestamp(value, guess, formats);
    case CsvGuess::date:
      return formats.date ? formats.date->read_date(value).has_value()
                          : read_date(value).has_value();
    case CsvGuess::time: return read_time(value).has_value();
    case CsvGuess::boolean: return is_boolean_word(value);
    default: return false;
  }
}

CsvTypeSearch::CsvTypeSearch(const CsvOptions& options, const CsvDialect& dialect,
                             std::size_t column_count)
    : options_(options), dialect_(dialect), guesses_(column_count, CsvGuess::nothing) {
  formats_.date = options.date_format;
  formats_.timestamp = options.timestamp_format;
}

std::optional<std::string_view> CsvTypeSearch::value_at(const CsvRowBatch& rows, std::size_t row,
                                                        std::size_t column) {
  const CsvField& field = rows.field(row, column);
  if (field.data == nullptr) return std::nullopt;
  const std::string_view value = value_of(field, dialect_, room_);
  if (options_.is_null_text(value, field.is_quoted)) return std::nullopt;
  return value;
}

void CsvTypeSearch::see_first(const CsvRowBatch& rows, std::size_t first_row) {
  for (std::size_t column = 0; column < guesses_.size(); column++) {
    see_column(rows, first_row, column, true);
    check_format(rows, first_row, column);
    has_date_ |= guesses_[column] == CsvGuess::date;
    has_timestamp_ |= guesses_[column] == CsvGuess::timestamp;
  }
}

void CsvTypeSearch::see(const CsvRowBatch& rows) {
  for (std::size_t column = 0; column < guesses_.size(); column++)
    see_column(rows, 0, column, false);
}

void CsvTypeSearch::see_column(const CsvRowBatch& rows, std::size_t first_row, std::size_t column,
                               bool finds_formats) {
  for (std::size_t row = first_row; row < rows.row_count() && guesses_[column] != CsvGuess::string;
       row++)
    if (const auto value = value_at(rows, row, column))
      narrow(column, *value, finds_formats && row == first_row, finds_formats);
}

// Takes away what the value does not fit. A column of words or dates that meets another value is of
// strings at once: its earlier values fit nothing else.
void CsvTypeSearch::narrow(std::size_t column, std::string_view value, bool is_first,
                           bool finds_formats) {
  const CsvGuess before = guesses_[column];
  CsvGuess& guess = guesses_[column];
  while (guess != CsvGuess::string) {
    const bool is_found = guess == CsvGuess::date ? has_date_ : has_timestamp_;
    if (finds_formats && !is_found && (guess == CsvGuess::date || guess == CsvGuess::timestamp))
      find_format(guess, value);
    if (fits_guess(value, guess, formats_, options_.decimal_separator)) return;
    const bool may_have_zone = before == CsvGuess::timestamp && guess == CsvGuess::timestamp;
    if (!is_first && !may_have_zone && (before == CsvGuess::boolean || is_date_or_time(before)))
      guess = CsvGuess::string;
    else
      guess = next_guess(guess);
  }
}

// Keeps the formats that the values have had so far.
void CsvTypeSearch::find_format(CsvGuess guess, std::string_view value) {
  const bool is_date = guess == CsvGuess::date;
  if (is_date ? options_.date_format.has_value() : options_.timestamp_format.has_value()) return;
  const auto separator = date_separator(value);
  if (!separator) return;
  Candidates& candidates = is_date ? dates_ : timestamps_;
  if (candidates.all == 0) {
    for (const std::string_view format : is_date ? date_formats : timestamp_formats) {
      const std::string with = with_separator(format, *separator);
      if (!with.starts_with("%Y-%m-%d")) candidates.formats.push_back(with);
    }
    candidates.all = candidates.formats.size();
  }
  const Candidates before = candidates;
  auto& format = is_date ? formats_.date : formats_.timestamp;
  if (try_formats(candidates, value)) {
    candidates.is_found = true;
    format = *CsvTimeFormat::parse(candidates.formats.back());
  } else if (!candidates.is_found) {
    candidates = {};
  } else {
    candidates = before;
  }
}

bool CsvTypeSearch::try_formats(Candidates& candidates, std::string_view value) {
  for (; !candidates.formats.empty(); candidates.formats.pop_back()) {
    if (CsvTimeFormat::parse(candidates.formats.back())->is_of(value)) return true;
  }
  return false;
}

// A format that a later value led to may not be that of an earlier one.
void CsvTypeSearch::check_format(const CsvRowBatch& rows, std::size_t first_row,
                                 std::size_t column) {
  CsvGuess& guess = guesses_[column];
  if (guess != CsvGuess::date && guess != CsvGuess::timestamp) return;
  for (std::size_t row = first_row; row < rows.row_count(); row++) {
    const auto value = value_at(rows, row, column);
    if (value && !fits_guess(*value, guess, formats_, options_.decimal_separator))
      guess = CsvGuess::string;
  }
}

}  // namespace penstock::io
