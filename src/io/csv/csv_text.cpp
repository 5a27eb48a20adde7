#include "io/csv/csv_text.hpp"

#include <algorithm>
#include <cstring>

#include "base/unicode.hpp"
#include "io/text/text_encoding.hpp"

namespace penstock::io {
namespace {

// Returns where the text begins behind so many lines.
std::size_t skip_lines(std::string_view text, std::uint64_t lines) {
  std::size_t at = 0;
  for (; lines > 0 && at < text.size(); lines--) {
    at = text.find_first_of("\r\n", at);
    if (at == std::string_view::npos) return text.size();
    at += text.substr(at).starts_with("\r\n") ? 2 : 1;
  }
  return at;
}

}  // namespace

std::optional<std::size_t> first_not_utf8(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word = 0;
    for (; at + 8 <= text.size(); at += 8) {
      std::memcpy(&word, text.data() + at, 8);
      if ((word & high_bits) != 0) break;
    }
    while (at < text.size() && static_cast<signed char>(text[at]) >= 0) at++;
    while (at < text.size() && static_cast<signed char>(text[at]) < 0) {
      const std::uint32_t bytes = utf8_length(text.substr(at));
      if (bytes == 0) return at;
      at += bytes;
    }
  }
  return std::nullopt;
}

Status check_utf8(std::string_view text, std::uint64_t first_line) {
  const auto wrong = first_not_utf8(text);
  if (!wrong) return {};
  const std::uint64_t line = first_line + count_line_ends(text.substr(0, *wrong));
  return {Code::unsupported, "line " + std::to_string(line) +
                                 " is not UTF-8; to convert the file, if it is in Latin-1: " +
                                 "iconv -f LATIN1 -t UTF-8 FILE > NEW"};
}

std::uint64_t count_line_ends(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < text.size(); i++)
    count += text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
  return count;
}

Result<CsvSample> csv_sample(std::string bytes, bool is_whole, const CsvOptions& options) {
  CsvSample sample{std::move(bytes), is_whole};
  sample.bytes.append(SpecialBytes::window_bytes, '\0');
  PENSTOCK_TRY(check_not_wide(sample.text()));
  if (sample.bytes.starts_with("\xef\xbb\xbf")) sample.first_byte = 3;
  const std::size_t skipped = skip_lines(sample.text(), options.skipped_lines.value_or(0));
  sample.first_line += count_line_ends(sample.text().substr(0, skipped));
  sample.first_byte += skipped;
  std::string_view checked = sample.text();
  if (!sample.is_whole) checked = checked.substr(0, checked.find_last_of("\r\n") + 1);
  const std::size_t line_end = sample.text().find_first_of("\r\n");
  sample.ends_with_return = line_end != std::string_view::npos && sample.text()[line_end] == '\r' &&
                            !sample.text().substr(line_end).starts_with("\r\n");
  PENSTOCK_TRY(check_utf8(checked, sample.first_line));
  return sample;
}

}  // namespace penstock::io
