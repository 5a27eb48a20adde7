// Turns blocks of JSON records into tables.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/json/json_options.hpp"
#include "io/json/json_records.hpp"
#include "io/json/json_structure.hpp"

namespace penstock::io {

// Columns and options that all blocks of a file share.
struct JsonTable {
  std::vector<JsonStructure::Column> columns;  // of records; or one of all values
  std::vector<std::string> keys;               // of the columns, as the file has them
  std::unordered_map<std::string_view, std::uint32_t> column_of;  // a view of `keys`
  bool are_records = true;
  bool are_given = false;       // the columns, by the option of this name
  bool ignores_errors = false;  // makes them NULL
  bool ignores_damage = false;  // a damaged line becomes a row of NULLs

  JsonTable() = default;
  JsonTable(const JsonTable&) = delete;
};

// `place` is "line 7"; the fault's offset is in it.
Status malformed_json(const std::string& place, const JsonFault& fault);

// Reads the columns asked for, and checks all others.
Result<Table> read_json_block(JsonBlock& block, const JsonTable& table,
                              std::span<const std::uint32_t> asked);

}  // namespace penstock::io
