#include "expr/nested_values.hpp"

#include <set>

#include "expr/logical_text.hpp"

namespace penstock::expr {

using column::PackedMark;
using column::PackedReader;

void put_value(std::string& to, Type type, const Scalar& value) {
  if (column::is_packed(type))
    to += value.text;
  else if (type.kind == Kind::string)
    column::put_text(to, value.text);
  else if (is_float(type))
    column::put_real(to, type, value.real);
  else
    column::put_integer(to, type, value.integer);
}

void put_part(std::string& to, Type type, const Scalar& value) {
  column::put_mark(to, value.is_null ? PackedMark::null : PackedMark::value);
  if (!value.is_null) put_value(to, type, value);
}

std::string sort_bytes(const Scalar& value) {
  std::string bytes;
  put_part(bytes, value.type, value);
  return bytes;
}

Scalars elements_of(const Scalar& list) {
  const Type element = column::element_of(list.type);
  PackedReader from(list.text);
  Scalars elements;
  for (PackedMark next = from.mark(); next != PackedMark::end; next = from.mark())
    elements.push_back(take_value(from, element, next));
  return elements;
}

Scalars fields_of(const Scalar& value) {
  PackedReader from(value.text);
  Scalars fields;
  for (const Type field : value.type.nested->types) {
    const PackedMark mark = value.is_null ? PackedMark::null : from.mark();
    fields.push_back(take_value(from, field, mark));
  }
  return fields;
}

Scalar list_of_parts(Type list, std::span<const Scalar> parts) {
  const Type element = column::element_of(list);
  std::string bytes;
  for (const Scalar& part : parts) put_part(bytes, element, part);
  column::put_mark(bytes, PackedMark::end);
  return Scalar::of(list, std::move(bytes));
}

Scalar struct_of_parts(Type type, std::span<const Scalar> fields) {
  std::string bytes;
  for (std::size_t i = 0; i < fields.size(); i++) put_part(bytes, type.nested->types[i], fields[i]);
  return Scalar::of(type, std::move(bytes));
}

std::optional<Scalar> map_of_parts(Type map, std::span<const Scalar> keys,
                                   std::span<const Scalar> values) {
  const Type entry = column::entry_of(map);
  std::set<std::string> known;
  Scalars entries;
  for (std::size_t i = 0; i < keys.size(); i++) {
    if (keys[i].is_null || !known.insert(sort_bytes(keys[i])).second) return std::nullopt;
    entries.push_back(struct_of_parts(entry, Scalars{keys[i], values[i]}));
  }
  return list_of_parts(map, entries);
}

std::optional<Scalar> map_of_entries(Type map, std::span<const Scalar> entries) {
  Scalars keys, values;
  for (const Scalar& entry : entries) {
    Scalars fields = fields_of(entry);
    keys.push_back(std::move(fields[0]));
    values.push_back(std::move(fields[1]));
  }
  return map_of_parts(map, keys, values);
}

}  // namespace penstock::expr
