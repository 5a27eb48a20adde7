#include "expr/string_functions.hpp"

#include <algorithm>

#include "expr/construction.hpp"
#include "expr/string_operations.hpp"

namespace penstock::expr {
namespace {

using Inputs = std::span<const Scalar>;
constexpr Type string_type{Kind::string};

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
       .doc = "whether % (any characters) and _ (one) make a pattern fit; the third is the escape "
              "character",
       .host =
           [](Inputs in) {
             return truth(matches_like(in[0].text, in[1].text, in.size() > 2 ? in[2].text : ""));
           }},
      {.name = "ilike",
       .sql_names = {"~~*"},
       .inputs = {string_type, string_type},
       .required_inputs = 2,
       .result = boolean_type,
       .doc = "LIKE of both in lower case",
       .host =
           [](Inputs in) {
             return truth(matches_like(to_lower(in[0].text), to_lower(in[1].text)));
           }},
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
       .host =
           [](Inputs in) {
             return string(
                 substring(in[0].text, integer(in[1]), in.size() > 2 ? integer(in[2]) : INT64_MAX));
           }},
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

std::shared_ptr<const CustomFunction> string_any_of() {
  static const auto function = std::make_shared<const CustomFunction>(CustomFunction{
      "any_of", {"input1", "input2"}, {string_type, string_type}, boolean_type, "", [](Inputs in) {
        return truth(std::any_of(in.begin() + 1, in.end(), [&](const Scalar& constant) {
          return constant.text == in[0].text;
        }));
      }});
  return function;
}

std::shared_ptr<const CustomFunction> string_is_present() {
  static const auto function = std::make_shared<const CustomFunction>(CustomFunction{
      "is_there", {"input1"}, {string_type}, boolean_type, "", [](Inputs) { return truth(true); }});
  return function;
}

std::shared_ptr<const CustomFunction> string_rank() {
  static const auto function = std::make_shared<const CustomFunction>(
      CustomFunction{"rank", {"input1"}, {string_type}, {Kind::uint32}, "", [](Inputs) {
                       return Scalar::null_of({Kind::uint32});
                     }});
  return function;
}

Status no_string_column() {
  return {Code::unsupported,
          "a function of strings, or an order of strings, takes one column and constants"};
}

Status check_string_call(const Graph& graph, NodeId call) {
  const Node& node = graph.at(call);
  if (node.op != Op::custom || !is_string_function(*graph.custom_functions[node.payload]))
    return {};
  std::size_t columns = 0;
  bool fits = true;
  for (NodeId input : node.inputs) {
    const Node& from = graph.at(input);
    columns += from.op != Op::parameter;
    fits = fits && (from.op == Op::parameter || from.op == Op::column || from.op == Op::custom);
  }
  if (fits && columns == 1) return {};
  return no_string_column();
}

}  // namespace penstock::expr
