#include "device/compile_error.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace penstock::device {
namespace {

constexpr std::size_t shown_places = 8;  // after the first errors the rest mostly follow from them
constexpr std::size_t shown_log_bytes = 16 << 10;

struct Place {
  std::string file;  // "" for text before the first #line
  unsigned line = 0;
  auto operator<=>(const Place&) const = default;
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

// The place that a directive gives to the line after it.
std::optional<Place> line_directive(std::string_view line, const std::string& current_file) {
  constexpr std::string_view word = "#line ";
  if (!line.starts_with(word)) return {};
  line.remove_prefix(word.size());
  const auto number = leading_number(line);
  if (!number) return {};
  const std::size_t open = line.find('"'), close = line.rfind('"');
  return Place{open < close ? std::string(line.substr(open + 1, close - open - 1)) : current_file,
               *number};
}

struct SourceLines {
  std::map<Place, std::string_view> texts;
  std::vector<Place> places;  // of every line as it stands, directives too
};

SourceLines index_lines(std::string_view text) {
  SourceLines lines;
  Place place{"", 1};
  for (const std::string_view line : split_lines(text)) {
    lines.places.push_back(place);
    if (auto next = line_directive(line, place.file)) {
      place = std::move(*next);
      continue;
    }
    lines.texts.emplace(place, line);  // the first of two texts with one name wins
    place.line++;
  }
  return lines;
}

// "FILE:12:" or "FILE(12)" at the start of a text.
std::optional<Place> leading_place(std::string_view text) {
  for (std::size_t at = text.find_first_of(":("); at != std::string_view::npos;
       at = text.find_first_of(":(", at + 1))
    if (const auto line = leading_number(text.substr(at + 1)))
      return Place{std::string(text.substr(0, at)), *line};
  return {};
}

// "FILE:12:5: error: ..." (clang), "FILE(12): error: ..." (NVRTC) or "error: FILE:12:5: ..."
// (PoCL).
std::optional<Place> place_of_message(std::string_view message) {
  constexpr std::string_view word = "error";
  const std::size_t at = message.find(word);
  if (at == std::string_view::npos) return {};
  if (auto place = leading_place(message.substr(0, at))) return place;
  const std::size_t rest = message.find_first_not_of(": ", at + word.size());
  return rest == std::string_view::npos ? std::nullopt : leading_place(message.substr(rest));
}

// A compiler that does not know #line (NVIDIA's for OpenCL) counts lines as they stand, under a
// name of its own; so does every compiler before the first #line.
Place named_place(const SourceLines& lines, const Place& place) {
  if (lines.texts.contains(place) || place.line == 0 || place.line > lines.places.size())
    return place;
  return lines.places[place.line - 1];
}

std::string quote(const SourceLines& lines, const Place& place) {
  const auto found = lines.texts.find(place);
  if (found == lines.texts.end()) return "";
  const std::string name = place.file.empty() ? "line " : place.file + ":";
  return "\n  " + name + std::to_string(place.line) + " | " + std::string(found->second);
}

}  // namespace

Status compile_error(std::string_view label, std::string_view device, std::string_view text,
                     std::string_view log) {
  const SourceLines lines = index_lines(text);
  std::string message =
      "kernel text '" + std::string(label) + "' does not compile for " + std::string(device) + "\n";
  message += log.substr(0, shown_log_bytes);
  if (log.size() > shown_log_bytes) message += "\n... (the log goes on)";
  std::set<Place> shown;
  for (const std::string_view line : split_lines(log)) {
    const auto found = place_of_message(line);
    if (!found) continue;
    const Place place = named_place(lines, *found);
    if (shown.size() < shown_places && shown.insert(place).second) message += quote(lines, place);
  }
  return Status(Code::compile, std::move(message));
}

}  // namespace penstock::device
