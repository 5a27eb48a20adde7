// Builds a column of JSON's values.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "column/column_builders.hpp"
#include "column/nested/nested_column.hpp"
#include "io/json/json_tokens.hpp"
#include "io/json/json_types.hpp"

namespace penstock::io {

class JsonColumn {
 public:
  // The type outlives the column.
  explicit JsonColumn(const JsonType& type);
  // Returns false where the type cannot hold the value without loss; nothing is added then.
  bool add(const JsonValue& value);
  void add_null();
  std::uint64_t row_count() const { return row_count_; }
  Column take();

 private:
  bool add_text(const JsonValue& value);
  bool add_boolean(const JsonValue& value);
  bool add_logical(const JsonValue& value);
  bool add_nested(const JsonValue& value);
  bool add_elements(const JsonValue& array);
  bool add_members(const JsonValue& object);
  bool add_entries(const JsonValue& object);
  std::optional<std::size_t> member_of(const JsonValue& key, std::size_t expected);
  void end_nested_row();
  column::NestedColumn take_tree();
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
  // The elements of a list, the fields of a struct, or the keys and the values of a map.
  std::vector<JsonColumn> parts_;
  std::vector<std::int64_t> offsets_;
};

}  // namespace penstock::io
