#include "expr/logical_text.hpp"

#include <algorithm>
#include <array>

#include "expr/time_zone.hpp"

namespace penstock::expr {
namespace {

using column::PackedMark;
using column::PackedReader;

constexpr std::string_view hex_digits = "0123456789abcdef", upper_hex_digits = "0123456789ABCDEF";

std::string blob_text(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte <= 126 && c != '\\' && c != '\'' && c != '"') {
      text += c;
      continue;
    }
    text += "\\x";
    text += upper_hex_digits[byte >> 4];
    text += upper_hex_digits[byte & 15];
  }
  return text;
}

std::string uuid_text(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += hex_digits[byte >> 4];
    text += hex_digits[byte & 15];
  }
  return text;
}

void append_part(std::string& text, std::int64_t value, const char* unit) {
  if (value == 0) return;
  text += (text.empty() ? "" : " ") + std::to_string(value) + " " + unit +
          (value == 1 || value == -1 ? "" : "s");
}

std::string interval_text(const column::PackedInterval& interval) {
  std::string text;
  append_part(text, interval.months / 12, "year");
  append_part(text, interval.months % 12, "month");
  append_part(text, interval.days, "day");
  if (interval.microseconds == 0 && !text.empty()) return text;
  const bool is_negative = interval.microseconds < 0;
  return text + (text.empty() ? "" : " ") + (is_negative ? "-" : "") +
         time_text(is_negative ? -interval.microseconds : interval.microseconds);
}

std::string instant_text(std::int64_t instant) {
  const TimeZone& zone = session_zone_or_utc();
  const std::string text =
      text_of(Scalar::of(Type{Kind::timestamp}, Int128{zone.local_of(instant)}));
  return text.ends_with("infinity") ? text : text + offset_text(zone.offset_at(instant));
}

bool is_null_word(std::string_view text) {
  return text.size() == 4 && std::ranges::equal(text, std::string_view("NULL"), [](char a, char b) {
           return a == b || a == b + ('a' - 'A');
         });
}

// A value within another one has quotes where it could be read as something else.
std::string within_value(const Scalar& value) {
  const std::string text = text_of(value);
  if (value.is_null || is_nested(value.type)) return text;
  const bool is_plain = !text.empty() && text.front() != ' ' && text.back() != ' ' &&
                        text.find_first_of("[]{}(),:=\"'\\") == text.npos && !is_null_word(text);
  if (is_plain) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string list_text(PackedReader& from, Type list) {
  const Type element = list.nested->types[0];
  std::string text = "[";
  for (PackedMark next = from.mark(); next != PackedMark::end; next = from.mark())
    text += (text.size() > 1 ? ", " : "") + within_value(take_value(from, element, next));
  return text + "]";
}

std::string map_text(PackedReader& from, Type map) {
  std::string text = "{";
  for (PackedMark next = from.mark(); next != PackedMark::end; next = from.mark()) {
    const Scalar key = take_value(from, map.nested->types[0], from.mark());
    const Scalar value = take_value(from, map.nested->types[1], from.mark());
    text += (text.size() > 1 ? ", " : "") + within_value(key) + "=" + within_value(value);
  }
  return text + "}";
}

std::string struct_text(PackedReader& from, Type type) {
  const NestedType& fields = *type.nested;
  const bool is_row = std::ranges::all_of(fields.names, &std::string::empty);
  std::string text;
  for (std::size_t i = 0; i < fields.types.size(); i++) {
    const Scalar value = take_value(from, fields.types[i], from.mark());
    text +=
        (i == 0 ? "" : ", ") + (is_row ? "" : "'" + fields.names[i] + "': ") + within_value(value);
  }
  if (is_row && fields.types.size() == 1) text += ",";
  return is_row ? "(" + text + ")" : "{" + text + "}";
}

}  // namespace

std::string padded(std::int64_t value, std::size_t width) {
  std::string text = std::to_string(value);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

std::string time_text(std::int64_t microseconds) {
  const std::int64_t second = microseconds / 1000000;
  const std::string text =
      padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2);
  if (microseconds % 1000000 == 0) return text;
  std::string fraction = "." + padded(microseconds % 1000000, 6);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + fraction;
}

Scalar take_value(PackedReader& from, Type type, PackedMark mark) {
  if (mark != PackedMark::value) return Scalar::null_of(type);
  if (column::is_packed(type)) return Scalar::of(type, std::string(from.pass(type)));
  if (type.kind == Kind::string) return Scalar::of(type, from.text());
  if (is_float(type)) return Scalar::of(type, from.real(type));
  return Scalar::of(type, from.integer(type));
}

std::string logical_text(const Scalar& value) {
  PackedReader packed(value.text);
  switch (value.type.logical) {
    case LogicalType::time: return time_text(static_cast<std::int64_t>(value.integer));
    case LogicalType::timestamp_tz: return instant_text(static_cast<std::int64_t>(value.integer));
    case LogicalType::blob: return blob_text(value.text);
    case LogicalType::uuid: return uuid_text(value.text);
    case LogicalType::interval: return interval_text(packed.interval());
    case LogicalType::list: return list_text(packed, value.type);
    case LogicalType::structure: return struct_text(packed, value.type);
    case LogicalType::map: return map_text(packed, value.type);
    case LogicalType::none: break;
  }
  return {};
}

}  // namespace penstock::expr
