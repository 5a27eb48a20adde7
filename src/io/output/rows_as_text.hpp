// Rows as text for programs: CSV (RFC 4180) and JSON.
//
// Both print every value exactly. Integers, HUGEINT and decimals have all their digits. Floats are
// the shortest text that reads back to the same value. Dates and timestamps are in ISO 8601.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/column.hpp"
#include "penstock/io.hpp"

namespace penstock::io {

// Bytes buffered before a write: enough to make calls cheap, few enough to stay in the cache.
inline constexpr std::size_t text_chunk_bytes = 64 << 10;

// Appends the value as plain text, without quotes; NULL appends nothing.
void append_cell(std::string& text, const Column& column, std::uint64_t row);

// Writes a header line, then a line for each row. A string is quoted where it could be read
// otherwise: as NULL, as two fields or as two lines. An empty string is "".
Status format_csv(const Table& table, const ByteSink& sink, const CsvStyle& style = {});
std::string csv_field(std::string_view value);  // quoted where RFC 4180 asks for it

// Writes objects, one per line, as an array or each by itself. The second column of the same name
// is "name_1". Decimals and HUGEINT are numbers with all their digits (RFC 8259 sets no limit; a
// reader that stores doubles rounds them). NaN and the infinities, which JSON has no numbers for,
// are the strings "NaN", "Infinity" and "-Infinity". Bytes that are not UTF-8 become U+FFFD.
Status format_json(const Table& table, const ByteSink& sink, JsonLayout layout = JsonLayout::array);

}  // namespace penstock::io
