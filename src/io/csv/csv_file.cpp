#include "io/csv/csv_file.hpp"

#include <algorithm>

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

}  // namespace

Result<CsvSample> read_csv_sample(const std::string& path, const CsvOptions& options) {
  PENSTOCK_ASSIGN(const auto input, open_text(path));
  std::string bytes;
  const std::uint64_t lines =
      options.sample_rows.value_or(0) + options.skipped_lines.value_or(0) + 2;
  bool has_more = true;
  for (std::uint64_t size = first_read_bytes; has_more; size *= 2) {
    PENSTOCK_ASSIGN(has_more, read_more(*input, bytes, size));
    if (!options.sample_rows) continue;
    if (size >= max_sample_bytes || count_line_ends(bytes) > lines) break;
  }
  return csv_sample(std::move(bytes), !has_more, options);
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
