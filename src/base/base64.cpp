#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace penstock {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t no_digit = 64;
constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> made{};
  made.fill(no_digit);
  for (std::size_t i = 0; i < digits.size(); i++)
    made[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  return made;
}();

}  // namespace

std::string base64_text(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) {
      return at + i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) text += digits[three >> shift & 63];
  }
  for (std::size_t missing = (3 - bytes.size() % 3) % 3, i = 1; i <= missing; i++)
    text[text.size() - i] = '=';
  return text;
}

std::optional<std::vector<std::byte>> base64_bytes(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  const std::size_t digit_count = text.size() - padding;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  for (std::size_t at = 0; at < digit_count; at++) {
    const std::uint32_t value = values[static_cast<unsigned char>(text[at])];
    if (value == no_digit) return std::nullopt;
    bits = bits << 6 | value;
    if (at % 4 != 0) bytes.push_back(static_cast<std::byte>(bits >> (6 - at % 4 * 2) & 255));
  }
  if (padding != 0 && (bits & (padding == 2 ? 15u : 3u)) != 0)
    return std::nullopt;  // bits that no byte has
  return bytes;
}

}  // namespace penstock
