#include "io/output/rows_as_text.hpp"

namespace penstock::io {
namespace {

void append_quoted(std::string& text, std::string_view value) {
  text += '"';
  for (char c : value) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

bool needs_quotes(std::string_view value, const CsvStyle& style) {
  return value.empty() || value == style.null_text ||
         value.find_first_of("\"\r\n") != std::string_view::npos ||
         value.find(style.delimiter) != std::string_view::npos;
}

void append_field(std::string& text, std::string_view value, const CsvStyle& style) {
  if (needs_quotes(value, style))
    append_quoted(text, value);
  else
    text += value;
}

// A number may hold the delimiter, as 1.5 does where that is a point.
void append_value(std::string& text, const Column& column, std::uint64_t row,
                  const CsvStyle& style) {
  if (!column.is_valid(row)) {
    text += style.null_text;
  } else if (is_text(column.type)) {
    append_field(text, column.string(row), style);
  } else {
    std::string value;
    append_cell(value, column, row);
    append_field(text, value, style);
  }
}

}  // namespace

std::string csv_field(std::string_view value) {
  std::string text;
  append_field(text, value, {});
  return text;
}

Status format_csv(const Table& table, const ByteSink& sink, const CsvStyle& style) {
  std::string text;
  for (std::size_t c = 0; style.has_header && c < table.names.size(); c++) {
    if (c > 0) text += style.delimiter;
    append_field(text, table.names[c], style);
  }
  if (style.has_header) text += '\n';
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    for (std::size_t c = 0; c < table.columns.size(); c++) {
      if (c > 0) text += style.delimiter;
      append_value(text, table.columns[c], row, style);
    }
    text += '\n';
    if (text.size() < text_chunk_bytes) continue;
    PENSTOCK_TRY(sink(text));
    text.clear();
  }
  return sink(text);
}

}  // namespace penstock::io
