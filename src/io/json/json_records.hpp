// Cuts a JSON text into blocks of whole records, which threads parse side by side.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json/json_options.hpp"
#include "io/text/text_input.hpp"

namespace penstock::io {

// A line, or one value of the other formats.
struct JsonRecord {
  std::string_view text;
  std::uint64_t number = 0;  // from 1, of a line among lines
};

class JsonBlock {
 public:
  struct Extent {
    std::size_t begin = 0, end = 0;
  };
  // Lines, found as they are asked for, or values at known places.
  JsonBlock(std::string bytes, std::uint64_t first_number)
      : bytes_(std::move(bytes)), number_(first_number), are_lines_(true) {}
  JsonBlock(std::string bytes, std::uint64_t first_number, std::vector<Extent> values)
      : bytes_(std::move(bytes)), values_(std::move(values)), number_(first_number) {}

  std::optional<JsonRecord> next();  // lines without a value are passed over
  // "line 7" or "record 7"
  std::string place_of(const JsonRecord& record) const;

 private:
  std::optional<JsonRecord> next_line();

  std::string bytes_;
  std::vector<Extent> values_;
  std::uint64_t number_;
  std::size_t at_ = 0;  // byte of the next line, or index of the next value
  bool are_lines_ = false;
};

// Used by one thread at a time.
class JsonRecords {
 public:
  JsonRecords(std::unique_ptr<TextInput> text, JsonFormat format, std::uint64_t max_record_bytes)
      : text_(std::move(text)), format_(format), max_record_bytes_(max_record_bytes) {}
  Result<std::optional<JsonBlock>> next();  // nullopt at the end

 private:
  enum class Place : unsigned char { before, first, after_comma, after_value, closed };
  Status read();
  std::optional<JsonBlock> take_lines();
  Result<std::optional<JsonBlock>> take_values();
  Status find_values();
  Status find_value(char c);
  void begin_value(char c);
  bool find_any(const std::array<bool, 256>& set);
  void pass_value();
  void pass_string();
  void end_value();
  Status unexpected(char c) const;
  Status too_long() const;
  std::string taken(std::size_t bytes);

  std::unique_ptr<TextInput> text_;
  JsonFormat format_;
  std::uint64_t max_record_bytes_;
  std::string buffer_;  // not handed out yet
  std::uint64_t number_ = 1;
  bool is_begun_ = false, has_ended_ = false;
  // For formats other than lines: values found in the buffer, and the place of the search.
  std::vector<JsonBlock::Extent> values_;
  Place place_ = Place::before;
  std::size_t at_ = 0, begin_ = 0;
  std::uint64_t depth_ = 0;
  bool is_in_value_ = false, is_in_string_ = false, is_scalar_ = false;
};

// Returns the format of a text that begins so, as DuckDB finds it.
JsonFormat find_json_format(std::string_view start, bool is_whole);

}  // namespace penstock::io
