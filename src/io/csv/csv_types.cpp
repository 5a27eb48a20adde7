#include "io/csv/csv_types.hpp"

#include <array>
#include <charconv>

#include "io/csv/csv_numbers.hpp"

namespace penstock::io {
namespace {

struct NamedType {
  std::string_view name;
  Type type;
};

constexpr std::array named_types{
    NamedType{"BOOLEAN", {Kind::boolean}},
    NamedType{"BOOL", {Kind::boolean}},
    NamedType{"LOGICAL", {Kind::boolean}},
    NamedType{"TINYINT", {Kind::int8}},
    NamedType{"INT1", {Kind::int8}},
    NamedType{"SMALLINT", {Kind::int16}},
    NamedType{"INT2", {Kind::int16}},
    NamedType{"SHORT", {Kind::int16}},
    NamedType{"INTEGER", {Kind::int32}},
    NamedType{"INT", {Kind::int32}},
    NamedType{"INT4", {Kind::int32}},
    NamedType{"SIGNED", {Kind::int32}},
    NamedType{"BIGINT", {Kind::int64}},
    NamedType{"INT8", {Kind::int64}},
    NamedType{"LONG", {Kind::int64}},
    NamedType{"UTINYINT", {Kind::uint8}},
    NamedType{"USMALLINT", {Kind::uint16}},
    NamedType{"UINTEGER", {Kind::uint32}},
    NamedType{"UBIGINT", {Kind::uint64}},
    NamedType{"FLOAT", {Kind::float32}},
    NamedType{"FLOAT4", {Kind::float32}},
    NamedType{"REAL", {Kind::float32}},
    NamedType{"DOUBLE", {Kind::float64}},
    NamedType{"FLOAT8", {Kind::float64}},
    NamedType{"DATE", {Kind::date32}},
    NamedType{"TIMESTAMP", {Kind::timestamp}},
    NamedType{"DATETIME", {Kind::timestamp}},
    NamedType{"VARCHAR", {Kind::string}},
    NamedType{"TEXT", {Kind::string}},
    NamedType{"STRING", {Kind::string}},
    NamedType{"CHAR", {Kind::string}},
    NamedType{"BPCHAR", {Kind::string}},
    NamedType{"DECIMAL", Type::decimal(18, 3)},
    NamedType{"NUMERIC", Type::decimal(18, 3)},
};
// DuckDB's types that a table cannot have here: a column of them is refused when it is read.
constexpr std::array<std::string_view, 13> unread_types{
    "TIME",        "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE",
    "HUGEINT",     "UHUGEINT",    "BIGNUM",
    "INTERVAL",    "UUID",        "BLOB",
    "JSON",        "TIMETZ",      "BIT",
    "TIMESTAMP_NS"};

std::string upper_case(std::string_view name) {
  std::string out(trimmed(name));
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// DECIMAL(precision, scale) or DECIMAL(precision).
Result<CsvType> decimal_type(std::string_view name, std::string_view in_parentheses) {
  const std::size_t comma = std::min(in_parentheses.find(','), in_parentheses.size());
  int numbers[2] = {0, 0};
  const std::string_view texts[2] = {
      trimmed(in_parentheses.substr(0, comma)),
      comma == in_parentheses.size() ? "0" : trimmed(in_parentheses.substr(comma + 1))};
  for (int i = 0; i < 2; i++) {
    const char* const end = texts[i].data() + texts[i].size();
    const auto [at, error] = std::from_chars(texts[i].data(), end, numbers[i]);
    if (error != std::errc() || at != end || texts[i].empty()) numbers[0] = 0;
  }
  if (numbers[0] < 1 || numbers[0] > 38 || numbers[1] < 0 || numbers[1] > numbers[0])
    return Status(Code::invalid, "'" + std::string(name) + "' is no type: DECIMAL(p, s) has p " +
                                     "from 1 to 38 and s from 0 to p");
  if (numbers[0] > 18) return CsvType{{Kind::string}, std::string(name)};
  return CsvType{Type::decimal(numbers[0], numbers[1])};
}

}  // namespace

Result<CsvType> type_by_name(std::string_view name) {
  const std::string upper = upper_case(name);
  const std::size_t open = upper.find('(');
  const std::string base = upper_case(upper.substr(0, open));
  if (open != std::string::npos && upper.ends_with(')')) {
    if (base == "DECIMAL" || base == "NUMERIC")
      return decimal_type(upper, std::string_view(upper).substr(open + 1, upper.size() - open - 2));
    if (base == "VARCHAR" || base == "CHAR") return CsvType{{Kind::string}};
  }
  for (const NamedType& type : named_types)
    if (upper == type.name) return CsvType{type.type};
  for (const std::string_view type : unread_types)
    if (upper == type) return CsvType{{Kind::string}, upper};
  return Status(Code::invalid,
                "'" + std::string(name) +
                    "' is no type of a CSV column; there are BOOLEAN, TINYINT to BIGINT, UTINYINT "
                    "to UBIGINT, FLOAT, DOUBLE, DECIMAL(p, s), DATE, TIMESTAMP and VARCHAR");
}

}  // namespace penstock::io
