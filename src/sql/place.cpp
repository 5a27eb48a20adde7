#include "sql/place.hpp"

#include <algorithm>

namespace penstock::sql {
namespace {

constexpr std::size_t shown_before = 60, shown_after = 40;   // characters around the caret; fits a terminal of 120
constexpr std::size_t message_limit_bytes = 500;             // a sentence may quote a name of any length

char32_t code_point(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  char32_t value = byte(0) & (0x7Fu >> sequence.size());
  for (std::size_t i = 1; i < sequence.size(); i++) value = value << 6 | (byte(i) & 0x3Fu);
  return value;
}

// Columns a terminal gives a character: 0 for combining marks, 2 for the wide East Asian blocks and emoji (Unicode TR11).
int columns_of(char32_t c) {
  if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0xFE00 && c <= 0xFE0F)) return 0;
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF && c != 0x303F) || (c >= 0xAC00 && c <= 0xD7A3) ||
                    (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

struct Shown { std::string text, padding; };   // what is printed of one character, and what stands under it

Shown show(std::string_view sequence) {
  if (sequence == "\t") return {"\t", "\t"};
  const char32_t c = code_point(sequence);
  if (c < 0x20 || c == 0x7F) return {"?", " "};     // a control character must not reach a terminal
  return {std::string(sequence), std::string(static_cast<std::size_t>(columns_of(c)), ' ')};
}

}  // namespace

std::uint32_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    return (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    return (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F) ? 0 : 4;
  }
  return 0;
}

std::string excerpt(std::string_view statement, std::int64_t offset) {
  const auto place = static_cast<std::size_t>(std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(statement.size())));
  const std::size_t newline = place == 0 ? std::string_view::npos : statement.rfind('\n', place - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(statement.find('\n', place), statement.size());
  const auto line_number = std::count(statement.begin(), statement.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1;

  std::size_t first = place;
  for (std::size_t shown = 0; first > begin && shown < shown_before; shown++)
    do first--; while (first > begin && (static_cast<unsigned char>(statement[first]) & 0xC0u) == 0x80u);
  std::string text = "LINE " + std::to_string(line_number) + ": ", padding(text.size(), ' ');
  if (first > begin) text += "...", padding += "   ";
  std::size_t at = first;
  for (std::size_t after = 0; at < end && after < shown_after;) {
    const std::uint32_t length = std::max<std::uint32_t>(utf8_length(statement.substr(at, end - at)), 1);
    const Shown shown = static_cast<unsigned char>(statement[at]) >= 0x80 && length == 1 ? Shown{"?", " "}
                                                                                       : show(statement.substr(at, length));
    text += shown.text;
    if (at < place) padding += shown.padding; else after++;
    at += length;
  }
  while (!text.empty() && text.back() == '?' && at == end && end > begin && statement[end - 1] == '\r') text.pop_back();
  if (at < end) text += "...";
  return text + "\n" + padding + "^";
}

Status error_at(std::string_view statement, std::int64_t offset, Code code, std::string message) {
  if (message.size() > message_limit_bytes) {
    std::size_t end = message_limit_bytes;
    while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0u) == 0x80u) end--;
    message = message.substr(0, end) + "...";
  }
  return Status(code, std::move(message) + "\n" + excerpt(statement, offset));
}

}  // namespace penstock::sql
