#include "sql/substrait/substrait_types.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "sql/substrait/plan_bytes.hpp"

namespace penstock::sql {
namespace {

struct NamedKind {
  std::string_view name;
  Kind kind, as_unsigned;
};
constexpr NamedKind kinds[] = {
    {"bool", Kind::boolean, Kind::boolean},    {"i8", Kind::int8, Kind::uint8},
    {"i16", Kind::int16, Kind::uint16},        {"i32", Kind::int32, Kind::uint32},
    {"i64", Kind::int64, Kind::uint64},        {"fp32", Kind::float32, Kind::float32},
    {"fp64", Kind::float64, Kind::float64},    {"string", Kind::string, Kind::string},
    {"varchar", Kind::string, Kind::string},   {"fixedChar", Kind::string, Kind::string},
    {"date", Kind::date32, Kind::date32},      {"timestamp", Kind::timestamp, Kind::timestamp},
    {"boolean", Kind::boolean, Kind::boolean}, {"varChar", Kind::string, Kind::string}};

const NamedKind* kind_named(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &NamedKind::name);
  return found == std::end(kinds) ? nullptr : &*found;
}

// Nothing for a kind of integers that the producer defines itself.
std::optional<Type> type_of_kind(const NamedKind& row, std::int64_t variation, bool is_datafusion) {
  const bool is_other = row.kind != row.as_unsigned && variation != 0;
  if (!is_other) return Type{row.kind};
  return is_datafusion && variation == 1 ? std::optional(Type{row.as_unsigned}) : std::nullopt;
}

constexpr int max_decimal_precision = 38;

std::optional<Type> decimal_of(std::int64_t precision, std::int64_t scale) {
  if (precision < 1 || precision > max_decimal_precision || scale < 0 || scale > precision)
    return std::nullopt;
  return Type::decimal(static_cast<int>(precision), static_cast<int>(scale));
}

// The value has 16 bytes, the lowest first.
std::optional<Int128> units_of_bytes(std::string_view text) {
  const auto bytes = from_base64(text);
  if (!bytes || bytes->size() != sizeof(Int128)) return std::nullopt;
  unsigned __int128 units = 0;
  for (std::size_t i = bytes->size(); i-- > 0;)
    units = units << 8 | static_cast<unsigned char>((*bytes)[i]);
  return static_cast<Int128>(units);
}

TypedSyntax value_syntax(Scalar scalar, Type stated) {
  auto syntax = new_syntax(SyntaxKind::value, "");
  syntax->scalar = std::move(scalar);
  return {syntax, stated};
}

// Few digits keep what is computed with the literal in kernels.
std::optional<TypedSyntax> decimal_literal(const Tree& value) {
  const auto type = decimal_of(number_of(value["precision"]), number_of(value["scale"]));
  const auto units = units_of_bytes(value["value"].text());
  if (!type || !units) return std::nullopt;
  int digits = 1;
  for (Int128 rest = *units / 10; rest != 0; rest /= 10) digits++;
  digits = std::max<int>(digits, type->scale);
  if (digits > type->precision) return std::nullopt;
  return value_syntax(Scalar::of(Type::decimal(digits, type->scale), *units), *type);
}

std::optional<TypedSyntax> timestamp_literal(std::int64_t value, std::int64_t precision) {
  constexpr std::int64_t micro = 6, nano = 9;
  if (precision < 0 || precision > nano) return std::nullopt;
  for (; precision < micro; precision++)
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return std::nullopt;
  for (; precision > micro; precision--) {
    if (value % 10 != 0) return std::nullopt;
    value /= 10;
  }
  const Type type{Kind::timestamp};
  return value_syntax(Scalar::of(type, Int128(value)), type);
}

// The binder takes one unit.
std::optional<TypedSyntax> interval_literal(const Tree& months, const Tree& seconds) {
  constexpr std::int64_t day_seconds = 86'400, limit = std::int64_t{1} << 40;
  const Int128 month_count = Int128(number_of(months["years"])) * 12 + number_of(months["months"]);
  const Int128 all_seconds =
      Int128(number_of(seconds["days"])) * day_seconds + number_of(seconds["seconds"]);
  const bool is_whole = all_seconds % day_seconds == 0;
  const Int128 count = month_count != 0 ? month_count
                       : is_whole       ? all_seconds / day_seconds
                                        : all_seconds;
  const bool has_parts =
      number_of(seconds["subseconds"]) != 0 || number_of(seconds["microseconds"]) != 0;
  if (has_parts || (month_count != 0 && all_seconds != 0) || count > limit || count < -limit)
    return std::nullopt;
  auto syntax = new_syntax(SyntaxKind::interval, std::to_string(static_cast<std::int64_t>(count)));
  syntax->qualifier = month_count != 0 ? "month" : is_whole ? "day" : "second";
  return TypedSyntax{syntax, {}};
}

std::optional<TypedSyntax> plain_literal(const NamedKind& row, const Tree& value,
                                         std::int64_t variation, bool is_datafusion) {
  const auto type = type_of_kind(row, variation, is_datafusion);
  if (!type) return std::nullopt;
  switch (type->kind) {
    case Kind::string: {
      const Tree text = value["value"] ? value["value"] : value;
      return TypedSyntax{new_syntax(SyntaxKind::string, std::string(text.text())), type};
    }
    case Kind::boolean: return value_syntax(Scalar::of(value.boolean()), *type);
    case Kind::float32:
    case Kind::float64: return value_syntax(Scalar::of(*type, real_number_of(value)), *type);
    default: return value_syntax(Scalar::of(*type, Int128(number_of(value))), *type);
  }
}

}  // namespace

std::int64_t number_of(const Tree& value) {
  const std::string_view text = value.text();
  if (text.empty()) return value.integer();
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

double real_number_of(const Tree& value) {
  const std::string_view text = value.text();
  if (text.empty()) return value.real();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -infinity : infinity;
}

std::string words_of(std::string_view name) {
  std::string words;
  for (const char letter : name) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    if (is_upper) words += ' ';
    words += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
  }
  return words;
}

std::shared_ptr<Syntax> new_syntax(SyntaxKind kind, std::string name) {
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = kind;
  syntax->name = std::move(name);
  return syntax;
}

std::optional<Type> type_of_substrait(const Tree& type, bool is_datafusion) {
  const Tree body = type.body();
  if (type.kind() == "decimal")
    return decimal_of(number_of(body["precision"]), number_of(body["scale"]));
  if (type.kind() == "precisionTimestamp") return Type{Kind::timestamp};
  const NamedKind* const row = kind_named(type.kind());
  if (row == nullptr) return std::nullopt;
  return type_of_kind(*row, number_of(body["typeVariationReference"]), is_datafusion);
}

std::string name_of_substrait(const Tree& type) {
  return type.kind().empty() ? "no type" : words_of(type.kind());
}

int digits_of(Type type) {
  switch (type.kind) {
    case Kind::decimal: return type.precision - type.scale;
    case Kind::boolean: return 1;
    case Kind::int8:
    case Kind::uint8: return 3;
    case Kind::int16:
    case Kind::uint16: return 5;
    case Kind::int32:
    case Kind::uint32: return 10;
    case Kind::int64: return 19;
    case Kind::uint64: return 20;
    default: return max_decimal_precision;
  }
}

std::optional<TypedSyntax> literal_of(const Tree& literal, bool is_datafusion) {
  if (literal["null"]) {
    auto syntax = new_syntax(SyntaxKind::null, "NULL");
    syntax->stated = type_of_substrait(literal["null"], is_datafusion);
    return TypedSyntax{syntax, syntax->stated};
  }
  if (literal["decimal"]) return decimal_literal(literal["decimal"]);
  if (const Tree value = literal["precisionTimestamp"])
    return timestamp_literal(number_of(value["value"]), number_of(value["precision"]));
  if (literal["intervalYearToMonth"]) return interval_literal(literal["intervalYearToMonth"], {});
  if (literal["intervalDayToSecond"]) return interval_literal({}, literal["intervalDayToSecond"]);
  if (const Tree both = literal["intervalCompound"])
    return interval_literal(both["intervalYearToMonth"], both["intervalDayToSecond"]);
  const std::int64_t variation = number_of(literal["typeVariationReference"]);
  for (const NamedKind& row : kinds)
    if (const Tree value = literal[row.name.data()])
      return plain_literal(row, value, variation, is_datafusion);
  return std::nullopt;
}

}  // namespace penstock::sql
