#include "expr/nested_functions.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "expr/construction.hpp"
#include "expr/nested_casts.hpp"
#include "expr/nested_rows.hpp"

namespace penstock::expr {
namespace {

using Custom = std::shared_ptr<const CustomFunction>;

Type box_of(Type type) { return struct_of({""}, {type}); }

// A column's values come to a function without their logical types.
NestedHost with_types(const NestedCallee& callee) {
  std::vector<Type> types = callee.signature.inputs;
  for (std::size_t i = callee.boxed_from; i < types.size(); i++) types[i] = box_of(types[i]);
  return [host = callee.host, types = std::move(types), boxed_from = callee.boxed_from,
          result = callee.signature.result](std::span<const Scalar> in) {
    Scalars values(in.begin(), in.end());
    for (std::size_t i = 0; i < values.size(); i++) {
      values[i].type = types[i];
      if (i >= boxed_from) values[i] = fields_of(values[i])[0];
    }
    Scalar value = host(values);
    value.type = result;
    return value;
  };
}

// Kernels have no NULLs of a function's own: a value of the type stands for one.
Scalar or_zero(Scalar value, Type type) {
  if (!value.is_null) return value;
  if (type.kind != Kind::string)
    return is_float(type) ? Scalar::of(type, 0.0) : Scalar::of(type, Int128{0});
  return Scalar::of(type, std::string());
}

Custom made(const std::string& name, const NestedSignature& signature, NestedHost host) {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < signature.inputs.size(); i++)
    inputs.push_back("input" + std::to_string(i + 1));
  // The result's type belongs to the name: a source's columns are known by it.
  const bool says_type = is_nested(signature.result);
  return std::make_shared<const CustomFunction>(
      CustomFunction{says_type ? name + " as " + name_of(signature.result) : name,
                     std::move(inputs), signature.inputs, signature.result, "", std::move(host)});
}

Custom custom_of(const NestedCallee& callee, const std::string& name,
                 const NestedSignature& signature, NestedHost host) {
  return callee.is_shared ? nested_custom(name, signature, std::move(host))
                          : made(name, signature, std::move(host));
}

struct Found {
  const NestedFunction* row = nullptr;
  NestedSignature signature;
};

std::optional<Found> find_row(std::string_view name, const NestedCall& call) {
  for (const NestedFunction& row : nested_functions()) {
    if (std::ranges::find(row.sql_names, name) == row.sql_names.end()) continue;
    if (auto signature = row.signature(call)) return Found{&row, std::move(*signature)};
  }
  return std::nullopt;
}

}  // namespace

const std::vector<NestedFunction>& nested_functions() {
  static const std::vector<NestedFunction> table = [] {
    std::vector<NestedFunction> all;
    for (const auto& rows : {making_rows(), list_rows(), list_order_rows(), field_rows(),
                             series_rows(), list_aggregate_rows()})
      all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }();
  return table;
}

bool is_nested_function(std::string_view sql_name) {
  return std::ranges::any_of(nested_functions(), [&](const NestedFunction& row) {
    return std::ranges::find(row.sql_names, sql_name) != row.sql_names.end();
  });
}

Custom nested_custom(const std::string& name, const NestedSignature& signature, NestedHost host) {
  static std::mutex mutex;
  static std::map<std::string, Custom> functions;
  std::string key = name + " of";
  for (const Type type : signature.inputs) key += " " + name_of(type) + ",";
  key += " to " + name_of(signature.result);
  const std::scoped_lock lock(mutex);
  Custom& function = functions[key];
  if (!function) function = made(name, signature, std::move(host));
  return function;
}

Result<NodeId> call_host(Builder& builder, const NestedCallee& callee, std::vector<NodeId> inputs) {
  Construction c(*builder.graph());
  NestedSignature taken = callee.signature;
  for (std::size_t i = callee.boxed_from; i < inputs.size(); i++) {
    taken.inputs[i] = box_of(taken.inputs[i]);
    PENSTOCK_ASSIGN(inputs[i], boxed(builder, inputs[i]));
  }
  const NestedHost host = with_types(callee);
  const Type result = callee.signature.result;
  const bool is_constant =
      std::ranges::all_of(inputs, [&](NodeId input) { return c.parameter(input, true); });
  if (is_constant && callee.fault.empty())
    return c.call(custom_of(callee, callee.name, taken, host), std::move(inputs));
  const NodeId call = c.call(
      custom_of(callee, callee.name, taken,
                [host, result](std::span<const Scalar> in) { return or_zero(host(in), result); }),
      inputs);
  if (!callee.yields_null && callee.fault.empty()) return call;
  taken.result = boolean_type;
  NodeId is_there = c.call(custom_of(callee, callee.name + "_fits " + name_of(result), taken,
                                     [host](std::span<const Scalar> in) {
                                       return nested_rows::truth(!host(in).is_null);
                                     }),
                           std::move(inputs));
  if (!callee.fault.empty()) {
    PENSTOCK_ASSIGN(is_there, builder.require(is_there, std::string(callee.fault)));
  }
  return builder.select(is_there, call, builder.literal(Scalar::null_of(result)));
}

Result<NodeId> boxed(Builder& builder, NodeId input) {
  Construction c(*builder.graph());
  const Type type = c.type(input), box = box_of(type);
  const Scalar null = struct_of_parts(box, Scalars{Scalar::null_of(type)});
  if (const Scalar* known = c.parameter(input, true))
    return builder.graph()->parameter(known->is_null ? null
                                                     : struct_of_parts(box, std::span(known, 1)));
  const NodeId call =
      c.call(nested_custom("box", {{type}, box},
                           [box](std::span<const Scalar> in) { return struct_of_parts(box, in); }),
             {input});
  if (!builder.graph()->at(input).nullable) return call;
  return builder.variadic(Op::coalesce, {call, builder.graph()->parameter(null)});
}

Result<NodeId> list_part(Builder& builder, NodeId input) {
  Construction c(*builder.graph());
  const Type type = c.type(input);
  const Scalar null = Scalar::of(sort_bytes(Scalar::null_of(type)));
  if (const Scalar* known = c.parameter(input, true); known && known->is_null)
    return builder.graph()->parameter(null);
  const NodeId call = c.call(nested_custom("list_part", {{type}, nested_rows::text_type},
                                           [type](std::span<const Scalar> in) {
                                             Scalar value = in[0];
                                             value.type = type;
                                             return Scalar::of(sort_bytes(value));
                                           }),
                             {input});
  if (!builder.graph()->at(input).nullable) return call;
  return builder.variadic(Op::coalesce, {call, builder.graph()->parameter(null)});
}

Result<NodeId> list_of_joined_parts(Builder& builder, NodeId parts, Type list) {
  const auto close = [list](std::span<const Scalar> in) {
    std::string bytes = in[0].text;
    column::put_mark(bytes, column::PackedMark::end);
    return Scalar::of(list, std::move(bytes));
  };
  return Construction(*builder.graph())
      .call(nested_custom("list_of_parts", {{nested_rows::text_type}, list}, close), {parts});
}

Result<std::optional<NodeId>> call_nested(Builder& builder, std::string_view sql_name,
                                          std::vector<NodeId> inputs, std::optional<Type> stated) {
  Construction c(*builder.graph());
  std::vector<Type> types;
  std::vector<const Scalar*> constants;
  std::vector<Scalar> values;
  values.reserve(inputs.size());
  for (const NodeId input : inputs) {
    types.push_back(c.type(input));
    const Scalar* const known = c.parameter(input, true);
    constants.push_back(known ? &values.emplace_back(*known) : nullptr);
  }
  const auto found = find_row(sql_name, {types, constants, stated});
  if (!found) return std::optional<NodeId>();
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(inputs[i], cast_value_of_any(builder, inputs[i], found->signature.inputs[i]));
  }
  const NestedFunction& row = *found->row;
  NestedCallee callee{.name = std::string(row.sql_names[0]),
                      .signature = found->signature,
                      .boxed_from = row.takes_nulls ? 0 : NestedCallee::none,
                      .yields_null = row.yields_null,
                      .fault = row.fault};
  callee.host = [&row, result = found->signature.result](std::span<const Scalar> in) {
    return row.host(in, result);
  };
  PENSTOCK_ASSIGN(const NodeId node, call_host(builder, callee, std::move(inputs)));
  return std::optional(node);
}

namespace nested_rows {

std::optional<Type> meeting(Type a, Type b) {
  if (is_list(a) && is_list(b)) {
    const auto element_type = meeting(element(a), element(b));
    return element_type ? std::optional(list_of(*element_type)) : std::nullopt;
  }
  return meet(a, b, Meeting::comparison);
}

std::optional<Type> common_list(const NestedCall& call, std::size_t count) {
  if (count == 0 || !has_lists(call, count)) return std::nullopt;
  std::optional<Type> common = call.types[0];
  for (std::size_t i = 1; common && i < count; i++) common = meeting(*common, call.types[i]);
  return common;
}

}  // namespace nested_rows
}  // namespace penstock::expr
