// Functions that make lists, structs and maps of values.
#include <algorithm>

#include "expr/nested_rows.hpp"

namespace penstock::expr {
namespace {

using namespace nested_rows;

// The elements' type is the one that a planner states, or that in which all inputs meet.
Signature list_of_inputs(const NestedCall& call) {
  std::optional<Type> type;
  if (call.stated && is_list(*call.stated)) type = element(*call.stated);
  if (!type && !call.types.empty()) type = call.types[0];
  for (std::size_t i = 0; !call.stated && type && i < call.types.size(); i++)
    if (!(call.constants[i] && call.constants[i]->is_null)) type = meeting(*type, call.types[i]);
  if (!type) return std::nullopt;
  return NestedSignature{std::vector<Type>(call.types.size(), *type), list_of(*type)};
}

Scalar make_list(Inputs in, Type result) { return list_of_parts(result, in); }

// The fields' names are those that a planner states; the fields of row() have none.
Signature struct_of_inputs(const NestedCall& call) {
  if (call.types.empty()) return std::nullopt;
  const bool is_stated = call.stated && is_struct(*call.stated) &&
                         call.stated->nested->types.size() == call.types.size();
  if (is_stated) return NestedSignature{call.stated->nested->types, *call.stated};
  const std::vector<Type> types(call.types.begin(), call.types.end());
  return NestedSignature{types, struct_of(std::vector<std::string>(types.size()), types)};
}

Signature named_struct(const NestedCall& call) {
  return call.stated ? struct_of_inputs(call) : std::nullopt;
}

Scalar make_struct(Inputs in, Type result) { return struct_of_parts(result, in); }

// A struct, and values that stand behind its fields.
Signature struct_with_more(const NestedCall& call) {
  if (call.types.empty() || !is_struct(call.types[0]) || !call.stated || !is_struct(*call.stated))
    return std::nullopt;
  const std::vector<Type>& types = call.stated->nested->types;
  const std::size_t before = call.types[0].nested->types.size();
  if (types.size() != before + call.types.size() - 1) return std::nullopt;
  std::vector<Type> inputs{call.types[0]};
  inputs.insert(inputs.end(), types.begin() + static_cast<std::ptrdiff_t>(before), types.end());
  return NestedSignature{std::move(inputs), *call.stated};
}

Scalar insert_fields(Inputs in, Type result) {
  Scalars fields = fields_of(in[0]);
  fields.insert(fields.end(), in.begin() + 1, in.end());
  return struct_of_parts(result, fields);
}

Signature all_structs(const NestedCall& call) {
  if (call.types.empty() || !std::ranges::all_of(call.types, is_struct)) return std::nullopt;
  std::vector<std::string> names;
  std::vector<Type> types;
  for (const Type type : call.types) {
    names.insert(names.end(), type.nested->names.begin(), type.nested->names.end());
    types.insert(types.end(), type.nested->types.begin(), type.nested->types.end());
  }
  return NestedSignature{{call.types.begin(), call.types.end()},
                         struct_of(std::move(names), std::move(types))};
}

Scalar join_structs(Inputs in, Type result) {
  Scalars fields;
  for (const Scalar& value : in)
    for (Scalar& field : fields_of(value)) fields.push_back(std::move(field));
  return struct_of_parts(result, fields);
}

Signature map_of_lists(const NestedCall& call) {
  if (call.types.empty() && call.stated && is_map(*call.stated))
    return NestedSignature{{}, *call.stated};
  if (call.types.size() != 2 || !has_lists(call, 2)) return std::nullopt;
  if (call.stated && is_map(*call.stated)) {
    const std::vector<Type>& types = call.stated->nested->types;
    return NestedSignature{{list_of(types[0]), list_of(types[1])}, *call.stated};
  }
  return NestedSignature{{call.types[0], call.types[1]},
                         map_of(element(call.types[0]), element(call.types[1]))};
}

Scalar make_map(Inputs in, Type result) {
  if (in.empty()) return list_of_parts(result, {});
  const Scalars keys = elements_of(in[0]), values = elements_of(in[1]);
  if (keys.size() != values.size()) return Scalar::null_of(result);
  return map_of_parts(result, keys, values).value_or(Scalar::null_of(result));
}

Signature list_of_pairs(const NestedCall& call) {
  if (call.types.size() != 1 || !has_lists(call, 1)) return std::nullopt;
  const Type entry = element(call.types[0]);
  if (!is_struct(entry) || entry.nested->types.size() != 2) return std::nullopt;
  return NestedSignature{{call.types[0]}, map_of(entry.nested->types[0], entry.nested->types[1])};
}

// An entry that is NULL is left out.
Scalar map_from_entries(Inputs in, Type result) {
  Scalars entries;
  for (Scalar& entry : elements_of(in[0]))
    if (!entry.is_null) entries.push_back(std::move(entry));
  return map_of_entries(result, entries).value_or(Scalar::null_of(result));
}

constexpr std::string_view bad_keys =
    "map keys are NULL, or repeat, or differ from values in count";

}  // namespace

std::vector<NestedFunction> making_rows() {
  return {
      {.sql_names = {"list_value", "list_pack", "unpivot_list"},
       .signature = list_of_inputs,
       .host = make_list,
       .takes_nulls = true},
      {.sql_names = {"struct_pack"},
       .signature = named_struct,
       .host = make_struct,
       .takes_nulls = true},
      {.sql_names = {"row"},
       .signature = struct_of_inputs,
       .host = make_struct,
       .takes_nulls = true},
      {.sql_names = {"struct_insert"},
       .signature = struct_with_more,
       .host = insert_fields,
       .takes_nulls = true},
      {.sql_names = {"struct_concat"},
       .signature = all_structs,
       .host = join_structs,
       .takes_nulls = true},
      {.sql_names = {"map"}, .signature = map_of_lists, .host = make_map, .fault = bad_keys},
      {.sql_names = {"map_from_entries"},
       .signature = list_of_pairs,
       .host = map_from_entries,
       .fault = bad_keys},
  };
}

}  // namespace penstock::expr
