#include "sql/duckdb/plan_casts.hpp"

#include "sql/duckdb/plan_json.hpp"

namespace penstock::sql {
namespace {

Tree type_of_input(const Tree& expression) {
  const std::vector<Tree> inputs = inputs_of(expression);
  if (inputs.empty()) return {};
  return inputs[0]["return_type"] ? inputs[0]["return_type"] : inputs[0]["value"]["type"];
}

bool is_json(const Tree& type) { return type["type_info"]["alias"].text() == "JSON"; }
bool is_array(const Tree& type) { return type["id"].text() == "ARRAY"; }
bool is_plain_text(const Tree& type) { return type["id"].text() == "VARCHAR"; }
std::int64_t length_of(const Tree& type) { return type["type_info"]["size"].integer(); }

bool holds_array(const Tree& type) {
  if (is_array(type)) return true;
  const Tree info = type["type_info"], fields = info["child_types"];
  for (std::size_t i = 0; i < fields.size(); i++)
    if (holds_array(fields.at(i)["second"])) return true;
  return info["child_type"] && holds_array(info["child_type"]);
}

std::string array_name(const Tree& type) {
  const Tree child = type["type_info"]["child_type"];
  return (is_array(child) ? array_name(child) : type_name(child)) + "[" +
         std::to_string(length_of(type)) + "]";
}

}  // namespace

std::string refused_cast(const Tree& expression) {
  const Tree to = expression["return_type"], from = type_of_input(expression);
  if (is_json(to)) return is_json(from) ? "" : "a cast to JSON";
  if (is_json(from) && !is_plain_text(to)) return "a cast of JSON to " + type_name(to);
  const bool is_checked = is_array(to) && !holds_array(to["type_info"]["child_type"]);
  if (!holds_array(to) || is_checked || holds_array(from)) return "";
  return "a cast to " + (is_array(to) ? array_name(to) : "lists of arrays of a fixed length");
}

// DuckDB itself compares the lengths of two arrays.
std::optional<std::int64_t> length_to_check(const Tree& expression) {
  const Tree to = expression["return_type"];
  if (!is_array(to) || is_array(type_of_input(expression))) return std::nullopt;
  return length_of(to);
}

}  // namespace penstock::sql
