// Columns that the folders of a path hold as Hive writes them: "year=2024/month=01/part.parquet".
//
// Types and values are DuckDB's: BIGINT, DATE or TIMESTAMP if the texts of all files read as one,
// VARCHAR otherwise. __HIVE_DEFAULT_PARTITION__ is NULL; if the type is not VARCHAR, so are "NULL"
// and an empty text. %20 stands for a blank.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::io {

// A key and its value as they are in the path.
using HiveKey = std::pair<std::string, std::string>;

// Returns the keys of a path, sorted by name. If two folders have the same key, the first counts.
std::vector<HiveKey> hive_keys_of(std::string_view path);

// Returns the type of a key by its values in all files.
Type hive_type_of(std::span<const std::string_view> values);

// Returns the value as a type; an error if it does not read as one.
Result<Scalar> hive_value_of(const HiveKey& key, Type type);

}  // namespace penstock::io
