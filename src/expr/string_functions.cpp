#include "expr/string_functions.hpp"

#include <algorithm>

#include "base/unicode.hpp"

namespace penstock::expr {
namespace {

using Inputs = std::span<const Scalar>;
constexpr Type text_type{Kind::string}, truth_type{Kind::boolean}, number_type{Kind::int64};

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

char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
char upper_letter(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
std::string mapped(std::string text, char (*letter)(char)) {
  std::transform(text.begin(), text.end(), text.begin(), letter);
  return text;
}

std::string trimmed(std::string_view text, bool left, bool right) {
  while (left && text.starts_with(' ')) text.remove_prefix(1);
  while (right && text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  if (what.empty()) return std::string(text);
  std::string result;
  for (std::size_t at; (at = text.find(what)) != std::string_view::npos;
       text.remove_prefix(at + what.size()))
    result.append(text.substr(0, at)).append(with);
  return result.append(text);
}

// 1 for the first character; 0 where it does not occur.
std::int64_t place_of(std::string_view text, std::string_view what) {
  const std::size_t at = text.find(what);
  return at == std::string_view::npos ? 0 : character_count(text.substr(0, at)) + 1;
}

Scalar truth(bool value) { return Scalar::of(truth_type, Int128{value}); }
Scalar number(std::int64_t value) { return Scalar::of(number_type, Int128{value}); }
Scalar text(std::string_view value) { return Scalar::of(std::string(value)); }
std::int64_t integer(const Scalar& value) { return static_cast<std::int64_t>(value.integer); }

struct Row {
  std::string_view name;
  std::vector<Type> inputs;
  Type result;
  Scalar (*host)(Inputs);
};
const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {"like",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(matches_like(in[0].text, in[1].text)); }},
      {"like",
       {text_type, text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(matches_like(in[0].text, in[1].text, in[2].text)); }},
      {"ilike",
       {text_type, text_type},
       truth_type,
       [](Inputs in) {
         return truth(
             matches_like(mapped(in[0].text, lower_letter), mapped(in[1].text, lower_letter)));
       }},
      {"starts_with",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text.starts_with(in[1].text)); }},
      {"prefix",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text.starts_with(in[1].text)); }},
      {"ends_with",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text.ends_with(in[1].text)); }},
      {"suffix",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text.ends_with(in[1].text)); }},
      {"contains",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text.find(in[1].text) != std::string::npos); }},
      {"length",
       {text_type},
       number_type,
       [](Inputs in) { return number(character_count(in[0].text)); }},
      {"strlen",
       {text_type},
       number_type,
       [](Inputs in) { return number(static_cast<std::int64_t>(in[0].text.size())); }},
      {"position",
       {text_type, text_type},
       number_type,
       [](Inputs in) { return number(place_of(in[0].text, in[1].text)); }},
      {"lower",
       {text_type},
       text_type,
       [](Inputs in) { return text(mapped(in[0].text, lower_letter)); }},
      {"upper",
       {text_type},
       text_type,
       [](Inputs in) { return text(mapped(in[0].text, upper_letter)); }},
      {"trim",
       {text_type},
       text_type,
       [](Inputs in) { return text(trimmed(in[0].text, true, true)); }},
      {"ltrim",
       {text_type},
       text_type,
       [](Inputs in) { return text(trimmed(in[0].text, true, false)); }},
      {"rtrim",
       {text_type},
       text_type,
       [](Inputs in) { return text(trimmed(in[0].text, false, true)); }},
      {"substring",
       {text_type, number_type},
       text_type,
       [](Inputs in) { return text(substring(in[0].text, integer(in[1]), INT64_MAX)); }},
      {"substring",
       {text_type, number_type, number_type},
       text_type,
       [](Inputs in) { return text(substring(in[0].text, integer(in[1]), integer(in[2]))); }},
      {"left",
       {text_type, number_type},
       text_type,
       [](Inputs in) { return text(left(in[0].text, integer(in[1]))); }},
      {"right",
       {text_type, number_type},
       text_type,
       [](Inputs in) { return text(right(in[0].text, integer(in[1]))); }},
      {"replace",
       {text_type, text_type, text_type},
       text_type,
       [](Inputs in) { return text(replaced(in[0].text, in[1].text, in[2].text)); }},
      {"concat",
       {text_type, text_type},
       text_type,
       [](Inputs in) { return text(in[0].text + in[1].text); }},
      {"less",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text < in[1].text); }},
      {"less_equal",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text <= in[1].text); }},
      {"greater",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text > in[1].text); }},
      {"greater_equal",
       {text_type, text_type},
       truth_type,
       [](Inputs in) { return truth(in[0].text >= in[1].text); }},
  };
  return table;
}

// Made once, so that equal calls are one node.
const std::vector<std::shared_ptr<const CustomFunction>>& functions() {
  static const auto made = [] {
    std::vector<std::shared_ptr<const CustomFunction>> all;
    for (const Row& row : rows()) {
      std::vector<std::string> names;
      for (std::size_t i = 0; i < row.inputs.size(); i++)
        names.push_back("input" + std::to_string(i + 1));
      CustomFunction function{
          std::string(row.name), std::move(names), row.inputs, row.result, "", row.host};
      all.push_back(std::make_shared<CustomFunction>(std::move(function)));
    }
    return all;
  }();
  return made;
}

}  // namespace

std::shared_ptr<const CustomFunction> text_function(std::string_view name,
                                                    std::size_t input_count) {
  for (const auto& function : functions())
    if (function->name == name && function->parameter_types.size() == input_count) return function;
  return nullptr;
}

std::shared_ptr<const CustomFunction> text_comparison(Op op) {
  return text_function(name_of(op), 2);
}

std::shared_ptr<const CustomFunction> text_any_of() {
  static const auto made = std::make_shared<const CustomFunction>(CustomFunction{
      "any_of", {"input1", "input2"}, {text_type, text_type}, truth_type, "", [](Inputs in) {
        return truth(std::any_of(in.begin() + 1, in.end(), [&](const Scalar& constant) {
          return constant.text == in[0].text;
        }));
      }});
  return made;
}

std::shared_ptr<const CustomFunction> text_is_there() {
  static const auto made = std::make_shared<const CustomFunction>(CustomFunction{
      "is_there", {"input1"}, {text_type}, truth_type, "", [](Inputs) { return truth(true); }});
  return made;
}

Status no_text_column() {
  return {Code::unsupported,
          "a function of strings, or an order of strings, takes one column and constants"};
}

Status check_text_call(const Graph& graph, NodeId call) {
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
