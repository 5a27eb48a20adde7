#include "sql/parse/source_position.hpp"

#include <algorithm>

#include "base/unicode.hpp"

namespace penstock::sql {
namespace {

constexpr std::size_t shown_before = 60,
                      shown_after = 40;  // characters around the caret; fits a terminal of 120
constexpr std::size_t message_limit_bytes = 500;

struct Shown {
  std::string text, padding;
};  // what is printed of one character, and the padding below it

Shown show(std::string_view sequence) {
  if (sequence == "\t") return {"\t", "\t"};
  std::size_t end = 0;
  const char32_t c = next_code_point(sequence, end);
  if (c < 0x20 || c == 0x7F) return {"?", " "};  // a control character must not reach a terminal
  return {std::string(sequence), std::string(terminal_columns(c), ' ')};
}

}  // namespace

std::string excerpt(std::string_view statement, std::int64_t offset) {
  const auto at_offset = static_cast<std::size_t>(
      std::clamp<std::int64_t>(offset, 0, static_cast<std::int64_t>(statement.size())));
  const std::size_t newline =
      at_offset == 0 ? std::string_view::npos : statement.rfind('\n', at_offset - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(statement.find('\n', at_offset), statement.size());
  const auto line_number =
      std::count(statement.begin(), statement.begin() + static_cast<std::ptrdiff_t>(begin), '\n') +
      1;

  std::size_t first = at_offset;
  for (std::size_t shown = 0; first > begin && shown < shown_before; shown++) do
      first--;
    while (first > begin && (static_cast<unsigned char>(statement[first]) & 0xC0u) == 0x80u);
  std::string text = "LINE " + std::to_string(line_number) + ": ", padding(text.size(), ' ');
  if (first > begin) text += "...", padding += "   ";
  std::size_t at = first;
  for (std::size_t after = 0; at < end && after < shown_after;) {
    const std::uint32_t length =
        std::max<std::uint32_t>(utf8_length(statement.substr(at, end - at)), 1);
    const Shown shown = static_cast<unsigned char>(statement[at]) >= 0x80 && length == 1
                            ? Shown{"?", " "}
                            : show(statement.substr(at, length));
    text += shown.text;
    if (at < at_offset)
      padding += shown.padding;
    else
      after++;
    at += length;
  }
  while (!text.empty() && text.back() == '?' && at == end && end > begin &&
         statement[end - 1] == '\r')
    text.pop_back();
  if (at < end) text += "...";
  return text + "\n" + padding + "^";
}

std::string shortened(std::string message) {
  if (message.size() <= message_limit_bytes) return message;
  std::size_t end = message_limit_bytes;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0u) == 0x80u) end--;
  return message.substr(0, end) + "...";
}

Status error_at(std::string_view statement, std::int64_t offset, Code code, std::string message) {
  if (offset < 0) return Status(code, shortened(std::move(message)));  // the place is not known
  return Status(code, shortened(std::move(message)) + "\n" + excerpt(statement, offset));
}

}  // namespace penstock::sql
