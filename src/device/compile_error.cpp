#include "device/compile_error.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace penstock::device {
namespace {

constexpr std::size_t shown_lines = 8;  // later errors mostly follow from the first
constexpr std::size_t shown_log_bytes = 16 << 10;

struct SourceLine {
  std::string file;  // "" for text before the first #line
  unsigned line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::optional<unsigned> leading_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end == text.data()) return {};
  return number;
}

// Returns the name and number that a directive gives to the line after it.
std::optional<SourceLine> line_directive(std::string_view line, const std::string& current_file) {
  constexpr std::string_view word = "#line ";
  if (!line.starts_with(word)) return {};
  line.remove_prefix(word.size());
  const auto number = leading_number(line);
  if (!number) return {};
  const std::size_t open = line.find('"'), close = line.rfind('"');
  return SourceLine{
      open < close ? std::string(line.substr(open + 1, close - open - 1)) : current_file, *number};
}

struct SourceLines {
  std::map<SourceLine, std::string_view> texts;
  std::vector<SourceLine> locations;  // of every line of the text, directives included
};

SourceLines index_lines(std::string_view text) {
  SourceLines lines;
  SourceLine location{"", 1};
  for (const std::string_view line : split_lines(text)) {
    lines.locations.push_back(location);
    if (auto next = line_directive(line, location.file)) {
      location = std::move(*next);
      continue;
    }
    lines.texts.emplace(location, line);  // the first of two texts with one name wins
    location.line++;
  }
  return lines;
}

// Reads "FILE:12:" or "FILE(12)" at the start of a text.
std::optional<SourceLine> leading_location(std::string_view text) {
  for (std::size_t at = text.find_first_of(":("); at != std::string_view::npos;
       at = text.find_first_of(":(", at + 1))
    if (const auto line = leading_number(text.substr(at + 1)))
      return SourceLine{std::string(text.substr(0, at)), *line};
  return {};
}

// Reads "FILE:12:5: error: ..." (clang), "FILE(12): error: ..." (NVRTC) or "error: FILE:12:5: ..."
// (PoCL).
std::optional<SourceLine> location_of_message(std::string_view message) {
  constexpr std::string_view word = "error";
  const std::size_t at = message.find(word);
  if (at == std::string_view::npos) return {};
  if (auto location = leading_location(message.substr(0, at))) return location;
  const std::size_t rest = message.find_first_not_of(": ", at + word.size());
  return rest == std::string_view::npos ? std::nullopt : leading_location(message.substr(rest));
}

// Maps a line of the whole text to its #line name. A compiler that ignores #line (NVIDIA's for
// OpenCL) counts lines of the whole text under a name of its own; so does every compiler before the
// first #line.
SourceLine named_location(const SourceLines& lines, const SourceLine& found) {
  if (lines.texts.contains(found) || found.line == 0 || found.line > lines.locations.size())
    return found;
  return lines.locations[found.line - 1];
}

std::string quote(const SourceLines& lines, const SourceLine& location) {
  const auto found = lines.texts.find(location);
  if (found == lines.texts.end()) return "";
  const std::string name = location.file.empty() ? "line " : location.file + ":";
  return "\n  " + name + std::to_string(location.line) + " | " + std::string(found->second);
}

}  // namespace

Status compile_error(std::string_view label, std::string_view device, std::string_view source,
                     std::string_view log) {
  const SourceLines lines = index_lines(source);
  std::string message = "kernel source '" + std::string(label) + "' does not compile for " +
                        std::string(device) + "\n";
  message += log.substr(0, shown_log_bytes);
  if (log.size() > shown_log_bytes) message += "\n... (the log is longer)";
  std::set<SourceLine> shown;
  for (const std::string_view line : split_lines(log)) {
    const auto found = location_of_message(line);
    if (!found) continue;
    const SourceLine location = named_location(lines, *found);
    if (shown.size() < shown_lines && shown.insert(location).second)
      message += quote(lines, location);
  }
  return Status(Code::compile, std::move(message));
}

}  // namespace penstock::device
