#include "io/csv/csv_rows.hpp"

#include <algorithm>

namespace penstock::io {
namespace {

std::string special_bytes_of(const CsvDialect& dialect) {
  std::string bytes{'\n', '\r', dialect.delimiter};
  for (const char byte : {dialect.quote, dialect.escape, dialect.comment})
    if (byte != '\0' && bytes.find(byte) == std::string::npos) bytes += byte;
  return bytes;
}

}  // namespace

std::string_view without_escapes(const CsvField& field, const CsvDialect& dialect,
                                 std::string& room) {
  room.resize(field.bytes + SpecialBytes::window_bytes);
  std::size_t size = 0;
  for (std::uint32_t i = 0; i < field.bytes; i++) {
    if (field.data[i] == dialect.escape && i + 1 < field.bytes) i++;
    room[size++] = field.data[i];
  }
  return {room.data(), size};
}

std::string_view wrong_row(CsvRowKind kind) {
  switch (kind) {
    case CsvRowKind::unclosed_quote:
      return "a quote is never closed (quote = '' reads quotes as they are)";
    case CsvRowKind::bad_quote:
      return "there are bytes behind a closing quote (quote = '' reads quotes as they are, escape "
             "names the byte before a quote within quotes)";
    case CsvRowKind::stray_return:
      return "a field without quotes has a carriage return, and rows end with line feeds";
    default: return "the row is longer than max_line_size";
  }
}

CsvRowReader::CsvRowReader(const CsvDialect& dialect, std::string_view text)
    : dialect_(dialect),
      special_(special_bytes_of(dialect)),
      end_(text.data() + text.size()),
      position_(text.data()),
      window_(text.data()) {
  if (!text.empty()) mask_ = special_.in(window_);
}

// Returns the next special byte, or the text's end.
const char* CsvRowReader::next_special() {
  while (mask_ == 0) {
    if (end_ - window_ <= static_cast<std::ptrdiff_t>(SpecialBytes::window_bytes)) return end_;
    window_ += SpecialBytes::window_bytes;
    mask_ = special_.in(window_);
  }
  const char* const at = window_ + std::countr_zero(mask_);
  mask_ &= mask_ - 1;
  return std::min(at, end_);
}

void CsvRowReader::move_to(const char* position) {
  position_ = position;
  const std::ptrdiff_t bytes = position - window_;
  if (bytes < static_cast<std::ptrdiff_t>(SpecialBytes::window_bytes)) {
    mask_ &= ~std::uint64_t{0} << bytes;
    return;
  }
  window_ = position;
  mask_ = position < end_ ? special_.in(position) : 0;
}

bool CsvRowReader::may_open(const char* field, const char* quote) const {
  return quote == field || (quote == field + 1 && *field == ' ' && dialect_.delimiter != ' ');
}

bool CsvRowReader::is_stray_return(const char* at) const {
  return at < end_ && *at == '\r' && !dialect_.ends_with_return &&
         !(at + 1 < end_ && at[1] == '\n');
}

void CsvRowReader::end_line(const char* at) {
  has_line_end_ = at < end_;
  if (!has_line_end_) return move_to(end_);
  const bool is_pair = *at == '\r' && at + 1 < end_ && at[1] == '\n';
  move_to(at + (is_pair ? 2 : 1));
}

void CsvRowReader::skip_line() {
  const char* at = next_special();
  while (at < end_ && !is_line_end(at)) at = next_special();
  end_line(at);
}

void CsvRowReader::end_row(const char* field, const char* at, std::vector<CsvField>& fields) {
  fields.push_back({field, static_cast<std::uint32_t>(at - field)});
  is_blank_ = at == row_begin_ && !has_comment_;
  has_empty_last_ = at == field && field > row_begin_;
}

CsvRowKind CsvRowReader::next(std::vector<CsvField>& fields) {
  if (position_ == end_) return CsvRowKind::end;
  row_begin_ = position_;
  has_line_end_ = has_comment_ = is_blank_ = has_empty_last_ = false;
  const char* field = position_;
  for (;;) {
    const char* at = next_special();
    if (at < end_ && *at == dialect_.delimiter) {
      fields.push_back({field, static_cast<std::uint32_t>(at - field)});
      field = at + 1;
      continue;
    }
    if (at == end_ || is_line_end(at)) {
      if (is_stray_return(at)) {
        skip_line();
        return CsvRowKind::stray_return;
      }
      end_row(field, at, fields);
      end_line(at);
      return CsvRowKind::row;
    }
    if (*at == dialect_.comment) {
      has_comment_ = true;
      const bool is_whole_line = field == row_begin_ && may_open(field, at);
      if (!is_whole_line) end_row(field, at, fields);
      skip_line();
      return is_whole_line ? CsvRowKind::comment : CsvRowKind::row;
    }
    if (*at != dialect_.quote || !may_open(field, at)) continue;
    const CsvRowKind kind = read_quoted(at, fields, at);
    if (kind != CsvRowKind::row) return kind;
    if (at == end_ || *at != dialect_.delimiter) {
      has_comment_ = at < end_ && *at == dialect_.comment;
      if (has_comment_ || is_stray_return(at))
        skip_line();
      else
        end_line(at);
      return is_stray_return(at) ? CsvRowKind::stray_return : CsvRowKind::row;
    }
    field = at + 1;
  }
}

// Appends a quoted field; `after` is the delimiter, comment or line end behind it.
CsvRowKind CsvRowReader::read_quoted(const char* open, std::vector<CsvField>& fields,
                                     const char*& after) {
  bool has_escapes = false, has_escaped_quote = false;
  const char* close = nullptr;
  while (close == nullptr) {
    const char* at = next_special();
    if (at == end_) {
      move_to(end_);
      return CsvRowKind::unclosed_quote;
    }
    const bool is_doubled = at + 1 < end_ && at[1] == dialect_.quote;
    if (*at == dialect_.escape && (is_doubled || dialect_.escape != dialect_.quote)) {
      has_escapes = true;  // whichever byte follows is a byte as others
      has_escaped_quote |= is_doubled;
      if (at + 1 < end_) move_to(at + 2);
    } else if (*at == dialect_.quote) {
      close = at;
    }
  }
  fields.push_back({open + 1, static_cast<std::uint32_t>(close - open - 1), true, has_escapes,
                    has_escaped_quote});
  after = next_special();
  const bool is_end = after == end_ || *after == dialect_.delimiter || is_line_end(after) ||
                      *after == dialect_.comment;
  if (is_end && std::all_of(close + 1, after, [](char byte) { return byte == ' '; }))
    return CsvRowKind::row;
  if (after < end_ && is_line_end(after))
    end_line(after);
  else
    skip_line();
  return CsvRowKind::bad_quote;
}

}  // namespace penstock::io
