// Reads JSON (RFC 8259) from memory without copying it. As DuckDB does, it also takes a comma after
// the last member, and NaN and Infinity in any case. Everything that is passed over is checked too.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace penstock::io {

enum class JsonKind : unsigned char { null, boolean, integer, real, string, array, object };

struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::string_view text;     // as it stands in the file; a string without its quotes
  bool has_escapes = false;  // of a string
};

struct JsonFault {
  const char* reason = nullptr;  // null: there is none
  std::size_t offset = 0;        // of the byte that does not fit
};

// Functions return false at a fault, which fault() then has.
class JsonTokens {
 public:
  explicit JsonTokens(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // Reads one value with all that it holds.
  bool read_value(JsonValue& value) { return read_value(value, 0); }
  // Steps into an object or array. The functions after it return false at its end, too.
  void enter() { at_++, is_first_ = true; }
  bool next_member(JsonValue& key, JsonValue& value);
  bool next_element(JsonValue& value);
  // Returns whether nothing but white space is left.
  bool is_at_end();

  bool is_at(char c);  // after white space
  const JsonFault& fault() const { return fault_; }

 private:
  bool fail(const char* reason);
  void skip_space();
  bool read_value(JsonValue& value, unsigned depth);
  bool read_nested(bool is_object, unsigned depth);
  bool read_key(JsonValue& key);
  bool read_string(JsonValue& value);
  bool read_escape();
  bool read_hex(unsigned& code);
  bool read_number(JsonValue& value);
  bool read_digits();
  bool read_word(JsonValue& value, std::string_view word, JsonKind kind);
  bool take_any_case(std::string_view lower_word);
  bool is_at_next(char close);

  const char* begin_;
  const char* at_;
  const char* end_;
  bool is_first_ = false;
  JsonFault fault_;
};

// Appends a string's characters with its escapes resolved.
void append_decoded(const JsonValue& string, std::string& to);

}  // namespace penstock::io
