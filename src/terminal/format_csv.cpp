#include "terminal/format.hpp"

namespace penstock::terminal {

namespace {

void append_field(std::string& text, std::string_view value) {
  if (!value.empty() && value.find_first_of(",\"\r\n") == std::string_view::npos) {
    text += value;
    return;
  }
  text += '"';
  for (char c : value) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

}  // namespace

std::string csv_field(std::string_view value) {
  std::string text;
  append_field(text, value);
  return text;
}

Status format_csv(const Table& table, const Sink& sink) {
  std::string text;
  for (std::size_t c = 0; c < table.names.size(); c++) {
    if (c > 0) text += ',';
    append_field(text, table.names[c]);
  }
  text += '\n';
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    for (std::size_t c = 0; c < table.columns.size(); c++) {
      const Column& column = table.columns[c];
      if (c > 0) text += ',';
      if (column.type.kind == Kind::string && column.is_valid(row))
        append_field(text, column.string(row));
      else
        append_cell(text, column, row);
    }
    text += '\n';
    if (text.size() < text_chunk_bytes) continue;
    PENSTOCK_TRY(sink(text));
    text.clear();
  }
  return sink(text);
}

}  // namespace penstock::terminal
