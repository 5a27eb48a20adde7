// The fields of Substrait's messages that the reader knows: their numbers and their names in
// protobuf's JSON. A message of another kind has a name alone, so that an error can tell it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace penstock::sql {

enum class Message : unsigned char {
  plan,
  version,
  extension,
  extension_function,
  plan_relation,
  root,
  relation,
  common,
  emit,
  read,
  named_struct,
  struct_type,
  named_table,
  virtual_table,
  local_files,
  file,
  mask,
  struct_select,
  struct_item,
  filter,
  project,
  join,
  cross,
  fetch,
  aggregate,
  grouping,
  measure,
  aggregate_function,
  sort,
  sort_field,
  set,
  reference,
  expression,
  literal,
  literal_struct,
  var_char,
  decimal,
  timestamp,
  interval_months,
  interval_seconds,
  interval_compound,
  selection,
  segment,
  struct_field,
  scalar_function,
  argument,
  window_function,
  bound,
  if_then,
  if_clause,
  or_list,
  cast,
  subquery,
  scalar_subquery,
  in_predicate,
  set_predicate,
  nested_struct,
  type,
  simple_type,
  decimal_type,
  precise_type,
};

// `other` is a message that is not read.
enum class FieldKind : unsigned char {
  message,
  other,
  text,
  bytes,
  boolean,
  integer,  // of 32 or 64 bits, with a sign
  counter,  // without
  real32,
  real64,
  choice,  // of an enumeration
};

struct MessageField {
  Message owner;
  std::uint32_t number;
  std::string_view name;
  FieldKind kind;
  Message message = Message::plan;  // of FieldKind::message
  bool is_list = false;
  std::span<const std::string_view> choices = {};  // by number
};

const MessageField* field_of(Message owner, std::uint32_t number);
std::span<const MessageField> fields_of(Message owner);

}  // namespace penstock::sql
