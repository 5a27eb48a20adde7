// Results as text: an aligned table for people, CSV (RFC 4180) and JSON for programs.
//
// All three print every value exactly. Integers, HUGEINT and decimals have all their digits. Floats
// are the shortest text that reads back to the same value. Dates and timestamps are in ISO 8601.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/column.hpp"
#include "terminal/output_file.hpp"

namespace penstock::terminal {

// Bytes buffered before a write: enough to make calls cheap, few enough to stay in the cache.
inline constexpr std::size_t text_chunk_bytes = 64 << 10;

// Appends the value as plain text, without quotes; NULL appends nothing.
void append_cell(std::string& text, const Column& column, std::uint64_t row);

// Writes a header line, then a line for each row. NULL is an empty field, an empty string is "".
Status format_csv(const Table& table, const Sink& sink);
std::string csv_field(std::string_view value);  // quoted where RFC 4180 asks for it

// Writes an array of objects, one per line. The second column of the same name is "name_1".
// Decimals and HUGEINT are numbers with all their digits (RFC 8259 sets no limit; a reader that
// stores doubles rounds them). NaN and the infinities, which JSON has no numbers for, are the
// strings "NaN", "Infinity" and "-Infinity". Bytes that are not UTF-8 become U+FFFD.
Status format_json(const Table& table, const Sink& sink);

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
