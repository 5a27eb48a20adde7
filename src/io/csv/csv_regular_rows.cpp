#include "io/csv/csv_regular_rows.hpp"

#include <algorithm>
#include <bit>

namespace penstock::io {
namespace {

constexpr std::size_t max_cut_bytes = 1 << 30;  // offsets within have 32 bits

}  // namespace

// Writes some numbers too many rather than to branch by how many there are.
void CsvRegularRows::add_ends(std::uint64_t ends, std::uint32_t offset) {
  constexpr std::size_t at_once = 8;
  const auto count = static_cast<std::size_t>(std::popcount(ends));
  if (starts_.size() < field_count_ + ByteWindow::bytes + at_once)
    starts_.resize(2 * starts_.size() + 4096);
  std::uint32_t* const out = starts_.data() + field_count_ + 1;
  for (std::size_t done = 0; done < count; done += at_once)
    for (std::size_t i = 0; i < at_once; i++) {
      out[done + i] = offset + static_cast<std::uint32_t>(std::countr_zero(ends)) + 1;
      ends &= ends - 1;
    }
  field_count_ += count;
}

bool CsvRegularRows::find_ends(std::string_view text, std::size_t max_rows) {
  if (starts_.empty()) starts_.resize(4096);
  CsvRegularScan scan(dialect_);
  const char* const end = text.data() + std::min(text.size(), max_cut_bytes);
  for (const char* at = text.data(); at < end && row_count_ < max_rows; at += ByteWindow::bytes) {
    if (!scan.see(at, bits_before(end, at))) return false;
    add_ends(scan.field_ends(), static_cast<std::uint32_t>(at - text.data()));
    row_count_ += static_cast<std::size_t>(std::popcount(scan.row_ends()));
  }
  cut_.has_quotes = scan.has_quotes();
  cut_.has_doubled_quotes = scan.has_doubled_quotes();
  cut_.has_returns = scan.has_returns();
  return row_count_ > 0;
}

// There are as many line feeds among the ends as rows. Each one at the end of a row of the first
// row's width leaves none within a row.
bool CsvRegularRows::has_equal_rows() const {
  if (row_count_ * stride_ > field_count_) return false;
  for (std::size_t row = 1; row <= row_count_; row++)
    if (cut_.text[starts_[row * stride_] - 1] != '\n') return false;
  return true;
}

bool CsvRegularRows::has_short_rows() const {
  if (offset(row_count_) <= options_.max_line_bytes) return true;
  for (std::size_t row = 0; row < row_count_; row++)
    if (offset(row + 1) - offset(row) > options_.max_line_bytes) return false;
  return true;
}

// Whether a field more than there are columns is NULL in every row.
bool CsvRegularRows::has_empty_tails() const {
  if (stride_ == column_count_) return true;
  for (std::size_t row = 0; row < row_count_; row++) {
    const CsvField tail = field(row, column_count_);
    if (!options_.is_null_text(tail.raw(), tail.is_quoted)) return false;
  }
  return true;
}

bool CsvRegularRows::cut(std::string_view text, std::size_t max_rows) {
  cut_.text = text.data();
  cut_.quote = dialect_.quote;
  field_count_ = row_count_ = 0;
  if (dialect_.ends_with_return || !find_ends(text, max_rows)) return false;
  for (stride_ = 1; cut_.text[starts_[stride_] - 1] != '\n';) stride_++;
  if (stride_ != column_count_ && stride_ != column_count_ + 1) return false;
  if (!has_equal_rows()) return false;
  row_count_ = std::min(row_count_, max_rows);
  if (row_count_ < max_rows && offset(row_count_) < text.size()) return false;
  return has_short_rows() && has_empty_tails();
}

}  // namespace penstock::io
