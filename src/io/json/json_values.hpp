// Builds a column of JSON's values.
#pragma once
#include <string>
#include <vector>

#include "column/column_builders.hpp"
#include "io/json/json_tokens.hpp"
#include "io/json/json_types.hpp"

namespace penstock::io {

class JsonColumn {
 public:
  explicit JsonColumn(const JsonType& type) : type_(type), strings_(0) {}
  // Returns false where the type cannot hold the value without loss; nothing is added then.
  bool add(const JsonValue& value);
  void add_null();
  std::uint64_t row_count() const { return row_count_; }
  Column take();

 private:
  bool add_text(const JsonValue& value);
  bool add_boolean(const JsonValue& value);
  bool add_time(const JsonValue& value);
  bool add_decimal(const JsonValue& value);
  bool add_number(const JsonValue& value);
  template <class T> bool add_integer(const JsonValue& value);
  template <class T> bool add_real(const JsonValue& value);
  template <class T> bool push(T value);
  std::string_view text_of(const JsonValue& value);

  const JsonType& type_;
  std::vector<std::byte> values_;
  column::BitBuilder booleans_, validity_;
  column::StringBuilder strings_;
  std::string text_;  // a decoded string, kept for its memory
  std::uint64_t row_count_ = 0, null_count_ = 0;
};

}  // namespace penstock::io
