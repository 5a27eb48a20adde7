#include "expr/type_names.hpp"

#include <charconv>
#include <vector>

#include "base/ascii.hpp"

namespace penstock::expr {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<int> digit_count_of(std::string_view text) {
  text = trimmed(text);
  int digits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digits);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(digits) : std::nullopt;
}

// `text` is what stands between the parentheses.
std::optional<Type> decimal_with(std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto precision = digit_count_of(text.substr(0, comma));
  const auto scale = comma == text.npos ? 0 : digit_count_of(text.substr(comma + 1));
  const bool fits = precision && scale && *precision >= 1 && *precision <= 38 && *scale >= 0 &&
                    *scale <= *precision;
  return fits ? std::optional(Type::decimal(*precision, *scale)) : std::nullopt;
}

}  // namespace

static std::optional<Type> type_within(std::string_view text, int depth);

std::optional<Type> type_named(std::string_view name) {
  struct Named {
    std::string_view name;
    Kind kind;
    LogicalType logical = LogicalType::none;
  };
  static constexpr Named names[] = {
      {"boolean", Kind::boolean},
      {"bool", Kind::boolean},
      {"logical", Kind::boolean},
      {"tinyint", Kind::int8},
      {"int1", Kind::int8},
      {"smallint", Kind::int16},
      {"int2", Kind::int16},
      {"short", Kind::int16},
      {"integer", Kind::int32},
      {"int", Kind::int32},
      {"int4", Kind::int32},
      {"signed", Kind::int32},
      {"bigint", Kind::int64},
      {"int8", Kind::int64},
      {"long", Kind::int64},
      {"hugeint", Kind::int128},
      {"int128", Kind::int128},
      {"utinyint", Kind::uint8},
      {"usmallint", Kind::uint16},
      {"uinteger", Kind::uint32},
      {"ubigint", Kind::uint64},
      {"float", Kind::float32},
      {"real", Kind::float32},
      {"float4", Kind::float32},
      {"double", Kind::float64},
      {"float8", Kind::float64},
      {"decimal", Kind::decimal},
      {"dec", Kind::decimal},
      {"numeric", Kind::decimal},
      {"date", Kind::date32},
      {"timestamp", Kind::timestamp},
      {"datetime", Kind::timestamp},
      {"varchar", Kind::string},
      {"text", Kind::string},
      {"string", Kind::string},
      {"bytea", Kind::string, LogicalType::blob},
      {"blob", Kind::string, LogicalType::blob},
      {"binary", Kind::string, LogicalType::blob},
      {"varbinary", Kind::string, LogicalType::blob},
      {"uuid", Kind::string, LogicalType::uuid},
      {"interval", Kind::string, LogicalType::interval},
      {"time", Kind::timestamp, LogicalType::time},
      {"timestamptz", Kind::timestamp, LogicalType::timestamp_tz},
      {"timestamp with time zone", Kind::timestamp, LogicalType::timestamp_tz}};
  const std::string folded = lower(name);
  for (const Named& named : names)
    if (named.name == folded) return Type{.kind = named.kind, .logical = named.logical};
  return std::nullopt;
}

std::optional<Type> type_of_text(std::string_view text) { return type_within(text, 0); }

namespace {

constexpr int max_depth = 32;

// Splits what stands between parentheses at the commas that are in no others, nor in quotes.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// Takes the name of a field, in quotes or without, from the front of "name TYPE".
std::optional<std::string> take_name(std::string_view& text) {
  std::string name;
  if (!text.starts_with('"')) {
    const std::size_t end = text.find(' ');
    if (end == text.npos) return std::nullopt;
    name = text.substr(0, end);
    text.remove_prefix(end);
    return name;
  }
  for (std::size_t i = 1; i < text.size(); i++) {
    if (text[i] == '"' && (i + 1 == text.size() || text[i + 1] != '"')) {
      text.remove_prefix(i + 1);
      return name;
    }
    name += text[i];
    if (text[i] == '"') i++;
  }
  return std::nullopt;
}

std::optional<Type> struct_with(std::string_view fields, int depth, bool has_names) {
  std::vector<std::string> names;
  std::vector<Type> types;
  for (std::string_view part : parts_of(fields)) {
    const std::optional<std::string> name = has_names ? take_name(part) : std::string();
    const std::optional<Type> type = name ? type_within(part, depth + 1) : std::nullopt;
    if (!type) return std::nullopt;
    names.push_back(*name);
    types.push_back(*type);
  }
  return struct_of(std::move(names), std::move(types));
}

std::optional<Type> map_with(std::string_view text, int depth) {
  const std::vector<std::string_view> parts = parts_of(text);
  if (parts.size() != 2) return std::nullopt;
  const std::optional<Type> key = type_within(parts[0], depth + 1),
                            value = type_within(parts[1], depth + 1);
  return key && value ? std::optional(map_of(*key, *value)) : std::nullopt;
}

// "INTEGER[]", "INTEGER[3]", "STRUCT(a INTEGER, b VARCHAR)", "MAP(VARCHAR, INTEGER)".
std::optional<Type> nested_within(std::string_view text, int depth) {
  if (text.ends_with(']')) {
    const std::size_t open = text.rfind('[');
    const std::optional<Type> element =
        open == text.npos ? std::nullopt : type_within(text.substr(0, open), depth + 1);
    return element ? std::optional(list_of(*element)) : std::nullopt;
  }
  const std::size_t open = text.find('(');
  if (open == text.npos || !text.ends_with(')')) return std::nullopt;
  const std::string name = lower(trimmed(text.substr(0, open)));
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (name == "struct" || name == "row" || name == "tuple")
    return struct_with(inside, depth, name != "tuple");
  return name == "map" ? map_with(inside, depth) : std::nullopt;
}

}  // namespace

std::optional<Type> type_within(std::string_view text, int depth) {
  if (depth > max_depth) return std::nullopt;
  text = trimmed(text);
  if (const std::optional<Type> nested = nested_within(text, depth)) return nested;
  const std::size_t open = text.find('(');
  const std::optional<Type> type = type_named(trimmed(text.substr(0, open)));
  if (!type || type->kind != Kind::decimal) return open == text.npos ? type : std::nullopt;
  if (open == text.npos) return Type::decimal(18, 3);
  return text.ends_with(')') ? decimal_with(text.substr(open + 1, text.size() - open - 2))
                             : std::nullopt;
}

}  // namespace penstock::expr
