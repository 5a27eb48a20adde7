#include "video/input/raw_format_of_name.hpp"

#include <cctype>
#include <cstdlib>

namespace penstock::video {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Returns the digits that end before, or begin at, a position.
std::string_view digits_before(std::string_view text, std::size_t end) {
  std::size_t first = end;
  while (first > 0 && is_digit(text[first - 1])) first--;
  return text.substr(first, end - first);
}
std::string_view digits_from(std::string_view text, std::size_t first) {
  std::size_t end = first;
  while (end < text.size() && is_digit(text[end])) end++;
  return text.substr(first, end - first);
}

std::string option(std::string_view name, std::string_view value) {
  return std::string(name) + " " + std::string(value);
}

// "420" and "10" of "yuv420p10le", "yuv42010le", "yuv420p".
std::string samples_of_name(std::string_view name) {
  for (const std::string_view chroma : {"420", "422", "444"}) {
    const std::size_t at = name.find("yuv" + std::string(chroma));
    if (at == name.npos) continue;
    std::size_t bits_at = at + 6;
    if (bits_at < name.size() && name[bits_at] == 'p') bits_at++;
    const std::string_view bits = digits_from(name, bits_at);
    return option(" --pixel-format", chroma) + option(" --bitdepth", bits.empty() ? "8" : bits);
  }
  return "";
}

}  // namespace

std::string raw_options_of_name(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);
  for (std::size_t x = name.find('x'); x != name.npos; x = name.find('x', x + 1)) {
    const std::string_view width = digits_before(name, x), height = digits_from(name, x + 1);
    if (width.size() < 2 || height.size() < 2) continue;
    return option("--width", width) + option(" --height", height) + samples_of_name(name);
  }
  return "";
}

}  // namespace penstock::video
