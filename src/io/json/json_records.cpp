#include "io/json/json_records.hpp"

#include <algorithm>

#include "io/json/json_tokens.hpp"

namespace penstock::io {
namespace {

constexpr std::size_t block_bytes = 1 << 20;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

constexpr std::array<bool, 256> set_of(std::string_view bytes) {
  std::array<bool, 256> set{};
  for (const char c : bytes) set[static_cast<unsigned char>(c)] = true;
  return set;
}
constexpr auto brackets = set_of("\"{}[]"), string_ends = set_of("\"\\"),
               scalar_ends = set_of(" \t\r\n\v\f,]}[{\"");

bool is_json_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_blank(std::string_view text) { return std::ranges::all_of(text, is_json_space); }

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

bool is_one_value(std::string_view text, JsonKind& kind) {
  JsonTokens tokens(text);
  JsonValue value;
  if (!tokens.read_value(value) || !tokens.is_at_end()) return false;
  kind = value.kind;
  return true;
}

}  // namespace

std::optional<JsonRecord> JsonBlock::next() {
  if (are_lines_) return next_line();
  if (at_ == values_.size()) return std::nullopt;
  const auto [begin, end] = values_[at_++];
  return JsonRecord{std::string_view(bytes_).substr(begin, end - begin), number_++};
}

std::optional<JsonRecord> JsonBlock::next_line() {
  while (at_ < bytes_.size()) {
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    const std::string_view line = std::string_view(bytes_).substr(at_, end - at_);
    at_ = end + 1;
    number_++;
    if (!is_blank(line)) return JsonRecord{line, number_ - 1};
  }
  return std::nullopt;
}

std::string JsonBlock::place_of(const JsonRecord& record) const {
  return (are_lines_ ? "line " : "record ") + std::to_string(record.number);
}

Result<std::optional<JsonBlock>> JsonRecords::next() {
  for (;;) {
    PENSTOCK_TRY(read());
    if (format_ == JsonFormat::newline_delimited) {
      if (auto block = take_lines()) return block;
    } else {
      PENSTOCK_ASSIGN(auto block, take_values());
      if (block) return block;
    }
    if (has_ended_) return std::optional<JsonBlock>();
    if (buffer_.size() > max_record_bytes_) return too_long();
  }
}

Status JsonRecords::read() {
  if (has_ended_) return {};
  const std::size_t before = buffer_.size();
  buffer_.resize(before + block_bytes);
  PENSTOCK_ASSIGN(const std::size_t bytes, text_->read(std::span(buffer_).subspan(before)));
  buffer_.resize(before + bytes);
  has_ended_ = bytes < block_bytes;
  if (!is_begun_ && buffer_.starts_with(byte_order_mark)) buffer_.erase(0, byte_order_mark.size());
  is_begun_ = true;
  return {};
}

// Takes bytes from the buffer's front; what was found after them moves along.
std::string JsonRecords::taken(std::size_t bytes) {
  if (bytes == 0) return {};
  std::string rest = buffer_.substr(bytes);
  buffer_.resize(bytes);
  std::swap(rest, buffer_);
  at_ -= std::min(at_, bytes);
  begin_ -= std::min(begin_, bytes);
  return rest;
}

std::optional<JsonBlock> JsonRecords::take_lines() {
  const std::size_t newline = buffer_.rfind('\n');
  const std::size_t bytes = has_ended_                     ? buffer_.size()
                            : newline == std::string::npos ? 0
                                                           : newline + 1;
  if (bytes == 0) return std::nullopt;
  const std::uint64_t first = number_;
  std::string lines = taken(bytes);
  number_ += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
  return JsonBlock(std::move(lines), first);
}

Result<std::optional<JsonBlock>> JsonRecords::take_values() {
  PENSTOCK_TRY(find_values());
  const std::size_t bytes = is_in_value_ ? begin_ : at_;
  const std::uint64_t first = number_;
  number_ += values_.size();
  std::string text = taken(bytes);
  if (values_.empty()) return std::optional<JsonBlock>();
  return std::optional<JsonBlock>(JsonBlock(std::move(text), first, std::exchange(values_, {})));
}

// Goes on with the search. The inside of a value is checked by its parser.
Status JsonRecords::find_values() {
  while (at_ < buffer_.size()) {
    if (is_in_value_) {
      pass_value();
    } else if (const char c = buffer_[at_]; is_json_space(c)) {
      at_++;
    } else {
      PENSTOCK_TRY(find_value(c));
    }
  }
  if (!has_ended_) return {};
  at_ = std::min(at_, buffer_.size());
  const bool is_cut = is_in_value_ && !is_scalar_;
  if (is_in_value_) end_value();
  if (format_ != JsonFormat::array || place_ == Place::closed || is_cut) return {};
  if (place_ == Place::before) return {};  // a file of white space
  if (!values_.empty()) return {};         // they are handed out first
  return {Code::truncated,
          "the array has no closing ] after record " + std::to_string(number_ - 1)};
}

Status JsonRecords::find_value(char c) {
  if (format_ != JsonFormat::array) return begin_value(c), Status();
  const bool may_end = place_ == Place::first || place_ == Place::after_value;
  if (place_ == Place::before && c == '[') {
    place_ = Place::first;
  } else if (may_end && c == ']') {
    place_ = Place::closed;
  } else if (place_ == Place::after_value && c == ',') {
    place_ = Place::after_comma;
  } else if ((place_ == Place::first || place_ == Place::after_comma) && c != ',' && c != ']') {
    return begin_value(c), Status();
  } else {
    return unexpected(c);
  }
  at_++;
  return {};
}

void JsonRecords::begin_value(char c) {
  begin_ = at_++;
  is_in_value_ = true;
  depth_ = c == '{' || c == '[';
  is_in_string_ = c == '"';
  is_scalar_ = depth_ == 0 && !is_in_string_;
}

// Moves to the next byte of a set; returns false at the buffer's end.
bool JsonRecords::find_any(const std::array<bool, 256>& set) {
  while (at_ < buffer_.size() && !set[static_cast<unsigned char>(buffer_[at_])]) at_++;
  return at_ < buffer_.size();
}

void JsonRecords::pass_value() {
  if (is_in_string_) return pass_string();
  if (!find_any(is_scalar_ ? scalar_ends : brackets)) return;
  if (is_scalar_) return end_value();
  const char c = buffer_[at_++];
  if (c == '"')
    is_in_string_ = true;
  else if (c == '{' || c == '[')
    depth_++;
  else if (--depth_ == 0)
    end_value();
}

// Passes a string's rest. An escape at the buffer's end waits for the byte that it escapes.
void JsonRecords::pass_string() {
  if (!find_any(string_ends)) return;
  if (buffer_[at_] == '"') {
    at_++;
    is_in_string_ = false;
    if (depth_ == 0) end_value();
  } else {
    at_ += 2;
  }
}

void JsonRecords::end_value() {
  values_.push_back({begin_, std::min(at_, buffer_.size())});
  is_in_value_ = is_in_string_ = false;
  place_ = Place::after_value;
}

Status JsonRecords::unexpected(char c) const {
  const std::uint64_t record = number_ - 1 + values_.size();
  const std::string place =
      record == 0 ? "at the beginning" : "after record " + std::to_string(record);
  const bool is_printed = c > ' ' && c < '\x7f';
  std::string text = is_printed ? "unexpected '" + std::string(1, c) + "' " : "unexpected byte ";
  return {Code::corrupt, "malformed JSON: " + text + place +
                             (place_ == Place::before ? "; format = 'array' wants a [" : "")};
}

Status JsonRecords::too_long() const {
  return {Code::capacity,
          "after " + std::string(format_ == JsonFormat::newline_delimited ? "line " : "record ") +
              std::to_string(number_ - 1) + " comes one of more than " +
              std::to_string(max_record_bytes_) + " bytes; maximum_object_size = ... allows more"};
}

JsonFormat find_json_format(std::string_view start, bool is_whole) {
  start = without_mark(start);
  const std::size_t newline = start.find('\n');
  JsonKind kind{};
  if (newline != std::string_view::npos && is_one_value(start.substr(0, newline), kind)) {
    const bool is_one_line = is_whole && is_blank(start.substr(newline));
    return kind == JsonKind::array && is_one_line ? JsonFormat::array
                                                  : JsonFormat::newline_delimited;
  }
  const std::size_t begin = start.find_first_not_of(" \t\r\n\v\f");
  if (begin == std::string_view::npos || start[begin] != '[') return JsonFormat::unstructured;
  JsonTokens tokens(start);
  JsonValue value;
  const bool is_complete = tokens.read_value(value);
  return is_complete && !tokens.is_at_end() ? JsonFormat::unstructured : JsonFormat::array;
}

}  // namespace penstock::io
