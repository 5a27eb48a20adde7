#include "expr/string_functions.hpp"

#include <algorithm>
#include <array>

#include <utf8proc.h>

#include "base/unicode.hpp"

namespace penstock::expr {
namespace {

using Inputs = std::span<const Scalar>;
constexpr Type string_type{Kind::string}, boolean_type{Kind::boolean}, int64_type{Kind::int64};

// Of the character that begins at `at`; 1 where none begins.
std::size_t character_bytes(std::string_view text, std::size_t at) {
  const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
  return is_ascii ? 1 : std::max<std::size_t>(1, utf8_length(text.substr(at)));
}

std::int64_t character_count(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_bytes(text, at)) count++;
  return count;
}

// Characters [first, last), counted from 0; out of range is cut.
std::string_view characters(std::string_view text, std::int64_t first, std::int64_t last) {
  std::size_t at = 0, begin = text.size();
  std::int64_t number = 0;
  for (; at < text.size() && number < last; number++) {
    if (number == first) begin = at;
    at += character_bytes(text, at);
  }
  return begin < at ? text.substr(begin, at - begin) : std::string_view();
}

// SQL counts from 1; a negative place counts from the end. Places before the first character take
// of the length, as in DuckDB.
std::string_view substring(std::string_view text, std::int64_t from, std::int64_t length) {
  const std::int64_t count = character_count(text);
  std::int64_t first = from > 0 ? from - 1 : from < 0 ? count + from : -1, last = 0;
  if (__builtin_add_overflow(first, length, &last)) last = length < 0 ? INT64_MIN : INT64_MAX;
  if (length < 0) std::swap(first, last);
  return characters(text, std::max<std::int64_t>(first, 0),
                    std::clamp<std::int64_t>(last, 0, count));
}

// Of a negative number: all but so many characters of the other end.
std::string_view left(std::string_view text, std::int64_t length) {
  const std::int64_t count = character_count(text);
  return characters(text, 0,
                    length >= 0 ? std::min(length, count) : count + std::max(length, -count));
}
std::string_view right(std::string_view text, std::int64_t length) {
  const std::int64_t count = character_count(text);
  return characters(
      text,
      length >= 0 ? count - std::min(length, count) : std::min(-std::max(length, -count), count),
      count);
}

// Maps each character by Unicode's simple case mapping (one character to one, as DuckDB does; "ß"
// stays). Bytes that are not UTF-8 are kept.
std::string map_case(std::string_view string, utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  std::string result;
  result.reserve(string.size());
  for (std::size_t at = 0; at < string.size();) {
    const std::size_t bytes = character_bytes(string, at);
    if (bytes == 1) {
      const auto byte = static_cast<unsigned char>(string[at++]);
      result += static_cast<char>(byte < 0x80 ? map(byte) : byte);
      continue;
    }
    std::size_t next = at;
    std::array<utf8proc_uint8_t, 4> mapped{};
    const utf8proc_ssize_t length = utf8proc_encode_char(
        map(static_cast<utf8proc_int32_t>(next_code_point(string, next))), mapped.data());
    result.append(reinterpret_cast<const char*>(mapped.data()), static_cast<std::size_t>(length));
    at = next;
  }
  return result;
}
std::string to_lower(std::string_view string) { return map_case(string, utf8proc_tolower); }
std::string to_upper(std::string_view string) { return map_case(string, utf8proc_toupper); }

// Whether the character at `at` is in Unicode's category Zs (space separators): what DuckDB trims.
bool is_space_at(std::string_view string, std::size_t at) {
  if (character_bytes(string, at) == 1) return string[at] == ' ';
  return utf8proc_category(static_cast<utf8proc_int32_t>(next_code_point(string, at))) ==
         UTF8PROC_CATEGORY_ZS;
}

std::string_view trim_left(std::string_view string) {
  while (!string.empty() && is_space_at(string, 0))
    string.remove_prefix(character_bytes(string, 0));
  return string;
}
// One pass: the end of the last character that is no space.
std::string_view trim_right(std::string_view string) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < string.size();) {
    const bool is_space = is_space_at(string, at);
    at += character_bytes(string, at);
    if (!is_space) end = at;
  }
  return string.substr(0, end);
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  if (what.empty()) return std::string(text);
  std::string result;
  for (std::size_t at; (at = text.find(what)) != std::string_view::npos;
       text.remove_prefix(at + what.size()))
    result.append(text.substr(0, at)).append(with);
  return result.append(text);
}

// Returns 1 for the first character, and 0 where `what` does not occur.
std::int64_t position_of(std::string_view string, std::string_view what) {
  const std::size_t at = string.find(what);
  return at == std::string_view::npos ? 0 : character_count(string.substr(0, at)) + 1;
}

Scalar truth(bool value) { return Scalar::of(boolean_type, Int128{value}); }
Scalar number(std::int64_t value) { return Scalar::of(int64_type, Int128{value}); }
Scalar string(std::string_view value) { return Scalar::of(std::string(value)); }
std::int64_t integer(const Scalar& value) { return static_cast<std::int64_t>(value.integer); }

}  // namespace

const std::vector<StringFunction>& string_functions() {
  static const std::vector<StringFunction> table = {
      {.name = "like",
       .sql_names = {"~~", "like_escape"},
       .inputs = {string_type, string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether % (any characters) and _ (one) make a pattern fit; the third is the escape character",
       .host = [](Inputs in) { return truth(matches_like(in[0].text, in[1].text, in.size() > 2 ? in[2].text : "")); }},
      {.name = "ilike",
       .sql_names = {"~~*"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "LIKE of both in lower case",
       .host = [](Inputs in) { return truth(matches_like(to_lower(in[0].text), to_lower(in[1].text))); }},
      {.name = "starts_with",
       .sql_names = {"starts_with", "prefix"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether it begins with the second",
       .host = [](Inputs in) { return truth(in[0].text.starts_with(in[1].text)); }},
      {.name = "ends_with",
       .sql_names = {"ends_with", "suffix"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether it ends with the second",
       .host = [](Inputs in) { return truth(in[0].text.ends_with(in[1].text)); }},
      {.name = "contains",
       .sql_names = {"contains"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "whether the second occurs in it",
       .host = [](Inputs in) { return truth(in[0].text.find(in[1].text) != std::string::npos); }},
      {.name = "length",
       .sql_names = {"length", "len", "char_length", "character_length"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = int64_type,
       .doc = "the number of characters",
       .host = [](Inputs in) { return number(character_count(in[0].text)); }},
      {.name = "strlen",
       .sql_names = {"strlen"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = int64_type,
       .doc = "the number of bytes",
       .host = [](Inputs in) { return number(static_cast<std::int64_t>(in[0].text.size())); }},
      {.name = "position",
       .sql_names = {"position", "strpos", "instr"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = int64_type,
       .doc = "where the second occurs first, counted from 1; 0: nowhere",
       .host = [](Inputs in) { return number(position_of(in[0].text, in[1].text)); }},
      {.name = "lower",
       .sql_names = {"lower", "lcase"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "in lower case",
       .host = [](Inputs in) { return string(to_lower(in[0].text)); }},
      {.name = "upper",
       .sql_names = {"upper", "ucase"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "in upper case",
       .host = [](Inputs in) { return string(to_upper(in[0].text)); }},
      {.name = "trim",
       .sql_names = {"trim", "btrim"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "without spaces at both ends",
       .host = [](Inputs in) { return string(trim_left(trim_right(in[0].text))); }},
      {.name = "ltrim",
       .sql_names = {"ltrim"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "without spaces at the start",
       .host = [](Inputs in) { return string(trim_left(in[0].text)); }},
      {.name = "rtrim",
       .sql_names = {"rtrim"},
       .inputs = {string_type},
       .required_inputs = 1,
       .result = string_type,
       .doc = "without spaces at the end",
       .host = [](Inputs in) { return string(trim_right(in[0].text)); }},
      {.name = "substring",
       .sql_names = {"substring", "substr"},
       .inputs = {string_type, int64_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "characters from a position on, at most so many",
       .host = [](Inputs in) { return string(substring(in[0].text, integer(in[1]), in.size() > 2 ? integer(in[2]) : INT64_MAX)); }},
      {.name = "left",
       .sql_names = {"left"},
       .inputs = {string_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "the first characters; of a negative count: all but the last ones",
       .host = [](Inputs in) { return string(left(in[0].text, integer(in[1]))); }},
      {.name = "right",
       .sql_names = {"right"},
       .inputs = {string_type, int64_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "the last characters; of a negative count: all but the first ones",
       .host = [](Inputs in) { return string(right(in[0].text, integer(in[1]))); }},
      {.name = "replace",
       .sql_names = {"replace"},
       .inputs = {string_type, string_type, string_type},
       .required_inputs = 3,
       .result = string_type,
       .doc = "with the third for every occurrence of the second",
       .host = [](Inputs in) { return string(replaced(in[0].text, in[1].text, in[2].text)); }},
      {.name = "concat",
       .sql_names = {"||"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = string_type,
       .doc = "one after the other",
       .host = [](Inputs in) { return string(in[0].text + in[1].text); }},
      {.name = "less",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text < in[1].text); }},
      {.name = "less_equal",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text <= in[1].text); }},
      {.name = "greater",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text > in[1].text); }},
      {.name = "greater_equal",
       .sql_names = {},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "by bytes",
       .host = [](Inputs in) { return truth(in[0].text >= in[1].text); }},
  };
  return table;
}

namespace {

// Returns one CustomFunction for each number of inputs of each row. They are made once, so that
// equal calls are one node of a graph.
const std::vector<std::shared_ptr<const CustomFunction>>& overloads() {
  static const auto all_overloads = [] {
    std::vector<std::shared_ptr<const CustomFunction>> all;
    for (const StringFunction& row : string_functions())
      for (std::size_t count = row.required_inputs; count <= row.inputs.size(); count++) {
        const std::vector<Type> inputs(row.inputs.begin(),
                                       row.inputs.begin() + static_cast<std::ptrdiff_t>(count));
        std::vector<std::string> names;
        for (std::size_t i = 0; i < count; i++) names.push_back("input" + std::to_string(i + 1));
        all.push_back(std::make_shared<CustomFunction>(CustomFunction{
            std::string(row.name), std::move(names), inputs, row.result, "", row.host}));
      }
    return all;
  }();
  return all_overloads;
}

}  // namespace

const StringFunction* find_string_function(std::string_view sql_name) {
  for (const StringFunction& row : string_functions())
    if (std::find(row.sql_names.begin(), row.sql_names.end(), sql_name) != row.sql_names.end())
      return &row;
  return nullptr;
}

std::string signature_of(const StringFunction& function) {
  std::string text = std::string(function.name) + "(";
  for (std::size_t i = 0; i < function.inputs.size(); i++) {
    const bool is_optional = i >= function.required_inputs;
    text += std::string(is_optional ? "[" : "") + (i > 0 ? ", " : "") +
            name_of(function.inputs[i]) + (is_optional ? "]" : "");
  }
  return text + ") -> " + name_of(function.result);
}

std::shared_ptr<const CustomFunction> string_function(std::string_view name,
                                                      std::size_t input_count) {
  for (const auto& function : overloads())
    if (function->name == name && function->parameter_types.size() == input_count) return function;
  return nullptr;
}

std::shared_ptr<const CustomFunction> string_comparison(Op op) {
  return string_function(name_of(op), 2);
}

std::shared_ptr<const CustomFunction> text_any_of() {
  static const auto function = std::make_shared<const CustomFunction>(CustomFunction{
      "any_of", {"input1", "input2"}, {string_type, string_type}, boolean_type, "", [](Inputs in) {
        return truth(std::any_of(in.begin() + 1, in.end(), [&](const Scalar& constant) {
          return constant.text == in[0].text;
        }));
      }});
  return function;
}

std::shared_ptr<const CustomFunction> text_is_there() {
  static const auto function = std::make_shared<const CustomFunction>(CustomFunction{
      "is_there", {"input1"}, {string_type}, boolean_type, "", [](Inputs) { return truth(true); }});
  return function;
}

Status no_text_column() {
  return {Code::unsupported,
          "a function of strings, or an order of strings, takes one column and constants"};
}

Status check_string_call(const Graph& graph, NodeId call) {
  const Node& node = graph.at(call);
  if (node.op != Op::custom || !is_text_function(*graph.customs[node.payload])) return {};
  std::size_t columns = 0;
  bool fits = true;
  for (NodeId input : node.inputs) {
    const Node& from = graph.at(input);
    columns += from.op != Op::parameter;
    fits = fits && (from.op == Op::parameter || from.op == Op::column || from.op == Op::custom);
  }
  if (fits && columns == 1) return {};
  return no_text_column();
}

// Greedy with one place to come back to: a % that matched too little takes one character more.
bool matches_like(std::string_view text, std::string_view pattern, std::string_view escape) {
  std::size_t at = 0, p = 0, again_at = 0, again_p = std::string_view::npos;
  for (;;) {
    const bool escaped =
        !escape.empty() && p < pattern.size() && pattern[p] == escape[0] && p + 1 < pattern.size();
    if (p < pattern.size() && !escaped && pattern[p] == '%') {
      again_p = ++p;
      again_at = at;
      continue;
    }
    if (at == text.size() && p == pattern.size()) return true;
    if (p < pattern.size() && at < text.size()) {
      if (!escaped && pattern[p] == '_') {
        at += character_bytes(text, at);
        p++;
        continue;
      }
      if (text[at] == pattern[p + escaped]) {
        at++;
        p += 1 + escaped;
        continue;
      }
    }
    if (again_p == std::string_view::npos || again_at >= text.size()) return false;
    again_at += character_bytes(text, again_at);
    at = again_at;
    p = again_p;
  }
}

}  // namespace penstock::expr
