// Reads numbers and booleans as DuckDB's CSV reader does. The `is_...` functions say what a column
// may be taken for; those that read are laxer, as a column's type may be given.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock::io {

std::string_view trimmed(std::string_view text);  // without ASCII white space at its ends

// Whether a value may make a column a number: it has no +, no leading zero and no _.
bool may_be_number(std::string_view text);
enum class IntegerWidth : unsigned char { none, bits_64, bits_128, wider };
IntegerWidth integer_width(std::string_view text);  // of decimal digits, 0x1F or 0b11
bool is_double(std::string_view text, char decimal_separator);
bool is_boolean_word(std::string_view text);  // true, false, t, f, yes, no in any case

std::optional<bool> read_boolean(std::string_view text);
// Rounds to the nearest multiple of 10^-scale, halves away from zero, and returns how many of these
// it is. Reads 1e3, 1_000, 0x1F and 0b11 too.
std::optional<__int128> read_scaled(std::string_view text, int scale, char decimal_separator);
// Returns whether a decimal number needs no more than `scale` digits after the point.
bool fits_scale(std::string_view text, int scale);
std::optional<double> read_double(std::string_view text, char decimal_separator);
std::optional<float> read_float(std::string_view text, char decimal_separator);

}  // namespace penstock::io
