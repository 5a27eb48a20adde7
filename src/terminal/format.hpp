// Results as text: an aligned table for people, CSV (RFC 4180) and JSON for programs.
//
// All three print every value exactly: integers, HUGEINT and decimals with all their digits, floats
// as the shortest text that reads back to the same value, dates and timestamps in ISO 8601.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/column.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

// Appends the value as plain text, without quotes; NULL appends nothing.
void append_cell(std::string& text, const Column& column, std::uint64_t row);

// A header line, then one line a row, ended by "\n". NULL is an empty field, an empty string is "".
Status format_csv(const Table& table, const Sink& sink);
std::string csv_field(std::string_view value);  // quoted where RFC 4180 asks for it

// An array of objects, one a line; of columns with one name the second is "name_1". Decimals and
// HUGEINT are numbers with all their digits (RFC 8259 sets no limit; a reader that keeps numbers as
// doubles rounds them). NaN and the infinities, which JSON has no numbers for, are the strings
// "NaN", "Infinity" and "-Infinity". Bytes that are not UTF-8 become U+FFFD.
Status format_json(const Table& table, const Sink& sink);

struct TableStyle {
  std::uint64_t max_rows = UINT64_MAX;  // more are cut in the middle, with their number below
  std::uint32_t max_cell_width = UINT32_MAX;
};
// Names over types over values; numbers stand right. Line breaks and control characters are shown
// as escapes.
Status format_table(const Table& table, const TableStyle& style, const Sink& sink);
// The text with nothing in it that a terminal would obey: control characters and those that turn
// the direction of writing are shown as escapes, bytes that are not UTF-8 as U+FFFD. Line breaks
// and tabs stay.
std::string terminal_text(std::string_view text);
// One character of it, line breaks and tabs as escapes too; `piece` are its bytes.
std::string visible_character(char32_t code, std::string_view piece);
// Columns a terminal uses for UTF-8 text: combining marks take none, East Asian wide characters and
// emoji two.
std::uint32_t display_width(std::string_view text);

}  // namespace penstock::cli
