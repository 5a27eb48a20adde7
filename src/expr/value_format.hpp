// Formats of single values, as format() and printf() have them: "05d", ".2f", ">8", ",".
//
// SQL's two functions have different languages; the binder turns both into that of format().
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::expr {

struct ValueFormat {
  char fill = ' ', alignment = 0;  // '<', '>', '^', or none
  bool has_plus = false, has_space = false, is_alternate = false, has_zeros = false;
  int width = 0, precision = -1;  // -1: as many digits as the value needs
  char grouping = 0, type = 0;    // 'd', 'x', 'f', 's'..., or none
};
// Reads what check_value_format() has taken.
ValueFormat read_value_format(std::string_view text);
Status check_value_format(std::string_view text);

std::string written_integer(std::int64_t value, const ValueFormat& format);
std::string written_real(double value, const ValueFormat& format);
std::string written_text(std::string_view text, const ValueFormat& format);

// A part of a format: a text, or the place of a value and its format.
struct FormatPart {
  std::string text;
  bool is_value = false;
  std::size_t value = 0;  // by number, from 0
};
Result<std::vector<FormatPart>> parts_of_format(std::string_view format);
Result<std::vector<FormatPart>> parts_of_printf(std::string_view format);

}  // namespace penstock::expr
