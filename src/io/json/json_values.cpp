#include "io/json/json_values.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "expr/constant.hpp"
#include "expr/operation.hpp"
#include "io/csv/csv_numbers.hpp"
#include "io/csv/csv_times.hpp"
#include "io/json/json_text.hpp"

namespace penstock::io {
namespace {

// A whole number that JSON writes as one, or as 5.0 or 5e3.
std::optional<__int128> whole_number(std::string_view text, JsonKind kind) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return value;
  const auto scaled = read_scaled(text, 0, '.');
  if (kind != JsonKind::real || !scaled) return scaled;
  const auto real = read_double(text, '.');  // it must not be rounded
  return real && *real == std::trunc(*real) ? scaled : std::nullopt;
}

double real_number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc() && read.ptr == end) return value;
  return std::strtod(std::string(text).c_str(), nullptr);  // beyond a double's range, or a word
}

}  // namespace

template <class T> bool JsonColumn::push(T value) {
  const std::size_t at = values_.size();
  values_.resize(at + sizeof value);
  std::memcpy(values_.data() + at, &value, sizeof value);
  return true;
}

// Returns a string's characters, or a number's as they stand.
std::string_view JsonColumn::text_of(const JsonValue& value) {
  if (!value.has_escapes) return value.text;
  text_.clear();
  append_decoded(value, text_);
  return text_;
}

template <class T> bool JsonColumn::add_integer(const JsonValue& value) {
  std::optional<__int128> number;
  if (value.kind == JsonKind::boolean)
    number = value.text == "true";
  else if (value.kind != JsonKind::array && value.kind != JsonKind::object)
    number = whole_number(text_of(value), value.kind);
  if (!number || *number < std::numeric_limits<T>::min() || *number > std::numeric_limits<T>::max())
    return false;
  return push(static_cast<T>(*number));
}

template <class T> bool JsonColumn::add_real(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::integer: return push(static_cast<T>(real_number(value.text) + 0.0));  // no -0.0
    case JsonKind::real: return push(static_cast<T>(real_number(value.text)));
    case JsonKind::boolean: return push(value.text == "true" ? T{1} : T{0});
    case JsonKind::string:
      if (const auto number = read_double(text_of(value), '.'))
        return push(static_cast<T>(*number));
      return false;
    default: return false;
  }
}

bool JsonColumn::add_boolean(const JsonValue& value) {
  std::optional<bool> flag;
  if (value.kind == JsonKind::boolean)
    flag = value.text == "true";
  else if (value.kind == JsonKind::integer || value.kind == JsonKind::real)
    flag = real_number(value.text) != 0;
  else if (value.kind == JsonKind::string)
    flag = read_boolean(text_of(value));
  if (flag) booleans_.push(*flag);
  return flag.has_value();
}

// Times, instants and UUIDs are strings in JSON.
static const JsonType& type_of_keys() {
  static const JsonType keys = JsonType::plain({Kind::string});
  return keys;
}

JsonColumn::JsonColumn(const JsonType& type) : type_(type), strings_(0), offsets_{0} {
  parts_.reserve(type.parts.size() + 1);
  if (type.type.logical == LogicalType::map) parts_.emplace_back(type_of_keys());
  for (const JsonType& part : type.parts) parts_.emplace_back(part);
}

bool JsonColumn::add_logical(const JsonValue& value) {
  if (value.kind != JsonKind::string) return false;
  const std::optional<Scalar> read = expr::parse_as(type_.type, text_of(value));
  if (!read) return false;
  if (type_.type.kind != Kind::string) return push(static_cast<std::int64_t>(read->integer));
  strings_.push(read->text);
  return true;
}

bool JsonColumn::add_time(const JsonValue& value) {
  if (value.kind != JsonKind::string) return false;
  const std::string_view text = text_of(value);
  if (type_.type.kind == Kind::date32) {
    const auto days = type_.format ? type_.format->read_date(text) : read_date(text);
    return days && push(*days);
  }
  if (type_.format) {
    const auto micros = type_.format->read_timestamp(text);
    return micros && push(*micros);
  }
  const auto read = read_timestamp(text);
  return read && read->is_utc && push(read->micros);
}

// Digits after the point that the type lacks must be zeros.
bool JsonColumn::add_decimal(const JsonValue& value) {
  if (value.kind != JsonKind::integer && value.kind != JsonKind::real &&
      value.kind != JsonKind::string)
    return false;
  const std::string_view text = text_of(value);
  const auto units = read_scaled(text, type_.type.scale, '.');
  const bool is_decimal = type_.type.kind == Kind::decimal;
  const __int128 limit = is_decimal ? expr::power_of_ten(type_.type.precision) : 0;
  if (!units || !fits_scale(text, type_.type.scale)) return false;
  if (is_decimal && (*units <= -limit || *units >= limit)) return false;
  return width_bytes(type_.type) == 8 ? push(static_cast<std::int64_t>(*units)) : push(*units);
}

bool JsonColumn::add_text(const JsonValue& value) {
  if (type_.reading == JsonType::Reading::null) return false;
  if (type_.reading == JsonType::Reading::plain && value.kind == JsonKind::string) {
    strings_.push(text_of(value));
    return true;
  }
  text_.clear();
  type_.reading == JsonType::Reading::text ? append_json(value, text_)
                                           : append_as_string(value, text_);
  strings_.push(text_);
  return true;
}

bool JsonColumn::add_number(const JsonValue& value) {
  switch (type_.type.kind) {
    case Kind::int8: return add_integer<std::int8_t>(value);
    case Kind::int16: return add_integer<std::int16_t>(value);
    case Kind::int32: return add_integer<std::int32_t>(value);
    case Kind::int64: return add_integer<std::int64_t>(value);
    case Kind::uint8: return add_integer<std::uint8_t>(value);
    case Kind::uint16: return add_integer<std::uint16_t>(value);
    case Kind::uint32: return add_integer<std::uint32_t>(value);
    case Kind::uint64: return add_integer<std::uint64_t>(value);
    case Kind::float32: return add_real<float>(value);
    case Kind::float64: return add_real<double>(value);
    default: return add_decimal(value);
  }
}

bool JsonColumn::add(const JsonValue& value) {
  if (value.kind == JsonKind::null) return add_null(), true;
  const Kind kind = type_.type.kind;
  const bool is_added = is_nested(type_.type)                             ? add_nested(value)
                        : type_.type.logical != LogicalType::none         ? add_logical(value)
                        : kind == Kind::string                            ? add_text(value)
                        : kind == Kind::boolean                           ? add_boolean(value)
                        : kind == Kind::date32 || kind == Kind::timestamp ? add_time(value)
                                                                          : add_number(value);
  if (!is_added) return false;
  validity_.push(true);
  row_count_++;
  end_nested_row();
  return true;
}

void JsonColumn::add_null() {
  if (type_.type.kind == Kind::string)
    strings_.push({});
  else if (type_.type.kind == Kind::boolean)
    booleans_.push(false);
  else
    values_.resize(values_.size() + width_bytes(type_.type));
  validity_.push(false);
  row_count_++, null_count_++;
  end_nested_row();
}

Column JsonColumn::take() {
  if (is_nested(type_.type)) return column::pack(take_tree());
  Column column;
  column.type = type_.type;
  column.row_count = row_count_;
  if (type_.type.kind == Kind::string)
    strings_.take(column);
  else
    column.values =
        type_.type.kind == Kind::boolean ? booleans_.take() : Bytes::own(std::move(values_));
  if (null_count_ > 0) column.validity = validity_.take();
  return column;
}

}  // namespace penstock::io
