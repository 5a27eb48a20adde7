// Columns and encoded strings for the tests of FSST.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "codec/fsst/format/encoded_column.hpp"

namespace penstock::fsst {

inline SymbolTable table_of(const std::vector<std::string>& symbols) {
  SymbolTable table;
  for (const std::string& symbol : symbols) {
    std::memcpy(&table.symbols[table.symbol_count], symbol.data(), symbol.size());
    table.lengths[table.symbol_count++] = static_cast<std::uint8_t>(symbol.size());
  }
  return table;
}

// Returns one row group of these rows' codes.
inline EncodedStrings strings_of(const SymbolTable& table, const std::vector<std::string>& rows,
                                 std::uint64_t string_bytes) {
  EncodedStrings strings;
  std::vector<std::uint32_t> offsets{0};
  std::vector<char> codes;
  for (const std::string& row : rows) {
    codes.insert(codes.end(), row.begin(), row.end());
    offsets.push_back(static_cast<std::uint32_t>(codes.size()));
  }
  strings.row_count = rows.size();
  strings.codes = Bytes::own(std::move(codes));
  strings.offsets = Bytes::own(std::move(offsets));
  strings.string_bytes = string_bytes;
  if (!rows.empty()) strings.row_groups = {{0, 0, std::make_shared<SymbolTable>(table)}};
  return strings;
}

// Returns the same with a string size that any such codes may have.
inline EncodedStrings strings_of(const SymbolTable& table, const std::vector<std::string>& rows) {
  std::size_t bytes = 0;
  for (const std::string& row : rows) bytes += row.size();
  return strings_of(table, rows, bytes);
}

inline SymbolTable three_symbols() { return table_of({"a", "bc", "defghijk"}); }
// Returns columns in which row 1 is corrupt.
inline std::vector<EncodedStrings> corrupt_columns() {
  const std::vector<std::vector<std::string>> columns = {
      {std::string("\x00\x01", 2), std::string("\x07", 1)},              // no symbol has code 7
      {std::string("\x00", 1), std::string("\x01\xff", 2)},              // ends with an escape
      {std::string("\x00", 1), std::string("\xff\xff\xff", 3), "\x01"},  // so does this
      {std::string("\xff\xff", 2), std::string(100, '\xff') + '\xff', ""},
      {std::string(15, '\x01'), std::string("\xff", 1),
       std::string(14, '\x01')},  // between two blocks of sixteen
      {std::string(16, '\x01'), std::string("\x03", 1)}};
  std::vector<EncodedStrings> all;
  for (const auto& rows : columns) all.push_back(strings_of(three_symbols(), rows));
  return all;
}

// Encodes strings for tests of something else.
inline EncodedStrings encoded(const Column& texts, const EncodeOptions& options = {}) {
  auto strings = encode(texts, options);
  EXPECT_TRUE(strings.ok()) << strings.status().text();
  return strings.ok() ? std::move(*strings) : EncodedStrings{};
}
inline Column encoded_strings(const Column& texts, std::uint64_t row_group_rows,
                              StringCheck check = {}) {
  auto column =
      encoded_column(encoded(texts, {.row_group_rows = row_group_rows}), std::move(check));
  EXPECT_TRUE(column.ok()) << column.status().text();
  return column.ok() ? std::move(*column) : Column{};
}

// Returns the same rows after codes that belong to no row, with offsets of eight bytes.
inline EncodedStrings moved(EncodedStrings strings, std::size_t code_bytes) {
  std::vector<std::uint8_t> codes(code_bytes, 255);
  codes.insert(codes.end(), strings.codes.as<std::uint8_t>(),
               strings.codes.as<std::uint8_t>() + strings.codes.size);
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t row = 0; row <= strings.row_count; row++)
    offsets.push_back(strings.offset(row) + code_bytes);
  strings.codes = Bytes::own(std::move(codes));
  strings.offsets = Bytes::own(std::move(offsets));
  strings.offset_bytes = 8;
  return strings;
}

// Row groups of random codes, and their strings: symbols of every length, so that words begin and
// end anywhere in them, escapes, literals that are 255 or look like codes, runs of escapes (escaped
// or not), empty rows, long rows.
struct RandomColumn {
  EncodedStrings strings;
  Column texts;
};
struct RandomColumnOptions {
  std::size_t rows = 2000, max_codes = 30, long_row_codes = 0, row_groups = 3;
  unsigned escapes_of_100 = 5, symbol_bytes = 0;  // symbols of so many bytes; 0: of one to eight
  std::string letters = "abc";                    // of strings; empty: any byte
};
inline RandomColumn random_codes(std::uint32_t seed, const RandomColumnOptions& column_options) {
  std::mt19937 random(seed);
  RandomColumn generated;
  std::vector<std::uint32_t> offsets{0};
  std::vector<char> codes;
  std::vector<std::string> texts;
  std::uint64_t string_bytes = 0;
  const std::string& letters = column_options.letters;
  const auto letter = [&] {
    return letters.empty() ? static_cast<char>(random()) : letters[random() % letters.size()];
  };
  for (std::size_t group = 0; group < column_options.row_groups; group++) {
    std::vector<std::string> symbols;
    const std::size_t symbol_count = group == 0 ? 255 : 1 + random() % 255;
    while (symbols.size() < symbol_count) {
      symbols.emplace_back();
      for (std::size_t i = column_options.symbol_bytes > 0 ? column_options.symbol_bytes
                                                           : 1 + random() % 8;
           i > 0; i--)
        symbols.back() += letter();
    }
    generated.strings.row_groups.push_back(
        {texts.size(), string_bytes, std::make_shared<SymbolTable>(table_of(symbols))});
    for (std::size_t row = 0; row < column_options.rows / column_options.row_groups + group;
         row++) {
      texts.emplace_back();
      const bool is_long = column_options.long_row_codes > 0 && random() % 97 == 0;
      for (std::size_t i = is_long ? column_options.long_row_codes
                                   : random() % (column_options.max_codes + 1);
           i > 0; i--) {
        const bool is_escape = random() % 100 < column_options.escapes_of_100;
        const std::size_t code = random() % symbol_count;
        const char literal = random() % 4 == 0 ? '\xff' : letter();
        if (is_escape) codes.push_back('\xff');
        codes.push_back(is_escape ? literal : static_cast<char>(code));
        texts.back() += is_escape ? std::string(1, literal) : symbols[code];
      }
      offsets.push_back(static_cast<std::uint32_t>(codes.size()));
      string_bytes += texts.back().size();
    }
  }
  generated.strings.row_count = texts.size();
  generated.strings.codes = Bytes::own(std::move(codes));
  generated.strings.offsets = Bytes::own(std::move(offsets));
  generated.strings.string_bytes = string_bytes;
  generated.texts = Column::from_strings(texts);
  return generated;
}

// Returns a row's string; a null row's is empty.
inline std::string_view text_of(const Column& column, std::uint64_t row) {
  return column.is_valid(row) ? column.string(row) : std::string_view();
}

inline void expect_equal(const Column& found, const Column& expected) {
  ASSERT_EQ(found.row_count, expected.row_count);
  for (std::uint64_t row = 0; row < expected.row_count; row++) {
    ASSERT_EQ(found.is_valid(row), expected.is_valid(row)) << "row " << row;
    if (!expected.is_valid(row)) continue;
    ASSERT_EQ(found.string(row), expected.string(row)) << "row " << row;
  }
}

}  // namespace penstock::fsst
