#include "io/csv/csv_types.hpp"

#include <array>

#include "expr/type_names.hpp"
#include "io/csv/csv_numbers.hpp"

namespace penstock::io {
namespace {

// DuckDB's types that a table cannot have here: a column of them is refused when it is read.
constexpr std::array<std::string_view, 9> unread_types{
    "UHUGEINT", "BIGNUM", "INTERVAL", "UUID", "BLOB", "JSON", "TIMETZ", "BIT", "TIMESTAMP_NS"};

std::string upper_case(std::string_view name) {
  std::string out(trimmed(name));
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// Names of strings that casts do not take: a length has no effect.
bool is_string_with_length(std::string_view upper) {
  const std::string_view base = trimmed(upper.substr(0, upper.find('(')));
  const bool has_length = base.size() < upper.size() && upper.ends_with(')');
  return base == "CHAR" || base == "BPCHAR" || (base == "VARCHAR" && has_length);
}

}  // namespace

Result<CsvType> type_by_name(std::string_view name) {
  const std::string upper = upper_case(name);
  if (const auto type = expr::type_of_text(upper)) {
    const bool is_time = type->kind == Kind::timestamp;
    if (type->logical != LogicalType::none && !is_time) return CsvType{{Kind::string}, upper};
    return CsvType{*type};
  }
  if (is_string_with_length(upper)) return CsvType{{Kind::string}};
  for (const std::string_view type : unread_types)
    if (upper == type) return CsvType{{Kind::string}, upper};
  return Status(Code::invalid,
                "'" + std::string(name) +
                    "' is no type of a column of text; there are BOOLEAN, TINYINT to BIGINT, "
                    "UTINYINT to UBIGINT, FLOAT, DOUBLE, DECIMAL(p, s), DATE, TIMESTAMP and "
                    "VARCHAR; p is 1 to 38, and s 0 to p");
}

}  // namespace penstock::io
