// Reads dates and timestamps by a format such as %d/%m/%Y, with the specifiers of strptime().
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::io {

class CsvTimeFormat {
 public:
  // Refuses a specifier that is not read, and names those that are.
  static Result<CsvTimeFormat> parse(std::string_view format);

  // Whether a text has the format and a year of two digits at least.
  bool is_of(std::string_view text) const;
  std::optional<std::int32_t> read_date(std::string_view text) const;
  std::optional<std::int64_t> read_timestamp(std::string_view text) const;
  const std::string& text() const { return text_; }

 private:
  struct Parts;
  struct Item {
    char specifier = '\0';  // '\0': the literal
    std::string literal;
  };
  bool read(std::string_view text, Parts& parts, bool is_strict) const;

  std::string text_;
  std::vector<Item> items_;
};

}  // namespace penstock::io
