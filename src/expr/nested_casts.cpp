#include "expr/nested_casts.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "expr/construction.hpp"
#include "expr/nested_functions.hpp"
#include "expr/nested_values.hpp"

namespace penstock::expr {
namespace {

bool is_row(Type type) {
  return is_struct(type) && std::ranges::all_of(type.nested->names, &std::string::empty);
}

// The fields of the source by those of the target: by name, or by place if one side has no names.
// Nothing stands for a field that the source lacks.
std::vector<std::optional<std::size_t>> sources_of(Type from, Type to) {
  const bool by_place = is_row(from) || is_row(to);
  std::vector<std::optional<std::size_t>> sources;
  for (std::size_t i = 0; i < to.nested->types.size(); i++) {
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < from.nested->types.size(); k++) {
      const bool is_it =
          by_place ? i == k : lower(from.nested->names[k]) == lower(to.nested->names[i]);
      if (is_it && !found) found = k;
    }
    sources.push_back(found);
  }
  return sources;
}

bool is_struct_cast(Type from, Type to) {
  if ((is_row(from) || is_row(to)) && from.nested->types.size() != to.nested->types.size())
    return false;
  const auto sources = sources_of(from, to);
  bool has_one = false;
  for (std::size_t i = 0; i < sources.size(); i++) {
    if (!sources[i]) continue;
    has_one = true;
    if (!is_nested_cast(from.nested->types[*sources[i]], to.nested->types[i])) return false;
  }
  return has_one;
}

// Casts each of some parts to the type beside it.
std::optional<Scalars> cast_parts(const Scalars& parts, Type to, bool is_try) {
  Scalars cast;
  for (const Scalar& part : parts) {
    auto value = cast_nested_value(part, to, is_try);
    if (!value && !is_try) return std::nullopt;
    cast.push_back(value ? *std::move(value) : Scalar::null_of(to));
  }
  return cast;
}

std::optional<Scalar> cast_struct(const Scalar& value, Type to, bool is_try) {
  const Scalars fields = fields_of(value);
  const auto sources = sources_of(value.type, to);
  Scalars cast;
  for (std::size_t i = 0; i < sources.size(); i++) {
    const Type type = to.nested->types[i];
    auto field = sources[i] ? cast_nested_value(fields[*sources[i]], type, is_try)
                            : std::optional(Scalar::null_of(type));
    if (!field && !is_try) return std::nullopt;
    cast.push_back(field ? *std::move(field) : Scalar::null_of(type));
  }
  return struct_of_parts(to, cast);
}

std::optional<Scalar> cast_map(const Scalar& value, Type to, bool is_try) {
  Scalars keys, values;
  for (const Scalar& entry : elements_of(value)) {
    Scalars fields = fields_of(entry);
    keys.push_back(std::move(fields[0]));
    values.push_back(std::move(fields[1]));
  }
  const auto cast_keys = cast_parts(keys, to.nested->types[0], false);
  const auto cast_values = cast_parts(values, to.nested->types[1], is_try);
  if (!cast_keys || !cast_values) return std::nullopt;
  return map_of_parts(to, *cast_keys, *cast_values);
}

std::optional<Scalar> cast_leaf(const Scalar& value, Type to) {
  if (is_text(to)) return Scalar::of(text_of(value));
  if (is_text(value.type)) return parse_value(to, value.text);
  EvaluatedScalar cast = cast_value(value, to);
  return cast.fault == Code::ok ? std::optional(std::move(cast.value)) : std::nullopt;
}

}  // namespace

bool is_nested_cast(Type from, Type to) {
  if (from == to) return true;
  if (is_text(to)) return true;
  if (is_text(from)) return is_nested(to) || is_readable_as_text(to);
  if (is_list(from) && is_list(to))
    return is_nested_cast(from.nested->types[0], to.nested->types[0]);
  if (is_struct(from) && is_struct(to)) return is_struct_cast(from, to);
  if (is_map(from) && is_map(to))
    return is_nested_cast(from.nested->types[0], to.nested->types[0]) &&
           is_nested_cast(from.nested->types[1], to.nested->types[1]);
  return !is_nested(from) && !is_nested(to) && is_castable(from, to);
}

std::optional<Scalar> cast_nested_value(const Scalar& value, Type to, bool is_try) {
  if (value.is_null) return Scalar::null_of(to);
  if (value.type == to) return value;
  if (is_text(value.type) && is_nested(to)) return parse_value(to, value.text, is_try);
  if (is_list(value.type) && is_list(to)) {
    const auto parts = cast_parts(elements_of(value), to.nested->types[0], is_try);
    return parts ? std::optional(list_of_parts(to, *parts)) : std::nullopt;
  }
  if (is_struct(value.type) && is_struct(to)) return cast_struct(value, to, is_try);
  if (is_map(value.type) && is_map(to)) return cast_map(value, to, is_try);
  return cast_leaf(value, to);
}

Result<NodeId> nested_cast(Builder& builder, NodeId input, Type to, bool is_try) {
  Construction c(*builder.graph());
  const Type from = c.type(input);
  if (c.is_null_literal(input)) return builder.literal(Scalar::null_of(to));
  if (!is_nested_cast(from, to))
    return Status(Code::unsupported, "cannot cast " + name_of(from) + " to " + name_of(to));
  const auto cast = [from, to, is_try](std::span<const Scalar> in) {
    Scalar value = in[0];
    value.type = from;
    return cast_nested_value(value, to, is_try);
  };
  const std::string name = is_try ? "try_cast" : "cast";
  NodeId fits =
      c.call(nested_custom(name + " to " + name_of(to) + " fits", {{from}, boolean_type},
                           [cast](std::span<const Scalar> in) {
                             return Scalar::of(boolean_type, Int128{cast(in).has_value()});
                           }),
             {input});
  if (!is_try) { PENSTOCK_ASSIGN(fits, builder.unary(Op::require, fits)); }
  const NodeId call =
      c.call(nested_custom(name, {{from}, to},
                           [cast, to](std::span<const Scalar> in) {
                             return cast(in).value_or(Scalar::of(to, std::string()));
                           }),
             {input});
  return builder.select(fits, call, builder.literal(Scalar::null_of(to)));
}

Result<NodeId> cast_value_of_any(Builder& builder, NodeId input, Type to) {
  const Type from = builder.type(input);
  if (from == to) return input;
  if (is_text(to)) return builder.cast_to_string(input);
  if (is_nested(from) || is_nested(to)) return nested_cast(builder, input, to, false);
  return is_text(from) ? builder.string_cast(input, to, false) : builder.cast(input, to);
}

}  // namespace penstock::expr
