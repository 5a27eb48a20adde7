// Columns and encoded strings for the tests of FSST.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "penstock/fsst.hpp"

namespace penstock::fsst {

inline SymbolTable table_of(const std::vector<std::string>& symbols) {
  SymbolTable table;
  for (const std::string& symbol : symbols) {
    std::memcpy(&table.symbols[table.symbol_count], symbol.data(), symbol.size());
    table.lengths[table.symbol_count++] = static_cast<std::uint8_t>(symbol.size());
  }
  return table;
}

// One row group of these rows' codes.
inline EncodedStrings strings_of(const SymbolTable& table, const std::vector<std::string>& rows, std::uint64_t text_bytes) {
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
  strings.text_bytes = text_bytes;
  if (!rows.empty()) strings.row_groups = {{0, 0, std::make_shared<SymbolTable>(table)}};
  return strings;
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
