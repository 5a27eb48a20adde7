// Lists, structs and maps of JSON: trees of columns, which become packed values.
#include <utility>

#include "io/json/json_values.hpp"

namespace penstock::io {

// A value that does not fit may leave parts behind: its row is NULL then, and they belong to it.
bool JsonColumn::add_nested(const JsonValue& value) {
  switch (type_.type.logical) {
    case LogicalType::list: return value.kind == JsonKind::array && add_elements(value);
    case LogicalType::map: return value.kind == JsonKind::object && add_entries(value);
    default: return value.kind == JsonKind::object && add_members(value);
  }
}

bool JsonColumn::add_elements(const JsonValue& array) {
  JsonTokens tokens(array.text);
  tokens.enter();
  for (JsonValue element; tokens.next_element(element);)
    if (!parts_[0].add(element)) return false;
  return true;
}

// A key that is there twice does not fit.
bool JsonColumn::add_members(const JsonValue& object) {
  JsonTokens tokens(object.text);
  tokens.enter();
  std::size_t expected = 0;
  for (JsonValue key, value; tokens.next_member(key, value);) {
    const std::optional<std::size_t> member = member_of(key, expected);
    if (!member || parts_[*member].row_count_ > row_count_) return false;
    if (!parts_[*member].add(value)) return false;
    expected = *member + 1;
  }
  return true;
}

bool JsonColumn::add_entries(const JsonValue& object) {
  JsonTokens tokens(object.text);
  tokens.enter();
  for (JsonValue key, value; tokens.next_member(key, value);) {
    if (!parts_[1].add(value)) return false;
    parts_[0].add(key);
  }
  return true;
}

// Members mostly have one order.
std::optional<std::size_t> JsonColumn::member_of(const JsonValue& key, std::size_t expected) {
  const std::vector<std::string>& names = type_.type.nested->names;
  const std::string_view name = text_of(key);
  if (expected < names.size() && names[expected] == name) return expected;
  for (std::size_t i = 0; i < names.size(); i++)
    if (names[i] == name) return i;
  return std::nullopt;
}

// Fields that the row lacks are NULL. Elements up to here belong to the row.
void JsonColumn::end_nested_row() {
  if (!is_nested(type_.type)) return;
  if (type_.type.logical == LogicalType::structure) {
    for (JsonColumn& part : parts_)
      if (part.row_count_ < row_count_) part.add_null();
    return;
  }
  while (parts_.size() == 2 && parts_[1].row_count_ > parts_[0].row_count_) parts_[0].add_null();
  offsets_.push_back(static_cast<std::int64_t>(parts_[0].row_count_));
}

column::NestedColumn JsonColumn::take_tree() {
  column::NestedColumn tree;
  tree.type = type_.type;
  tree.row_count = row_count_;
  if (!is_nested(type_.type)) {
    tree.leaf = take();
    tree.validity = tree.leaf.validity;
    return tree;
  }
  if (null_count_ > 0) tree.validity = validity_.take();
  std::vector<column::NestedColumn> parts;
  for (JsonColumn& part : parts_) parts.push_back(part.take_tree());
  tree.offsets = std::move(offsets_);
  if (type_.type.logical == LogicalType::map) {
    column::NestedColumn& entries = tree.children.emplace_back();
    entries.type = column::element_of(type_.type);
    entries.row_count = parts_[0].row_count_;
    entries.children = std::move(parts);
  } else {
    tree.children = std::move(parts);
  }
  return tree;
}

}  // namespace penstock::io
