// The rows of functions that make another string of one (string_changes.hpp).
#include <algorithm>

#include "expr/construction.hpp"
#include "expr/string_changes.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::number, string_rows::string;

constexpr std::int64_t max_added_characters = 1'000'000, max_repeated_bytes = 100'000'000;

StringFunction row(std::string_view name, std::vector<std::string_view> sql_names,
                   std::vector<Type> inputs, Type result, std::string_view doc,
                   Scalar (*host)(Inputs), Status (*check)(Inputs) = nullptr,
                   bool (*fits)(Inputs) = nullptr, std::string_view fault = {}) {
  StringFunction made =
      string_rows::function_row(name, std::move(sql_names), std::move(inputs), result, doc, host);
  made.check = check, made.fits = fits, made.fault = fault;
  return made;
}

bool can_be_filled(Inputs in) {
  return in[1].integer <= max_added_characters && !in[2].text.empty();
}
bool can_be_repeated(Inputs in) {
  return in[1].integer <= max_added_characters &&
         Int128(in[0].text.size()) * in[1].integer <= max_repeated_bytes;
}
std::int64_t bounded_count(const Scalar& count) {
  return std::min(integer(count), max_added_characters);
}
constexpr std::string_view cannot_fill =
    "a text is filled up to 1,000,000 characters at most, and with some text";

// A constant decides how much memory a result takes.
Status check_count(Inputs in) {
  if (in[1].is_null || in[1].integer <= max_added_characters) return {};
  return {Code::unsupported, "repeat() by more than 1,000,000 is not supported"};
}

Status check_filling(Inputs in) {
  PENSTOCK_TRY(check_count(in));
  if (in[2].is_null || !in[2].text.empty()) return {};
  return {Code::invalid, "there is nothing to fill up with"};
}

Status check_code_point(Inputs in) {
  if (in[0].is_null || is_code_point(integer(in[0]))) return {};
  return {Code::invalid, std::to_string(integer(in[0])) + " is no code point of Unicode"};
}

std::int64_t part_count(std::string_view text, std::string_view separator) {
  if (separator.empty()) return std::max<std::int64_t>(character_count(text), 1);
  std::int64_t count = 1;
  for (std::size_t at = 0; (at = text.find(separator, at)) != text.npos; at += separator.size())
    count++;
  return count;
}

bool has_part(Inputs in) {
  const std::int64_t count = part_count(in[0].text, in[1].text), part = integer(in[2]);
  return part != 0 && part <= count && part >= -count;
}

Scalar code_point(std::int64_t value) { return Scalar::of(int32_type, Int128{value}); }

}  // namespace

std::vector<StringFunction> string_change_rows() {
  return {
      row(
          "lpad", {"lpad"}, {string_type, int64_type, string_type}, string_type,
          "as many characters, filled up or cut off; filled on the left",
          [](Inputs in) {
            return string(padded_left(in[0].text, bounded_count(in[1]), in[2].text));
          },
          check_filling, can_be_filled, cannot_fill),
      row(
          "rpad", {"rpad"}, {string_type, int64_type, string_type}, string_type,
          "as many characters, filled up or cut off; filled on the right",
          [](Inputs in) {
            return string(padded_right(in[0].text, bounded_count(in[1]), in[2].text));
          },
          check_filling, can_be_filled, cannot_fill),
      row(
          "repeat", {"repeat"}, {string_type, int64_type}, string_type, "as many times",
          [](Inputs in) {
            return string(can_be_repeated(in) ? repeated(in[0].text, integer(in[1])) : "");
          },
          check_count, can_be_repeated, "a text is repeated too often"),
      row("reverse", {"reverse"}, {string_type}, string_type, "its characters, the last one first",
          [](Inputs in) { return string(reversed(in[0].text)); }),
      row("translate", {"translate"}, {string_type, string_type, string_type}, string_type,
          "with characters of the third for those of the second",
          [](Inputs in) { return string(translated(in[0].text, in[1].text, in[2].text)); }),
      row("split_part", {"split_part"}, {string_type, string_type, int64_type}, string_type,
          "a part between separators; a negative number counts from the end",
          [](Inputs in) { return string(split_part(in[0].text, in[1].text, integer(in[2]))); }),
      row("hex", {"hex", "to_hex"}, {string_type}, string_type, "its bytes as hexadecimal digits",
          [](Inputs in) { return string(hexadecimal(in[0].text)); }),
      row("ascii", {"ascii"}, {string_type}, int32_type, "its first character's number, or 0",
          [](Inputs in) { return code_point(first_code_point(in[0].text, 0)); }),
      row("unicode", {"unicode", "ord"}, {string_type}, int32_type,
          "its first character's number, or -1",
          [](Inputs in) { return code_point(first_code_point(in[0].text, -1)); }),
      row("bit_length", {"bit_length"}, {string_type}, int64_type, "the number of bits",
          [](Inputs in) { return number(static_cast<std::int64_t>(in[0].text.size()) * 8); }),
      row(
          "chr", {"chr"}, {int64_type}, string_type, "the character of a number",
          [](Inputs in) {
            return string(is_code_point(integer(in[0])) ? character_of(integer(in[0])) : "");
          },
          check_code_point, [](Inputs in) { return is_code_point(integer(in[0])); },
          "chr takes a code point of Unicode"),
      row(
          "split_element", {}, {string_type, string_type, int64_type}, string_type,
          "a part between separators, or NULL where there is none",
          [](Inputs in) { return string(split_part(in[0].text, in[1].text, integer(in[2]))); },
          nullptr, has_part),
      row("split_count", {}, {string_type, string_type}, int64_type, "the number of parts",
          [](Inputs in) { return number(part_count(in[0].text, in[1].text)); }),
  };
}

}  // namespace penstock::expr
