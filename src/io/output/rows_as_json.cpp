#include <set>

#include "base/json.hpp"
#include "io/output/rows_as_text.hpp"

namespace penstock::io {
namespace {

bool is_quoted(Type type) {
  return type.kind == Kind::string || type.kind == Kind::date32 || type.kind == Kind::timestamp;
}

void append_value(std::string& text, const Column& column, std::uint64_t row) {
  if (!column.is_valid(row)) {
    text += "null";
    return;
  }
  if (is_text(column.type)) {
    append_json_string(text, column.string(row));
    return;
  }
  const std::size_t start = text.size();
  append_cell(text, column, row);
  const std::string cell = text.substr(start);
  // DuckDB prints DECIMAL(2,2) as ".50", which is no number of JSON.
  if (column.type.kind == Kind::decimal) {
    const std::size_t digits = start + (cell.starts_with('-') ? 1 : 0);
    if (text.compare(digits, 1, ".") == 0) text.insert(digits, "0");
  }
  const char* special = !is_float(column.type) ? nullptr
                        : cell == "nan"        ? "\"NaN\""
                        : cell == "inf"        ? "\"Infinity\""
                        : cell == "-inf"       ? "\"-Infinity\""
                                               : nullptr;
  if (special != nullptr)
    text.replace(start, cell.size(), special);
  else if (is_quoted(column.type))
    text.replace(start, cell.size(), "\"" + cell + "\"");
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
