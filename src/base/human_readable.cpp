#include "base/human_readable.hpp"

#include <cstdio>

namespace penstock {

std::string number_text(double value, const char* unit) {
  char text[64];
  const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
  return text;
}

std::string count_text(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i++) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : units[0]);
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024; value /= 1024) unit++;
  return number_text(value, units[unit]);
}

}  // namespace penstock
