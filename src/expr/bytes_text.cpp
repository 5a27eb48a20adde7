#include "expr/bytes_text.hpp"

#include <array>

namespace penstock::expr {
namespace {

std::optional<unsigned> digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> parse_blob(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\\') {
      if (static_cast<unsigned char>(text[i]) > 127) return std::nullopt;
      bytes += text[i];
      continue;
    }
    if (i + 3 >= text.size() || text[i + 1] != 'x') return std::nullopt;
    const auto high = digit_of(text[i + 2]), low = digit_of(text[i + 3]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high << 4 | *low);
    i += 3;
  }
  return bytes;
}

std::optional<std::string> parse_uuid(std::string_view text) {
  if (text.starts_with('{')) {
    if (!text.ends_with('}')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
  }
  std::string bytes;
  std::optional<unsigned> high;
  for (std::size_t i = 0; i < text.size(); i++) {
    const bool is_between = i > 0 && i + 1 < text.size() && text[i - 1] != '-';
    if (text[i] == '-' && is_between) continue;
    const std::optional<unsigned> digit = digit_of(text[i]);
    if (!digit) return std::nullopt;
    if (high) bytes += static_cast<char>(*high << 4 | *digit);
    high = high ? std::nullopt : digit;
  }
  return bytes.size() == 16 && !high ? std::optional(bytes) : std::nullopt;
}

}  // namespace penstock::expr
