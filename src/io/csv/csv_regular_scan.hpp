// Tells field ends from bytes within quotes, 64 bytes at a time and without a branch for each.
//
// A text is regular if quotes stand only at both ends of a field, or doubled within, and if it has
// no comment, escape or stray carriage return. Then an odd number of quotes before a byte says that
// the byte stands within quotes, and CsvRowReader cuts the text at the same places.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "io/csv/byte_window.hpp"
#include "io/csv/csv_dialect.hpp"

namespace penstock::io {

class CsvRegularScan {
 public:
  // Begins where a row does.
  explicit CsvRegularScan(const CsvDialect& dialect)
      : dialect_(dialect),
        doubles_(dialect.escape == dialect.quote ? ~std::uint64_t{0} : 0),
        has_escape_(dialect.escape != '\0' && dialect.escape != dialect.quote) {}

  // Looks at the next 64 bytes; bits of `valid` mark the text's bytes. Returns false if these are
  // not regular.
  bool see(const char* text, std::uint64_t valid);
  // Bits of these 64 bytes.
  std::uint64_t field_ends() const { return field_ends_; }
  std::uint64_t row_ends() const { return row_ends_; }  // line feeds
  // True if any byte so far was one.
  bool has_quotes() const { return quotes_ != 0; }
  bool has_doubled_quotes() const { return doubled_ != 0; }
  bool has_returns() const { return returns_ != 0; }

 private:
  const CsvDialect dialect_;
  const std::uint64_t doubles_;
  const bool has_escape_;
  std::uint64_t field_ends_ = 0, row_ends_ = 0;
  std::uint64_t quotes_ = 0, doubled_ = 0, returns_ = 0;
  // State of the byte before the window: was_inside_ has all bits set if it stands within quotes,
  // the others have the lowest.
  std::uint64_t was_inside_ = 0, was_end_ = 1, was_closing_ = 0, was_return_ = 0;
};

inline bool CsvRegularScan::see(const char* text, std::uint64_t valid) {
  const ByteWindow window(text);
  std::uint64_t quotes = 0, inside = 0;
  if (dialect_.quote != '\0') {
    quotes = window.equal_to(dialect_.quote) & valid;
    inside = quotes;  // each bit becomes the parity of itself and those below
    for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
    inside ^= was_inside_;
  }
  row_ends_ = window.equal_to('\n') & valid & ~inside;
  field_ends_ = row_ends_ | (window.equal_to(dialect_.delimiter) & valid & ~inside);
  const std::uint64_t returns = window.equal_to('\r') & valid & ~inside;
  const std::uint64_t opening = quotes & inside, closing = quotes & ~inside;
  const std::uint64_t after_end = field_ends_ << 1 | was_end_;
  const std::uint64_t after_closing = closing << 1 | was_closing_;
  const std::uint64_t after_return = returns << 1 | was_return_;
  const std::uint64_t doubled = opening & after_closing & doubles_;
  std::uint64_t wrong = (opening & ~(after_end | doubled)) | (after_return & ~row_ends_) |
                        (after_closing & ~(field_ends_ | returns | doubled));
  if (dialect_.comment != '\0') wrong |= window.equal_to(dialect_.comment) & ~inside;
  if (has_escape_) wrong |= window.equal_to(dialect_.escape) & inside;
  was_inside_ = std::uint64_t{0} - (inside >> 63);
  was_end_ = field_ends_ >> 63;
  was_closing_ = closing >> 63;
  was_return_ = returns >> 63;
  quotes_ |= quotes;
  doubled_ |= doubled;
  returns_ |= returns;
  return (wrong & valid) == 0;
}

// Returns a bit for each byte of a window of 64 that lies before the end.
inline std::uint64_t bits_before(const char* end, const char* window) {
  const auto left = static_cast<std::size_t>(end - window);
  return left >= ByteWindow::bytes ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

// Returns the end of the last whole row of a regular text, 0 without a whole row; nullopt if a byte
// is not regular. 64 bytes behind the text may be read.
std::optional<std::size_t> regular_row_end(std::string_view text, const CsvDialect& dialect);

}  // namespace penstock::io
