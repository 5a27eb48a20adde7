#include "io/csv/csv_text.hpp"

#include <algorithm>
#include <cstring>

#include "base/unicode.hpp"
#include "io/text/text_input.hpp"

namespace penstock::io {
namespace {

// A sample is bounded however long its rows are.
constexpr std::uint64_t max_sample_bytes = 64 << 20;
constexpr std::uint64_t first_read_bytes = 256 << 10;

// Reads until the bytes have so many, or the text ends.
Result<bool> read_more(TextInput& input, std::string& bytes, std::uint64_t size) {
  const std::size_t before = bytes.size();
  bytes.resize(size);
  PENSTOCK_ASSIGN(const std::size_t read,
                  input.read(std::span<char>(bytes.data() + before, size - before)));
  bytes.resize(before + read);
  return before + read == size;
}

Status check_encoding(std::string_view text) {
  const std::string_view start = text.substr(0, 4096);
  const auto zeros = static_cast<std::size_t>(std::ranges::count(start, '\0'));
  const bool has_mark = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
  if (!has_mark && (zeros == 0 || zeros * 3 < start.size())) return {};
  return {Code::unsupported,
          "the text is UTF-16; to convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"};
}

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

Result<CsvSample> read_csv_sample(const std::string& path, const CsvOptions& options) {
  PENSTOCK_ASSIGN(const auto input, open_text(path));
  CsvSample sample;
  const std::uint64_t lines =
      options.sample_rows.value_or(0) + options.skipped_lines.value_or(0) + 2;
  bool has_more = true;
  for (std::uint64_t size = first_read_bytes; has_more; size *= 2) {
    PENSTOCK_ASSIGN(has_more, read_more(*input, sample.bytes, size));
    if (!options.sample_rows) continue;
    if (size >= max_sample_bytes || count_line_ends(sample.bytes) > lines) break;
  }
  sample.is_whole = !has_more;
  sample.bytes.append(SpecialBytes::window_bytes, '\0');
  PENSTOCK_TRY(check_encoding(sample.text()));
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

Result<std::uint64_t> line_of_byte(const std::string& path, std::uint64_t byte) {
  PENSTOCK_ASSIGN(const auto input, open_text(path));
  std::string bytes;
  std::uint64_t line = 1;
  bool is_after_return = false;
  while (byte > 0) {
    bytes.clear();
    PENSTOCK_ASSIGN(const bool has_more,
                    read_more(*input, bytes, std::min<std::uint64_t>(byte, 1 << 20)));
    byte -= bytes.size();
    line += count_line_ends(bytes);
    line -= is_after_return && bytes.starts_with('\n');  // a pair that two reads cut
    is_after_return = bytes.ends_with('\r');
    if (!has_more) break;
  }
  return line;
}

}  // namespace penstock::io
