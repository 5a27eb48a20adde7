// Cuts a CSV text into rows and fields, by one strict grammar for the sniffer and for the reader.
//
// A field that begins with the quote, or with a space and the quote, ends with the next quote. Only
// spaces may follow until the delimiter, the row's end or a comment. Every other field ends with
// the next of these; quotes within it are ordinary bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv/csv_dialect.hpp"
#include "io/csv/special_bytes.hpp"

namespace penstock::io {

struct CsvField {
  const char* data = nullptr;  // null: the row had no such field
  std::uint32_t bytes = 0;
  bool is_quoted = false, has_escapes = false;
  bool has_escaped_quote = false;  // not only other bytes behind escapes, as in "\\N"

  std::string_view raw() const { return {data, bytes}; }
};

std::string_view without_escapes(const CsvField& field, const CsvDialect& dialect,
                                 std::string& room);
// Returns the field's value: the bytes as they stand, or in `room` without their escapes. 64 bytes
// behind it may be read.
inline std::string_view value_of(const CsvField& field, const CsvDialect& dialect,
                                 std::string& room) {
  return field.has_escapes ? without_escapes(field, dialect, room) : field.raw();
}

enum class CsvRowKind : unsigned char {
  row,
  comment,         // a line that begins as a comment
  end,             // there is no further row
  unclosed_quote,  // the text ends within quotes
  bad_quote,       // a closing quote is not at the field's end
  stray_return,    // a carriage return, in a file with rows that end with line feeds
};

// Says what is wrong with a row, and what can be passed to read it.
std::string_view wrong_row(CsvRowKind kind);

class CsvRowReader {
 public:
  // `text` is followed by 64 bytes of any content that may be read.
  CsvRowReader(const CsvDialect& dialect, std::string_view text);
  // Appends the fields of the next row, and goes behind its line. A bad row's line ends with the
  // next line end, wherever it stands.
  CsvRowKind next(std::vector<CsvField>& fields);

  // Moves on to a row that begins here, at or behind the next row.
  void skip_to(const char* row) { move_to(row); }

  // About the row that next() returned.
  const char* row_begin() const { return row_begin_; }
  const char* row_end() const { return position_; }         // behind its line end
  bool is_ended_by_text() const { return !has_line_end_; }  // the text ends without a line end
  bool has_comment() const { return has_comment_; }
  bool is_blank() const { return is_blank_; }
  bool has_empty_last() const { return has_empty_last_; }  // it ends with a delimiter

 private:
  const char* next_special();
  void move_to(const char* position);
  bool may_open(const char* field, const char* quote) const;
  bool is_line_end(const char* at) const { return *at == '\n' || *at == '\r'; }
  void end_row(const char* field, const char* at, std::vector<CsvField>& fields);
  bool is_stray_return(const char* at) const;
  void end_line(const char* at);
  void skip_line();
  CsvRowKind read_quoted(const char* open, std::vector<CsvField>& fields, const char*& after);

  const CsvDialect dialect_;
  const SpecialBytes special_;
  const char* const end_;
  const char* position_;
  const char* window_;
  std::uint64_t mask_ = 0;  // special bytes of the window that next_special() did not return
  const char* row_begin_ = nullptr;
  bool has_line_end_ = false, has_comment_ = false, is_blank_ = false, has_empty_last_ = false;
};

}  // namespace penstock::io
