// Results as text for people: an aligned table. io/output/rows_as_text.hpp has CSV and JSON.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "io/output/rows_as_text.hpp"
#include "penstock/column.hpp"
#include "terminal/output_file.hpp"

namespace penstock::terminal {

using io::append_cell;
using io::csv_field;
using io::format_csv;
using io::format_json;
using io::text_chunk_bytes;

struct TableStyle {
  std::uint64_t max_rows = UINT64_MAX;  // more are cut in the middle, with their number below
  std::uint32_t max_cell_width = UINT32_MAX;
};
// Writes names over types over values; numbers are aligned right. Line breaks and control
// characters are shown as escapes.
Status format_table(const Table& table, const TableStyle& style, const Sink& sink);
// Returns text that a terminal cannot interpret as commands. Control characters and those that
// change the writing direction become escapes, bytes that are not UTF-8 become U+FFFD. Line breaks
// and tabs are kept.
std::string terminal_text(std::string_view text);
// Returns one character of such text, line breaks and tabs as escapes too; `bytes` are its UTF-8.
std::string visible_character(char32_t code, std::string_view bytes);
// Returns the columns of UTF-8 text in a terminal: none for combining marks, two for wide East
// Asian characters and emoji.
std::uint32_t display_width(std::string_view text);

}  // namespace penstock::terminal
