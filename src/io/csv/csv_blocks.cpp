#include "io/csv/csv_blocks.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/csv/csv_regular_scan.hpp"

namespace penstock::io {
namespace {

// Large enough that threads seldom meet, small enough for a processor's caches.
constexpr std::uint64_t block_bytes = 2 << 20;

}  // namespace

Result<std::unique_ptr<CsvBlocks>> CsvBlocks::open(const std::string& path,
                                                   std::uint64_t first_byte,
                                                   const CsvDialect& dialect,
                                                   std::uint64_t max_line_bytes) {
  PENSTOCK_ASSIGN(auto input, open_text(path));
  std::array<char, 1 << 16> passed{};
  for (std::uint64_t left = first_byte; left > 0;) {
    const std::size_t bytes = std::min<std::uint64_t>(left, passed.size());
    PENSTOCK_ASSIGN(const std::size_t read, input->read(std::span<char>(passed.data(), bytes)));
    if (read < bytes) return Status(Code::truncated, "the file is shorter than when it was opened");
    left -= read;
  }
  return std::unique_ptr<CsvBlocks>(
      new CsvBlocks(std::move(input), first_byte, dialect, max_line_bytes));
}

// Returns where the last whole row of a text ends; 0 if none does. A line end is a row's end
// where there are no quotes.
std::size_t CsvBlocks::last_row_end(std::string_view text) const {
  if (dialect_.quote == '\0' || text.find(dialect_.quote) == std::string_view::npos) {
    const std::size_t feed = text.rfind('\n');
    if (feed != std::string_view::npos) return feed + 1;
    // A carriage return at the text's end may belong to a line feed.
    const std::size_t ret = text.substr(0, text.size() - 1).rfind('\r');
    return ret == std::string_view::npos ? 0 : ret + 1;
  }
  if (const auto end = regular_row_end(text, dialect_)) return *end;
  CsvRowReader reader(dialect_, text);
  std::vector<CsvField> fields;
  std::size_t end = 0;
  for (;;) {
    fields.clear();
    const CsvRowKind kind = reader.next(fields);
    if (kind == CsvRowKind::end || kind == CsvRowKind::unclosed_quote) return end;
    const auto row_end = static_cast<std::size_t>(reader.row_end() - text.data());
    if (reader.is_ended_by_text() || (row_end == text.size() && text.back() == '\r')) return end;
    end = row_end;
  }
}

Result<std::optional<CsvBlock>> CsvBlocks::next() {
  if (has_ended_) return std::optional<CsvBlock>();
  for (std::uint64_t size = std::max<std::uint64_t>(block_bytes, left_.size() * 2);; size *= 2) {
    auto memory = memory_->take(size + SpecialBytes::window_bytes);
    auto* const begin = reinterpret_cast<char*>(memory.get());
    std::memcpy(begin, left_.data(), left_.size());
    PENSTOCK_ASSIGN(const std::size_t read,
                    input_->read(std::span<char>(begin + left_.size(), size - left_.size())));
    std::string_view text(begin, left_.size() + read);
    has_ended_ = text.size() < size;
    const std::size_t end = has_ended_ ? text.size() : last_row_end(text);
    left_ = text.substr(end);
    if (end == 0 && has_ended_) return std::optional<CsvBlock>();
    if (end > 0) {
      std::memset(begin + text.size(), 0, SpecialBytes::window_bytes);
      const std::uint64_t offset = offset_;
      offset_ += end;
      return std::optional(CsvBlock{std::move(memory), text.substr(0, end), offset});
    }
    if (left_.size() > max_line_bytes_)
      return Status(Code::capacity, "the row is longer than max_line_size, " +
                                        std::to_string(max_line_bytes_) +
                                        " bytes; a quote may not be closed");
  }
}

}  // namespace penstock::io
