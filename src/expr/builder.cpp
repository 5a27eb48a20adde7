#include <algorithm>
#include <array>

#include "base/suggest_name.hpp"
#include "expr/construction.hpp"
#include "expr/date_format.hpp"
#include "expr/string_casts.hpp"
#include "expr/string_functions.hpp"

namespace penstock {
namespace {

using namespace expr;

// "no function matches the given name and argument types 'lower(BIGINT)'; ...", as DuckDB words it.
Status no_match(std::string_view name, std::span<const Type> types) {
  std::string message =
      "no function matches the given name and argument types '" + std::string(name) + "(";
  for (std::size_t i = 0; i < types.size(); i++)
    message += (i == 0 ? "" : ", ") + name_of(types[i]);
  message += ")'";
  for (const StringFunction& row : string_functions())
    if (row.name == name) message += "; the candidate is " + signature_of(row);
  return {Code::invalid, message};
}

// Asks the function's row whether it takes its constants.
Status check_constants(const Graph& graph, std::string_view name, std::span<const NodeId> inputs) {
  const auto row = std::ranges::find(string_functions(), name, &StringFunction::name);
  if (row == string_functions().end() || row->check == nullptr) return {};
  std::vector<Scalar> constants;
  for (const NodeId input : inputs) {
    const Node& node = graph.at(input);
    const bool is_later_column = node.op != Op::parameter && !constants.empty();
    if (is_later_column && row->fits != nullptr) return {};  // found in each row
    if (is_later_column)
      return {Code::unsupported,
              std::string(name) + " with a second input that is not a constant is not supported"};
    constants.push_back(node.op == Op::parameter ? graph.parameters[node.payload]
                                                 : Scalar::null_of(node.type));
  }
  return row->check(constants);
}

}  // namespace

Builder::Builder(Schema schema, std::shared_ptr<Graph> graph)
    : schema_(std::move(schema)), graph_(std::move(graph)) {}

Result<NodeId> Builder::column(std::string_view name) {
  if (const auto index = find_field(schema_, name)) return column(*index);
  std::vector<std::string> known;
  for (const Field& field : schema_) known.push_back(field.name);
  std::string candidates;
  for (const std::string& near : nearest_names(name, known))
    candidates += (candidates.empty() ? "; candidates: '" : ", '") + near + "'";
  return Status(Code::invalid, "no column '" + std::string(name) + "'" + candidates);
}

NodeId Builder::column(std::uint32_t index) {
  return graph_->add({Op::column, schema_[index].type, schema_[index].nullable, index, {}});
}

NodeId Builder::literal(Scalar value) {
  return graph_->parameter(std::move(value), ParameterOrigin::literal);
}
NodeId Builder::captured(Scalar value) {
  return graph_->parameter(std::move(value), ParameterOrigin::captured);
}

Result<NodeId> Builder::unary(Op op, NodeId input) {
  Construction c(*graph_);
  const Type type = c.type(input);
  if (op == Op::is_null) return graph_->add({op, boolean_type, false, 0, {input}});
  if (op == Op::negate) return negate(c, *graph_, input);
  if (op == Op::absolute)
    return is_numeric(type) ? Result<NodeId>(c.add(op, type, {input})) : cannot(op, {type});
  if (op == Op::bit_not)
    return is_integer(type) ? Result<NodeId>(c.add(op, type, {input})) : cannot(op, {type});
  if (op == Op::not_) {
    PENSTOCK_ASSIGN(const NodeId condition, to_boolean(c, op, input));
    return c.add(op, boolean_type, {condition});
  }
  if (is_rounding(op)) return rounding(c, op, input);
  if (is_date_part(op)) {
    return is_date_or_timestamp(type) ? Result<NodeId>(c.add(op, int64_type, {input}))
                                      : cannot(op, {type});
  }
  if (is_date_start(op) || op == Op::epoch_microseconds) {
    const Type result = is_date_start(op) ? timestamp_type : int64_type;
    if (!is_date_or_timestamp(type)) return cannot(op, {type});
    return c.add(op, result, {c.cast(input, timestamp_type)});
  }
  if (op == Op::high_half || op == Op::low_half) {
    const Type half{op == Op::high_half ? Kind::int64 : Kind::uint64};
    const bool is_wide = type.kind != Kind::string && width_bytes(type) > 8;
    return is_wide ? Result<NodeId>(c.add(op, half, {input})) : cannot(op, {type});
  }
  if (op == Op::require) {
    PENSTOCK_ASSIGN(const NodeId condition, to_boolean(c, op, input));
    return c.add(op, boolean_type, {condition});
  }
  if (!is_float_function(op))
    return Status(Code::internal, std::string(name_of(op)) + " does not take one input");
  return is_numeric(type) ? Result<NodeId>(c.add(op, float64_type, {c.cast(input, float64_type)}))
                          : cannot(op, {type});
}

Result<NodeId> Builder::unary_as(Op op, NodeId input, Type type) {
  PENSTOCK_ASSIGN(const NodeId converted, cast(input, type));
  return is_float_function(op) && is_float(type)
             ? Result<NodeId>(Construction(*graph_).add(op, type, {converted}))
             : unary(op, converted);
}

Result<NodeId> Builder::binary(Op op, NodeId left, NodeId right) {
  Construction c(*graph_);
  if (is_comparison(op)) return compare_nodes(c, op, left, right);
  if (row_of(op).kind == OperationKind::connective) {
    PENSTOCK_ASSIGN(const NodeId a, to_boolean(c, op, left));
    PENSTOCK_ASSIGN(const NodeId b, to_boolean(c, op, right));
    return graph_->add({op, boolean_type, false, 0, {a, b}});
  }
  const OperationKind kind = row_of(op).kind;
  if (kind == OperationKind::arithmetic) return arithmetic(c, op, left, right);
  if (kind == OperationKind::bits || kind == OperationKind::shift) return bits(c, op, left, right);
  if (kind != OperationKind::power)
    return Status(Code::internal, std::string(name_of(op)) + " does not take two inputs");
  if (!is_numeric(c.type(left)) || !is_numeric(c.type(right)))
    return cannot(op, {c.type(left), c.type(right)});
  return c.add(op, float64_type, {c.cast(left, float64_type), c.cast(right, float64_type)});
}

Result<NodeId> Builder::cast(NodeId input, Type type) {
  Construction c(*graph_);
  const Type from = c.type(input);
  if (type.kind == Kind::decimal &&
      (type.precision < 1 || type.precision > max_wide_digits || type.scale > type.precision))
    return Status(Code::unsupported,
                  name_of(type) + " is not computed with: decimals have 1 to 38 digits");
  if (!c.is_null_literal(input) && !is_castable(from, type)) {
    const bool with_string = from.kind == Kind::string || type.kind == Kind::string;
    return Status(with_string ? Code::unsupported : Code::invalid,
                  "cannot cast " + name_of(from) + " to " + name_of(type));
  }
  if (from == type && c.parameter(input))
    return graph_->parameter(*c.parameter(input));  // no longer adapts
  return c.cast(input, type);
}

Result<NodeId> Builder::select(NodeId condition, NodeId then, NodeId otherwise) {
  Construction c(*graph_);
  PENSTOCK_ASSIGN(const NodeId chosen, to_boolean(c, Op::select, condition));
  std::array branches{then, otherwise};
  PENSTOCK_ASSIGN(const Type type, unify(c, Op::select, branches));
  return graph_->add({Op::select, type, false, 0, {chosen, branches[0], branches[1]}});
}

Result<NodeId> Builder::first_true(std::span<const NodeId> conditions, std::vector<NodeId> values) {
  if (values.size() != conditions.size() + 1)
    return Status(Code::internal, "a choice needs one value more than conditions");
  Construction c(*graph_);
  std::rotate(values.begin(), values.end() - 1,
              values.end());  // the type is found from the last one on, as in DuckDB
  PENSTOCK_TRY(unify(c, Op::select, values));
  NodeId result = values[0];
  for (std::size_t i = conditions.size(); i-- > 0;) {
    PENSTOCK_ASSIGN(result, select(conditions[i], values[i + 1], result));
  }
  return result;
}

Result<NodeId> Builder::variadic(Op op, std::vector<NodeId> inputs) {
  if (inputs.empty()) return Status(Code::invalid, std::string(name_of(op)) + " needs an input");
  if (row_of(op).kind != OperationKind::list)
    return Status(Code::internal, std::string(name_of(op)) + " does not take a list of inputs");
  Construction c(*graph_);
  PENSTOCK_ASSIGN(const Type type, unify(c, op, inputs));
  return inputs.size() == 1 ? inputs[0] : graph_->add({op, type, false, 0, std::move(inputs)});
}

// The function's row is found by its name in plans ("like"), not by SQL's.
Result<NodeId> Builder::string_function(std::string_view name, std::vector<NodeId> inputs) {
  Construction c(*graph_);
  const std::shared_ptr<const CustomFunction> function = expr::string_function(name, inputs.size());
  const auto takes = [&](std::size_t i) {
    return c.is_null_literal(inputs[i]) ||
           takes_type(function->parameter_types[i], c.type(inputs[i]));
  };
  bool is_match = function != nullptr;
  for (std::size_t i = 0; is_match && i < inputs.size(); i++) is_match = takes(i);
  if (!is_match) {
    std::vector<Type> types;
    for (const NodeId input : inputs) types.push_back(c.type(input));
    return no_match(name, types);
  }
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(inputs[i], cast(inputs[i], function->parameter_types[i]));
  }
  PENSTOCK_TRY(check_constants(*graph_, name, inputs));
  const NodeId called = c.call(function, inputs);
  return with_fault(name, called, std::move(inputs));
}

// A call whose inputs have no value is a fault, or NULL.
Result<NodeId> Builder::with_fault(std::string_view name, NodeId call, std::vector<NodeId> inputs) {
  const std::shared_ptr<const CustomFunction> fits = string_function_fits(name);
  if (!fits) return call;
  const auto row = std::ranges::find(string_functions(), name, &StringFunction::name);
  Construction c(*graph_);
  NodeId is_there = c.call(fits, std::move(inputs));
  const Scalar* const known = c.parameter(is_there, true);
  if (known && (known->is_null || known->integer != 0)) return call;
  if (!row->fault.empty()) {
    PENSTOCK_ASSIGN(is_there, require(is_there, std::string(row->fault)));
  }
  return select(is_there, call, literal(Scalar::null_of(type(call))));
}

Result<NodeId> Builder::string_cast(NodeId input, Type type, bool is_try) {
  Construction c(*graph_);
  if (!is_text(c.type(input)) || !is_castable_from_string(type))
    return Status(Code::unsupported,
                  "cannot cast " + name_of(c.type(input)) + " to " + name_of(type));
  NodeId fits = c.call(string_fits(type), {input});
  if (!is_try) { PENSTOCK_ASSIGN(fits, unary(Op::require, fits)); }
  return select(fits, c.call(string_as(type), {input}), literal(Scalar::null_of(type)));
}

Result<NodeId> Builder::from_halves(NodeId high, NodeId low, Type type) {
  Construction c(*graph_);
  const Type huge{Kind::int128};
  if (type.kind == Kind::string || width_bytes(type) <= 8) return cannot(Op::from_halves, {type});
  PENSTOCK_ASSIGN(const NodeId wide_high, cast(high, huge));
  PENSTOCK_ASSIGN(const NodeId wide_low, cast(low, huge));
  return c.add(Op::from_halves, type, {wide_high, wide_low});
}

Result<NodeId> Builder::require(NodeId condition, std::string message) {
  PENSTOCK_ASSIGN(const NodeId node, unary(Op::require, condition));
  graph_->sites.insert_or_assign(node, Site{-1, std::move(message), true});
  return node;
}

Result<NodeId> Builder::date_format(NodeId input, std::string format) {
  Construction c(*graph_);
  const Type type = c.type(input);
  if (c.is_null_literal(input)) return literal(Scalar::null_of({Kind::string}));
  if (!is_date_or_timestamp(type))
    return Status(Code::invalid, "strftime takes a DATE or a TIMESTAMP, not " + name_of(type));
  PENSTOCK_TRY(check_date_format(format));
  return c.call(date_format_function(type), {input, literal(Scalar::of(std::move(format)))});
}

Result<NodeId> Builder::cast_to_string(NodeId input) {
  Construction c(*graph_);
  if (is_text(c.type(input))) return input;
  if (c.is_null_literal(input)) return literal(Scalar::null_of({Kind::string}));
  return c.call(string_from(c.type(input)), {input});
}

Result<NodeId> Builder::custom(std::shared_ptr<const CustomFunction> function,
                               std::vector<NodeId> inputs) {
  if (inputs.size() != function->parameter_types.size())
    return Status(Code::invalid, function->name + " takes " +
                                     std::to_string(function->parameter_types.size()) +
                                     " inputs, not " + std::to_string(inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); i++) {
    Result<NodeId> converted = cast(inputs[i], function->parameter_types[i]);
    PENSTOCK_TRY(converted.with("for " + function->parameter_names[i] + " of " + function->name));
    inputs[i] = *converted;
  }
  return graph_->add(
      {Op::custom, function->result_type, false, graph_->custom(function), std::move(inputs)});
}

}  // namespace penstock
