#include <array>
#include <charconv>
#include <cmath>

#include "io/output/rows_as_text.hpp"
#include "penstock/expression.hpp"

namespace penstock::io {

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
    case Kind::string:
      if (is_text(column.type))
        text += column.string(row);
      else
        text += text_of(scalar_at(column, row));
      return;
    case Kind::date32:
    case Kind::timestamp:
    case Kind::decimal:
    case Kind::int128: text += text_of(scalar_at(column, row)); return;
  }
}

}  // namespace penstock::io
