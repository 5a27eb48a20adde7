#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "expr/nested_values.hpp"
#include "io/output/rows_as_text.hpp"

namespace penstock::io {
namespace {

bool is_quoted(Type type) {
  return type.kind == Kind::string || type.kind == Kind::date32 || type.kind == Kind::timestamp;
}

// Appends a value that is neither NULL nor within another one, whose text is `cell`.
void append_plain(std::string& text, Type type, const std::string& cell) {
  // DuckDB prints DECIMAL(2,2) as ".50", which is no number of JSON.
  const bool lacks_zero =
      type.kind == Kind::decimal && (cell.starts_with('.') || cell.starts_with("-."));
  const char* special = !is_float(type)  ? nullptr
                        : cell == "nan"  ? "NaN"
                        : cell == "inf"  ? "Infinity"
                        : cell == "-inf" ? "-Infinity"
                                         : nullptr;
  if (is_quoted(type) || special != nullptr)
    append_json_string(text, special != nullptr ? special : cell);
  else if (lacks_zero)
    text += cell.starts_with('-') ? "-0" + cell.substr(1) : "0" + cell;
  else
    text += cell;
}

void append_scalar(std::string& text, const Scalar& value);

void append_members(std::string& text, const std::vector<std::string>& names,
                    const expr::Scalars& values) {
  text += '{';
  for (std::size_t i = 0; i < values.size(); i++) {
    text += (i == 0 ? "" : ", ") + json_string(names[i]) + ": ";
    append_scalar(text, values[i]);
  }
  text += '}';
}

void append_elements(std::string& text, const expr::Scalars& elements) {
  text += '[';
  for (std::size_t i = 0; i < elements.size(); i++) {
    if (i > 0) text += ", ";
    append_scalar(text, elements[i]);
  }
  text += ']';
}

// A struct without names is an array, and a map's keys are texts.
void append_nested(std::string& text, const Scalar& value) {
  if (expr::is_list(value.type)) return append_elements(text, expr::elements_of(value));
  std::vector<std::string> names;
  expr::Scalars values;
  if (expr::is_struct(value.type)) {
    names = value.type.nested->names;
    values = expr::fields_of(value);
    const bool is_row = std::ranges::all_of(names, &std::string::empty);
    return is_row ? append_elements(text, values) : append_members(text, names, values);
  }
  for (const Scalar& entry : expr::elements_of(value)) {
    expr::Scalars fields = expr::fields_of(entry);
    names.push_back(text_of(fields[0]));
    values.push_back(std::move(fields[1]));
  }
  append_members(text, names, values);
}

void append_scalar(std::string& text, const Scalar& value) {
  if (value.is_null)
    text += "null";
  else if (is_nested(value.type))
    append_nested(text, value);
  else
    append_plain(text, value.type, text_of(value));
}

void append_value(std::string& text, const Column& column, std::uint64_t row) {
  if (!column.is_valid(row)) {
    text += "null";
  } else if (is_text(column.type)) {
    append_json_string(text, column.string(row));
  } else if (is_nested(column.type)) {
    append_nested(text, scalar_at(column, row));
  } else {
    std::string cell;
    append_cell(cell, column, row);
    append_plain(text, column.type, cell);
  }
}

// Among columns of one name the first keeps it; the others get the next free of x_1, x_2, ...
std::vector<std::string> distinct_names(const std::vector<std::string>& names) {
  std::set<std::string> taken(names.begin(), names.end()), used;
  std::vector<std::string> distinct;
  for (const std::string& name : names) {
    std::string key = name;
    for (unsigned number = 1; used.contains(key) || (key != name && taken.contains(key)); number++)
      key = name + "_" + std::to_string(number);
    used.insert(key);
    distinct.push_back(std::move(key));
  }
  return distinct;
}

}  // namespace

Status format_json(const Table& table, const ByteSink& sink, JsonLayout layout) {
  const bool is_array = layout == JsonLayout::array;
  std::vector<std::string> names = distinct_names(table.names);
  for (std::string& name : names) name = json_string(name) + ": ";
  std::string text = is_array ? "[" : "";
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    if (is_array) text += row == 0 ? "\n  " : ",\n  ";
    text += '{';
    for (std::size_t c = 0; c < table.columns.size(); c++) {
      if (c > 0) text += ", ";
      text += names[c];
      append_value(text, table.columns[c], row);
    }
    text += is_array ? "}" : "}\n";
    if (text.size() < text_chunk_bytes) continue;
    PENSTOCK_TRY(sink(text));
    text.clear();
  }
  if (is_array) text += table.row_count == 0 ? "]\n" : "\n]\n";
  return sink(text);
}

}  // namespace penstock::io
