// The start of a CSV text, and what its bytes say before it is cut into rows.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/csv/csv_options.hpp"
#include "io/csv/special_bytes.hpp"
#include "penstock/status.hpp"

namespace penstock::io {

// Returns where a text stops being UTF-8; nullopt if it is UTF-8 to its end. A code point that
// the end cuts is none.
std::optional<std::size_t> first_not_utf8(std::string_view text);
// Refuses bytes that are not UTF-8, by the number of their line.
Status check_utf8(std::string_view text, std::uint64_t first_line);

std::uint64_t count_line_ends(std::string_view text);  // a pair of \r and \n is one

struct CsvSample {
  std::string bytes;              // 64 zeros at their end are not the text's
  bool is_whole = false;          // it ends where the file does
  std::uint64_t first_byte = 0;   // of the text that is read: behind a byte order mark and the
                                  // lines to skip
  std::uint64_t first_line = 1;   // its number
  bool ends_with_return = false;  // its first line has a carriage return alone

  std::string_view text() const {
    const std::string_view all(bytes.data(), bytes.size() - SpecialBytes::window_bytes);
    return all.substr(first_byte);
  }
};

// Passes over the lines to skip. Refuses texts in other encodings.
Result<CsvSample> csv_sample(std::string bytes, bool is_whole, const CsvOptions& options);

}  // namespace penstock::io
