// The rows of functions that make another string of one (string_changes.hpp).
#include "expr/construction.hpp"
#include "expr/string_changes.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {
namespace {

using string_rows::Inputs, string_rows::string_type;
using string_rows::integer, string_rows::number, string_rows::string;

constexpr std::int64_t max_added_characters = 1'000'000;

StringFunction row(std::string_view name, std::vector<std::string_view> sql_names,
                   std::vector<Type> inputs, Type result, std::string_view doc,
                   Scalar (*host)(Inputs), Status (*check)(Inputs) = nullptr) {
  return {.name = name,
          .sql_names = std::move(sql_names),
          .inputs = inputs,
          .required_inputs = inputs.size(),
          .result = result,
          .doc = doc,
          .host = host,
          .check = check};
}

// A constant decides how much memory a result takes.
Status check_count(Inputs in) {
  if (in[1].is_null || in[1].integer <= max_added_characters) return {};
  return {Code::unsupported, "a count of more than 1,000,000"};
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

Scalar code_point(std::int64_t value) { return Scalar::of(int32_type, Int128{value}); }

}  // namespace

std::vector<StringFunction> string_change_rows() {
  return {
      row(
          "lpad", {"lpad"}, {string_type, int64_type, string_type}, string_type,
          "as many characters, filled up or cut off; filled on the left",
          [](Inputs in) { return string(padded_left(in[0].text, integer(in[1]), in[2].text)); },
          check_filling),
      row(
          "rpad", {"rpad"}, {string_type, int64_type, string_type}, string_type,
          "as many characters, filled up or cut off; filled on the right",
          [](Inputs in) { return string(padded_right(in[0].text, integer(in[1]), in[2].text)); },
          check_filling),
      row(
          "repeat", {"repeat"}, {string_type, int64_type}, string_type, "as many times",
          [](Inputs in) { return string(repeated(in[0].text, integer(in[1]))); }, check_count),
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
          [](Inputs in) { return string(character_of(integer(in[0]))); }, check_code_point),
  };
}

}  // namespace penstock::expr
