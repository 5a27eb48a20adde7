#include "expr/string_functions.hpp"

#include <algorithm>

#include "expr/construction.hpp"
#include "expr/string_rows.hpp"

namespace penstock::expr {

using namespace string_rows;

const std::vector<StringFunction>& string_functions() {
  static const std::vector<StringFunction> table = [] {
    std::vector<StringFunction> all = basic_string_rows();
    for (const auto& more :
         {pattern_rows(), string_change_rows(), number_rows(), date_rows(), interval_rows(),
          zone_rows(), distance_rows(), text_rows(), blob_rows()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
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
        all.push_back(std::make_shared<CustomFunction>(
            CustomFunction{std::string(row.name), std::move(names), inputs, row.result,
                           std::string(row.body), row.host}));
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

namespace {

bool takes_types(const StringFunction& row, std::span<const Type> types, bool exactly) {
  if (types.size() < row.required_inputs || types.size() > row.inputs.size()) return false;
  for (std::size_t i = 0; i < types.size(); i++) {
    const bool is_like = exactly ? types[i] == row.inputs[i] : takes_type(row.inputs[i], types[i]);
    if (!is_like) return false;
  }
  return true;
}

}  // namespace

bool takes_type(Type parameter, Type given) {
  if (parameter.logical != LogicalType::none || given.logical != LogicalType::none)
    return parameter == given;
  return (parameter.kind == Kind::string) == (given.kind == Kind::string);
}

const StringFunction* find_string_function(std::string_view sql_name,
                                           std::span<const Type> inputs) {
  for (const bool exactly : {true, false})
    for (const StringFunction& row : string_functions())
      if (std::ranges::find(row.sql_names, sql_name) != row.sql_names.end() &&
          takes_types(row, inputs, exactly))
        return &row;
  return nullptr;
}

std::shared_ptr<const CustomFunction> string_function_fits(std::string_view name) {
  static const auto all = [] {
    std::vector<std::shared_ptr<const CustomFunction>> functions;
    for (const StringFunction& row : string_functions()) {
      if (row.fits == nullptr) continue;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < row.inputs.size(); i++)
        names.push_back("input" + std::to_string(i + 1));
      functions.push_back(std::make_shared<CustomFunction>(CustomFunction{
          std::string(row.name) + "_fits", std::move(names), row.inputs, boolean_type, "",
          [fits = row.fits](Inputs in) { return truth(fits(in)); }}));
    }
    return functions;
  }();
  const std::string wanted = std::string(name) + "_fits";
  for (const auto& function : all)
    if (function->name == wanted) return function;
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

namespace {

bool is_of_one_column(const Graph& graph, const Node& call) {
  const auto is_column = [&](NodeId input) {
    const Node& from = graph.at(input);
    return from.type.kind == Kind::string && (from.op == Op::column || from.op == Op::custom);
  };
  const auto is_constant = [&](NodeId input) { return graph.at(input).op == Op::parameter; };
  return std::ranges::count_if(call.inputs, is_constant) + 1 ==
             static_cast<std::ptrdiff_t>(call.inputs.size()) &&
         std::ranges::any_of(call.inputs, is_column);
}

}  // namespace

bool needs_string_rows(const Graph& graph, std::span<const NodeId> roots) {
  const std::vector<bool> needed = reachable(graph, roots);
  for (NodeId id = 0; id < graph.size(); id++) {
    const Node& node = graph.at(id);
    if (needed[id] && node.op == Op::custom &&
        is_string_function(*graph.custom_functions[node.payload]) && !is_of_one_column(graph, node))
      return true;
  }
  return false;
}

}  // namespace penstock::expr
