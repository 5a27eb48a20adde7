// Functions of structs' fields, and of maps' keys and values.
#include <algorithm>
#include <map>

#include "base/ascii.hpp"
#include "expr/nested_rows.hpp"

namespace penstock::expr {
namespace {

using namespace nested_rows;

// Returns the field that a constant means: by its name in any case, or by its number from 1.
std::optional<std::size_t> field_meant(Type type, const Scalar& field) {
  const std::vector<std::string>& names = type.nested->names;
  if (field.is_null) return std::nullopt;
  if (field.type.kind != Kind::string) {
    const bool is_there =
        field.integer >= 1 && field.integer <= static_cast<Int128>(type.nested->types.size());
    return is_there ? std::optional(static_cast<std::size_t>(field.integer - 1)) : std::nullopt;
  }
  const auto exact = std::ranges::find(names, field.text);
  const auto found = exact != names.end() ? exact : std::ranges::find_if(names, [&](auto& name) {
    return lower(name) == lower(field.text);
  });
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Signature field_of_struct(const NestedCall& call) {
  if (call.types.size() != 2 || !is_struct(call.types[0]) || !call.constants[1])
    return std::nullopt;
  const auto field = field_meant(call.types[0], *call.constants[1]);
  if (!field) return std::nullopt;
  return NestedSignature{{call.types[0], call.types[1]}, call.types[0].nested->types[*field]};
}

Scalar extract_field(Inputs in, Type) {
  return std::move(fields_of(in[0])[*field_meant(in[0].type, in[1])]);
}

Signature names_of_struct(const NestedCall& call) {
  if (call.types.size() != 1 || !is_struct(call.types[0])) return std::nullopt;
  return NestedSignature{{call.types[0]}, list_of(text_type)};
}

Scalar struct_keys(Inputs in, Type result) {
  Scalars names;
  for (const std::string& name : in[0].type.nested->names) names.push_back(Scalar::of(name));
  return list_of_parts(result, names);
}

Signature values_of_struct(const NestedCall& call) {
  if (call.types.size() != 1 || !is_struct(call.types[0])) return std::nullopt;
  const std::vector<Type>& types = call.types[0].nested->types;
  return NestedSignature{{call.types[0]}, struct_of(std::vector<std::string>(types.size()), types)};
}

Scalar struct_values(Inputs in, Type result) { return Scalar::of(result, in[0].text); }

bool is_of_map(const NestedCall& call, std::size_t count) {
  return call.types.size() == count && is_map(call.types[0]);
}
Type key_of(Type map) { return map.nested->types[0]; }
Type value_of(Type map) { return map.nested->types[1]; }

template <std::size_t part> Signature list_of_map(const NestedCall& call) {
  if (!is_of_map(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0]}, list_of(call.types[0].nested->types[part])};
}

template <std::size_t part> Scalar parts_of_map(Inputs in, Type result) {
  Scalars parts;
  for (const Scalar& entry : elements_of(in[0])) parts.push_back(fields_of(entry)[part]);
  return list_of_parts(result, parts);
}

Signature entries_of_map(const NestedCall& call) {
  if (!is_of_map(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0]}, list_of(column::entry_of(call.types[0]))};
}

Scalar map_entries(Inputs in, Type result) { return Scalar::of(result, in[0].text); }

Signature count_of_map(const NestedCall& call) {
  if (!is_of_map(call, 1)) return std::nullopt;
  return NestedSignature{{call.types[0]}, Type{Kind::uint64}};
}

Scalar cardinality(Inputs in, Type result) { return size_of(result, elements_of(in[0]).size()); }

std::optional<Scalar> value_at(const Scalar& map, const Scalar& key) {
  if (key.is_null) return std::nullopt;
  const std::string wanted = sort_bytes(key);
  for (const Scalar& entry : elements_of(map)) {
    Scalars fields = fields_of(entry);
    if (sort_bytes(fields[0]) == wanted) return std::move(fields[1]);
  }
  return std::nullopt;
}

Signature value_by_key(const NestedCall& call) {
  if (!is_of_map(call, 2)) return std::nullopt;
  return NestedSignature{{call.types[0], key_of(call.types[0])}, value_of(call.types[0])};
}

Scalar map_value(Inputs in, Type result) {
  return value_at(in[0], in[1]).value_or(Scalar::null_of(result));
}

Signature values_by_key(const NestedCall& call) {
  if (!is_of_map(call, 2)) return std::nullopt;
  return NestedSignature{{call.types[0], key_of(call.types[0])}, list_of(value_of(call.types[0]))};
}

// A list of the value, or of nothing.
Scalar map_extract(Inputs in, Type result) {
  const auto value = value_at(in[0], in[1]);
  return list_of_parts(result, value ? Scalars{*value} : Scalars());
}

Signature truth_by_key(const NestedCall& call) {
  if (!is_of_map(call, 2)) return std::nullopt;
  return NestedSignature{{call.types[0], key_of(call.types[0])}, truth_type};
}

Scalar map_contains(Inputs in, Type) { return truth(value_at(in[0], in[1]).has_value()); }

Signature all_maps(const NestedCall& call) {
  for (const Type type : call.types)
    if (!is_map(type) || !(type == call.types[0])) return std::nullopt;
  if (call.types.empty()) return std::nullopt;
  return NestedSignature{{call.types.begin(), call.types.end()}, call.types[0]};
}

// A key has the value of the last map, at its place in the first one.
Scalar map_concat(Inputs in, Type result) {
  std::map<std::string, std::size_t> places;
  Scalars entries;
  bool has_map = false;
  for (const Scalar& map : in) {
    if (map.is_null) continue;
    has_map = true;
    for (Scalar& entry : elements_of(map)) {
      const auto [at, is_new] = places.try_emplace(sort_bytes(fields_of(entry)[0]), entries.size());
      if (is_new)
        entries.push_back(std::move(entry));
      else
        entries[at->second] = std::move(entry);
    }
  }
  return has_map ? list_of_parts(result, entries) : Scalar::null_of(result);
}

}  // namespace

std::vector<NestedFunction> field_rows() {
  return {
      {.sql_names = {"struct_extract", "struct_extract_at", "array_extract", "element_at"},
       .signature = field_of_struct,
       .host = extract_field,
       .yields_null = true},
      {.sql_names = {"struct_keys"}, .signature = names_of_struct, .host = struct_keys},
      {.sql_names = {"struct_values"}, .signature = values_of_struct, .host = struct_values},
      {.sql_names = {"map_keys"}, .signature = list_of_map<0>, .host = parts_of_map<0>},
      {.sql_names = {"map_values"}, .signature = list_of_map<1>, .host = parts_of_map<1>},
      {.sql_names = {"map_entries"}, .signature = entries_of_map, .host = map_entries},
      {.sql_names = {"cardinality", "len", "length"},
       .signature = count_of_map,
       .host = cardinality},
      {.sql_names = {"map_extract_value"},
       .signature = value_by_key,
       .host = map_value,
       .yields_null = true},
      {.sql_names = {"map_extract", "element_at"}, .signature = values_by_key, .host = map_extract},
      {.sql_names = {"map_contains"}, .signature = truth_by_key, .host = map_contains},
      {.sql_names = {"map_concat"},
       .signature = all_maps,
       .host = map_concat,
       .takes_nulls = true,
       .yields_null = true},
  };
}

}  // namespace penstock::expr
