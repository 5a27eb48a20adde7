#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "expr/calendar.hpp"
#include "expr/logical_text.hpp"
#include "expr/operation.hpp"
#include "penstock/expression.hpp"

namespace penstock {
namespace {

using expr::floor_divide;
using expr::floor_modulo;
using expr::padded;

std::string digits_of(unsigned __int128 value) {
  std::string text;
  do text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
  while ((value /= 10) != 0);
  return text;
}

std::string decimal_text(Int128 count, Type type) {
  const bool negative = count < 0;
  const auto bits = static_cast<unsigned __int128>(count);
  std::string text = digits_of(negative ? -bits : bits);
  const std::size_t scale = type.scale;
  // A decimal without digits before the point prints none: ".05".
  const bool no_whole = scale > 0 && type.precision == type.scale;
  if (const std::size_t min_size = scale + 1; text.size() < min_size)
    text.insert(0, min_size - text.size(), '0');
  if (no_whole && text[0] == '0') text.erase(0, 1);
  if (scale > 0) text.insert(text.size() - scale, ".");
  return (negative ? "-" : "") + text;
}

// The shortest digits that read back as the same value, in fixed notation from 1e-4 up to 1e16.
template <class F> std::string float_text(F value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  const std::string scientific(buffer, end);
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < -4 || exponent >= 16) return scientific;
  std::string fixed(
      buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr);
  // to_chars prints every digit of a large number; those beyond the shortest ones are zeros here.
  if (fixed.find('.') != std::string::npos) return fixed;
  std::string digits;
  for (char c : scientific.substr(0, scientific.find('e')))
    if (c != '.') digits += c;
  const bool negative = digits[0] == '-';
  if (const std::size_t wanted = static_cast<std::size_t>(exponent) + 1 + negative;
      digits.size() < wanted)
    digits.append(wanted - digits.size(), '0');
  return digits + ".0";
}

// Years before 1 print as DuckDB's: "0057-04-09 (BC)"; `era` gets the suffix.
std::string date_text(std::int64_t days, std::string& era) {
  const expr::Civil civil = expr::civil_of_days(days);
  if (civil.year <= 0) era = " (BC)";
  const std::int64_t year = civil.year > 0 ? civil.year : 1 - civil.year;
  return padded(year, 4) + "-" + padded(civil.month, 2) + "-" + padded(civil.day, 2);
}

std::string infinity_text(Int128 count) { return count < 0 ? "-infinity" : "infinity"; }

std::string timestamp_text(std::int64_t count) {
  std::string era;
  const std::string date = date_text(floor_divide(count, expr::microseconds_per_day), era);
  return date + era + " " + expr::time_text(floor_modulo(count, expr::microseconds_per_day));
}

}  // namespace

std::string text_of(const Scalar& value) {
  if (value.is_null) return "NULL";
  if (value.type.logical != LogicalType::none) return expr::logical_text(value);
  const bool is_datetime = value.type.kind == Kind::date32 || value.type.kind == Kind::timestamp;
  if (is_datetime && expr::is_infinite(value.type, value.integer))
    return infinity_text(value.integer);
  switch (value.type.kind) {
    case Kind::string: return value.text;
    case Kind::boolean: return value.integer != 0 ? "true" : "false";
    case Kind::float32: return float_text(static_cast<float>(value.real));
    case Kind::float64: return float_text(value.real);
    case Kind::timestamp: return timestamp_text(static_cast<std::int64_t>(value.integer));
    case Kind::date32: {
      std::string era;
      const std::string date = date_text(static_cast<std::int64_t>(value.integer), era);
      return date + era;
    }
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
    case Kind::int64:
    case Kind::uint8:
    case Kind::uint16:
    case Kind::uint32:
    case Kind::uint64:
    case Kind::decimal:
    case Kind::int128: return decimal_text(value.integer, value.type);
  }
  return {};
}

namespace {

template <class T> T load(const Column& column, std::uint64_t row) {
  T value;
  std::memcpy(&value, column.values.data + row * sizeof(T), sizeof(T));
  return value;
}

using expr::is_wide;

Int128 load_integer(const Column& column, std::uint64_t row) {
  if (is_wide(column.type)) return load<Int128>(column, row);
  switch (column.type.kind) {
    case Kind::boolean: return column.boolean(row);
    case Kind::int8: return load<std::int8_t>(column, row);
    case Kind::int16: return load<std::int16_t>(column, row);
    case Kind::int32:
    case Kind::date32: return load<std::int32_t>(column, row);
    case Kind::uint8: return load<std::uint8_t>(column, row);
    case Kind::uint16: return load<std::uint16_t>(column, row);
    case Kind::uint32: return load<std::uint32_t>(column, row);
    case Kind::uint64: return load<std::uint64_t>(column, row);
    case Kind::int64:
    case Kind::timestamp:
    case Kind::decimal: return load<std::int64_t>(column, row);
    case Kind::float32:
    case Kind::float64:
    case Kind::string:
    case Kind::int128: break;  // no integers of up to 64 bits
  }
  return 0;
}

// The bytes of a value as a column holds them; little endian, as every machine here is.
void append_value(std::vector<std::byte>& bytes, const Scalar& value, Type type) {
  const auto append = [&](const auto& plain) {
    const auto* first = reinterpret_cast<const std::byte*>(&plain);
    bytes.insert(bytes.end(), first, first + sizeof plain);
  };
  if (type.kind == Kind::float32) return append(static_cast<float>(value.real));
  if (type.kind == Kind::float64) return append(value.real);
  const auto* first = reinterpret_cast<const std::byte*>(&value.integer);
  bytes.insert(bytes.end(), first, first + (is_wide(type) ? 16 : width_bytes(type)));
}

Column string_column(Type type, std::span<const Scalar> values) {
  std::vector<std::optional<std::string>> texts;
  for (const Scalar& value : values)
    texts.push_back(value.is_null ? std::nullopt : std::optional(value.text));
  Column column = Column::from_strings(texts);
  column.type = type;
  if (std::ranges::none_of(values, &Scalar::is_null)) column.validity = {};
  return column;
}

}  // namespace

Scalar scalar_at(const Column& column, std::uint64_t row) {
  if (!column.is_valid(row)) return Scalar::null_of(column.type);
  if (column.type.kind == Kind::string)
    return Scalar::of(column.type, std::string(column.string(row)));
  if (column.type.kind == Kind::float32)
    return Scalar::of(column.type, double{load<float>(column, row)});
  if (column.type.kind == Kind::float64) return Scalar::of(column.type, load<double>(column, row));
  return Scalar::of(column.type, load_integer(column, row));
}

Column column_of(Type type, std::span<const Scalar> values) {
  if (type.kind == Kind::string) return string_column(type, values);
  Column column;
  column.type = type;
  column.row_count = values.size();
  std::vector<std::byte> bytes, validity((values.size() + 7) / 8), bits((values.size() + 7) / 8);
  const auto set = [](std::vector<std::byte>& map, std::size_t i) {
    map[i / 8] |= std::byte{1} << (i % 8);
  };
  bool has_null = false;
  for (std::size_t i = 0; i < values.size(); i++) {
    has_null |= values[i].is_null;
    if (!values[i].is_null) set(validity, i);
    if (type.kind != Kind::boolean)
      append_value(bytes, values[i], type);
    else if (!values[i].is_null && values[i].integer != 0)
      set(bits, i);
  }
  column.values = Bytes::own(std::move(type.kind == Kind::boolean ? bits : bytes));
  if (has_null) column.validity = Bytes::own(std::move(validity));
  return column;
}

}  // namespace penstock
