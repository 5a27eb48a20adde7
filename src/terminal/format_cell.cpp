#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/unicode.hpp"
#include "penstock/expression.hpp"
#include "terminal/format.hpp"

namespace penstock::terminal {

namespace {

template <class T> T value_at(const Column& column, std::uint64_t row) {
  return column.values.as<T>()[row];
}

template <class T> void append_integer(std::string& text, T value) {
  std::array<char, 24> digits;
  text.append(digits.data(),
              std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

// Appends the shortest round trip, with ".0" after whole numbers, so that a float is no integer.
template <class T> void append_float(std::string& text, T value) {
  if (!std::isfinite(value)) {
    text += std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return;
  }
  std::array<char, 40> digits;
  const std::string_view shortest(
      digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  text += shortest;
  if (shortest.find_first_of(".e") == std::string_view::npos) text += ".0";
}

}  // namespace

void append_cell(std::string& text, const Column& column, std::uint64_t row) {
  if (!column.is_valid(row)) return;
  switch (column.type.kind) {
    case Kind::boolean: text += column.boolean(row) ? "true" : "false"; return;
    case Kind::int8: append_integer(text, value_at<std::int8_t>(column, row)); return;
    case Kind::int16: append_integer(text, value_at<std::int16_t>(column, row)); return;
    case Kind::int32: append_integer(text, value_at<std::int32_t>(column, row)); return;
    case Kind::int64: append_integer(text, value_at<std::int64_t>(column, row)); return;
    case Kind::uint8: append_integer(text, value_at<std::uint8_t>(column, row)); return;
    case Kind::uint16: append_integer(text, value_at<std::uint16_t>(column, row)); return;
    case Kind::uint32: append_integer(text, value_at<std::uint32_t>(column, row)); return;
    case Kind::uint64: append_integer(text, value_at<std::uint64_t>(column, row)); return;
    case Kind::float32: append_float(text, value_at<float>(column, row)); return;
    case Kind::float64: append_float(text, value_at<double>(column, row)); return;
    case Kind::string: text += column.string(row); return;
    case Kind::date32:
    case Kind::timestamp:
    case Kind::decimal:
    case Kind::int128: text += text_of(scalar_at(column, row)); return;
  }
}

std::string visible_character(char32_t code, std::string_view bytes) {
  const bool turns_direction = (code >= 0x202A && code <= 0x202E) ||
                               (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
                               code == 0x200F;
  char escape[12];
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  if (code < 0x20 || code == 0x7F)
    std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(code));
  else if (turns_direction)
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code));
  else
    return code == 0xFFFD || (code >= 0x80 && code < 0xA0) ? "\xEF\xBF\xBD" : std::string(bytes);
  return escape;
}

std::string terminal_text(std::string_view text) {
  std::string shown;
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t start = place;
    const char32_t code = next_code_point(text, place);
    if (code == '\n' || code == '\t')
      shown += static_cast<char>(code);
    else
      shown += visible_character(code, text.substr(start, place - start));
  }
  return shown;
}

}  // namespace penstock::terminal
