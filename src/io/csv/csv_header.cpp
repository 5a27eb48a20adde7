#include "io/csv/csv_header.hpp"

#include <algorithm>
#include <map>

#include "base/unicode.hpp"
#include "io/csv/csv_chars.hpp"
#include "io/csv/csv_numbers.hpp"

namespace penstock::io {
namespace {

// Unicode's category Zs.
bool is_space_separator(char32_t code) {
  return code == U' ' || code == U'\u00a0' || code == U'\u1680' ||
         (code >= U'\u2000' && code <= U'\u200a') || code == U'\u202f' || code == U'\u205f' ||
         code == U'\u3000';
}

std::string without_outer_spaces(std::string_view name) {
  std::size_t begin = name.size(), end = 0;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t here = at;
    if (is_space_separator(next_code_point(name, at))) continue;
    begin = std::min(begin, here);
    end = at;
  }
  return begin < end ? std::string(name.substr(begin, end - begin)) : std::string();
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = lower_case(c);
  return text;
}

// Whether the first row is a header beside names and types that are given for every column.
bool is_header_of_given(const CsvFirstRow& row, const CsvOptions& options,
                        const CsvTimeFormats& formats) {
  const auto& given = options.all_columns;
  if (row.size() != given.size() && row.size() != given.size() + 1) return false;
  bool has_names = true, fits = true, all_strings = true;
  for (std::size_t i = 0; i < given.size(); i++) {
    if (!row[i]) return false;
    has_names &= *row[i] == given[i].first;
    const CsvType& type = given[i].second;
    const bool is_string = type.type.kind == Kind::string && type.unsupported.empty();
    all_strings &= is_string;
    if (is_string) continue;
    for (const CsvGuess guess : {CsvGuess::float64, CsvGuess::integer_64, CsvGuess::timestamp,
                                 CsvGuess::date, CsvGuess::time, CsvGuess::boolean})
      if (type_of_guess(guess).type == type.type)
        fits &= fits_guess(*row[i], guess, formats, options.decimal_separator);
    if (is_numeric(type.type)) fits &= read_double(*row[i], options.decimal_separator).has_value();
  }
  return has_names || all_strings || !fits;
}

}  // namespace

bool is_header(const CsvFirstRow& row, const CsvTypeSearch& types, const CsvOptions& options) {
  if (options.has_header) return *options.has_header;
  if (!options.all_columns.empty()) return is_header_of_given(row, options, types.formats());
  bool all_strings = true, all_null = true, fits = true;
  for (std::size_t i = 0; i < row.size() && i < types.guesses().size(); i++) {
    const CsvGuess guess = types.guesses()[i];
    all_null &= !row[i];
    all_strings &= guess == CsvGuess::string;
    fits &= !row[i] || fits_guess(*row[i], guess, types.formats(), options.decimal_separator);
  }
  return all_strings || all_null || !fits;
}

std::string default_column_name(std::size_t index, std::size_t count) {
  const std::string number = std::to_string(index);
  const std::size_t digits = std::to_string(count - 1).size();
  return "column" + std::string(digits - number.size(), '0') + number;
}

std::vector<std::string> names_of_header(const CsvFirstRow& row, std::size_t column_count) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> repeats;  // of a name in lower case
  for (std::size_t i = 0; i < column_count; i++) {
    const bool is_named = i < row.size() && row[i] && !trimmed(*row[i]).empty();
    std::string name =
        is_named ? without_outer_spaces(*row[i]) : default_column_name(i, column_count);
    for (auto found = repeats.find(in_lower_case(name)); found != repeats.end();
         found = repeats.find(in_lower_case(name)))
      name += "_" + std::to_string(++found->second);
    repeats.emplace(in_lower_case(name), 0);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace penstock::io
