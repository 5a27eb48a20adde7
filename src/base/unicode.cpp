#include "base/unicode.hpp"

namespace penstock {
namespace {

struct Block {
  char32_t first, last;
};
constexpr Block without_width[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}};
constexpr Block wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},  {0x3040, 0xA4CF}, {0xAC00, 0xD7A3},
                          {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},  {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6},
                          {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <std::size_t count> bool holds(const Block (&blocks)[count], char32_t code) {
  for (const Block& block : blocks)
    if (code >= block.first && code <= block.last) return true;
  return false;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned lead = byte(position);
  const unsigned length = lead < 0x80                   ? 1
                          : lead >= 0xC2 && lead < 0xE0 ? 2
                          : (lead & 0xF0) == 0xE0       ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
  char32_t code = length <= 1 ? lead : lead & (0x7Fu >> length);
  for (unsigned i = 1; i < length; i++) {
    if ((byte(position + i) & 0xC0) != 0x80) {
      position++;
      return 0xFFFD;
    }
    code = code << 6 | (byte(position + i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (length == 0 || overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    position++;
    return 0xFFFD;
  }
  position += length;
  return code;
}

std::uint32_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t length = 0;
  next_code_point(text, length);
  const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
  return length == 1 && !is_ascii ? 0 : static_cast<std::uint32_t>(length);
}

std::uint32_t terminal_columns(char32_t code) {
  return holds(without_width, code) ? 0 : holds(wide, code) ? 2 : 1;
}

}  // namespace penstock
