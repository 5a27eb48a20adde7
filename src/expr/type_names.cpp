#include "expr/type_names.hpp"

#include <charconv>

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

std::optional<Type> type_named(std::string_view name) {
  struct Named {
    std::string_view name;
    Kind kind;
  };
  static constexpr Named names[] = {
      {"boolean", Kind::boolean},     {"bool", Kind::boolean},       {"logical", Kind::boolean},
      {"tinyint", Kind::int8},        {"int1", Kind::int8},          {"smallint", Kind::int16},
      {"int2", Kind::int16},          {"short", Kind::int16},        {"integer", Kind::int32},
      {"int", Kind::int32},           {"int4", Kind::int32},         {"signed", Kind::int32},
      {"bigint", Kind::int64},        {"int8", Kind::int64},         {"long", Kind::int64},
      {"hugeint", Kind::int128},      {"int128", Kind::int128},      {"utinyint", Kind::uint8},
      {"usmallint", Kind::uint16},    {"uinteger", Kind::uint32},    {"ubigint", Kind::uint64},
      {"float", Kind::float32},       {"real", Kind::float32},       {"float4", Kind::float32},
      {"double", Kind::float64},      {"float8", Kind::float64},     {"decimal", Kind::decimal},
      {"dec", Kind::decimal},         {"numeric", Kind::decimal},    {"date", Kind::date32},
      {"timestamp", Kind::timestamp}, {"datetime", Kind::timestamp}, {"varchar", Kind::string},
      {"text", Kind::string},         {"string", Kind::string}};
  const std::string folded = lower(name);
  for (const Named& named : names)
    if (named.name == folded) return Type{named.kind};
  return std::nullopt;
}

std::optional<Type> type_of_text(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  const std::optional<Type> type = type_named(trimmed(text.substr(0, open)));
  if (!type || type->kind != Kind::decimal) return open == text.npos ? type : std::nullopt;
  if (open == text.npos) return Type::decimal(18, 3);
  return text.ends_with(')') ? decimal_with(text.substr(open + 1, text.size() - open - 2))
                             : std::nullopt;
}

}  // namespace penstock::expr
