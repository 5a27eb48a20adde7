#include <algorithm>
#include <array>

#include "expr/operation.hpp"
#include "expr/value.hpp"
#include "penstock/expression.hpp"
#include "penstock/promotion.hpp"

namespace penstock {
namespace {

using namespace expr;

constexpr Type boolean_type{Kind::boolean}, int32_type{Kind::int32}, int64_type{Kind::int64},
    float64_type{Kind::float64};

Status cannot(Op op, std::initializer_list<Type> types) {
  std::string text = "cannot " + std::string(verb_of(op));
  std::size_t i = 0;
  for (Type type : types) text += (i++ == 0 ? " " : " and ") + name_of(type);
  return {Code::invalid, text};
}

Status needs_huge(Op op, Type a, Type b) {
  return {Code::unsupported,
          std::string(cannot(op, {a, b}).message()) +
              ": the result is HUGEINT, which is not computed with; cast one side to the other's type"};
}

Status needs_scale(Op op, Type a, Type b) {
  return {Code::unsupported,
          std::string(cannot(op, {a, b}).message()) + ": the result has more than 18 decimal places"};
}

// One construction: nodes go into `graph`; literals adapt on the way.
class Construction {
 public:
  explicit Construction(Graph& graph) : graph_(graph) {}

  Type type(NodeId id) const { return graph_.at(id).type; }
  const Scalar* parameter(NodeId id, bool also_fixed = false) const {
    const Node& node = graph_.at(id);
    if (node.op != Op::parameter) return nullptr;
    const ParameterOrigin origin = graph_.parameter_origins[node.payload];
    const bool wanted = origin == ParameterOrigin::literal || (also_fixed && origin == ParameterOrigin::fixed);
    return wanted ? &graph_.parameters[node.payload] : nullptr;
  }
  bool is_null_literal(NodeId id) const { const Scalar* value = parameter(id); return value && value->is_null; }

  // Adds a strict operation; of constants alone it is computed here, unless that faults: then where it is used.
  NodeId add(Op op, Type result, std::vector<NodeId> inputs) {
    const Node node{op, result, false, 0, std::move(inputs)};
    std::vector<Scalar> values;
    for (NodeId input : node.inputs)
      if (const Scalar* value = parameter(input, true)) values.push_back(*value);
    if (values.size() < node.inputs.size()) return graph_.add(node);
    if (std::any_of(values.begin(), values.end(), [](const Scalar& value) { return value.is_null; }))
      return graph_.parameter(Scalar::null_of(result));
    Outcome outcome = apply(graph_, node, values);
    return outcome.fault == Code::ok ? graph_.parameter(std::move(outcome.value)) : graph_.add(node);
  }

  NodeId cast(NodeId id, Type to) {
    if (type(id) == to) return id;
    return is_null_literal(id) ? graph_.parameter(Scalar::null_of(to)) : add(Op::cast, to, {id});
  }

  // A decimal's scale only: its digits may stay as they are, 18 at most.
  NodeId rescale(NodeId id, int scale) {
    const Type from = type(id).kind == Kind::decimal ? type(id) : Type::decimal(integer_digits(type(id).kind), 0);
    if (type(id).kind == Kind::decimal && from.scale == scale) return id;
    return cast(id, Type::decimal(std::clamp(from.precision + scale - from.scale, 1, max_decimal_digits), scale));
  }

  // Literals take the type of what they meet where their value fits; the types they are then treated as.
  void adapt(std::span<NodeId> ids) {
    std::optional<Type> fixed;
    for (NodeId id : ids)
      if (!parameter(id)) fixed = fixed ? meet(*fixed, type(id), Meeting::comparison).value_or(*fixed) : type(id);
    const std::optional<Type> other = fixed ? fixed : first_present(ids);
    for (NodeId& id : ids)
      if (const Scalar* value = parameter(id); value && other) id = adapted(id, *value, fixed, *other);
  }

 private:
  std::optional<Type> first_present(std::span<const NodeId> ids) const {
    for (NodeId id : ids)
      if (!is_null_literal(id)) return type(id);
    return std::nullopt;
  }

  NodeId adapted(NodeId id, const Scalar& value, std::optional<Type> fixed, Type other) {
    if (value.is_null) return graph_.parameter(Scalar::null_of(other));
    if (!fixed || !is_integer(value.type) || !is_integer(other)) return id;
    const Range range = range_of(other);
    return value.integer < range.minimum || value.integer > range.maximum ? id : cast(id, other);
  }

  Graph& graph_;
};

Result<NodeId> to_boolean(Construction& c, Op op, NodeId id) {
  if (!c.is_null_literal(id) && !is_castable(c.type(id), boolean_type)) return cannot(op, {c.type(id)});
  return c.cast(id, boolean_type);
}

Result<NodeId> date_arithmetic(Construction& c, Op op, NodeId left, NodeId right) {
  const Type a = c.type(left), b = c.type(right);
  if (op == Op::add && a.kind != Kind::date32 && b.kind == Kind::date32) return date_arithmetic(c, op, right, left);
  if (a.kind != Kind::date32 || (op != Op::add && op != Op::subtract)) return cannot(op, {a, b});
  if (op == Op::subtract && b.kind == Kind::date32) return c.add(op, int64_type, {left, right});
  const std::optional<Type> days = is_integer(b) ? meet(b, int32_type, Meeting::arithmetic) : std::nullopt;
  if (!days || days->kind != Kind::int32)
    return Status(Code::invalid, std::string(cannot(op, {a, b}).message()) + ": days are added to a date as INTEGER");
  return c.add(op, a, {left, c.cast(right, int32_type)});
}

Result<NodeId> decimal_arithmetic(Construction& c, Op op, NodeId left, NodeId right, Type met) {
  const Type a = c.type(left), b = c.type(right);
  if (op == Op::multiply) {
    left = c.rescale(left, a.kind == Kind::decimal ? a.scale : 0);
    right = c.rescale(right, b.kind == Kind::decimal ? b.scale : 0);
    const int scale = c.type(left).scale + c.type(right).scale;
    if (scale > max_decimal_digits) return needs_scale(op, a, b);
    const int precision = c.type(left).precision + c.type(right).precision;
    return c.add(op, Type::decimal(std::min(precision, max_decimal_digits), scale), {left, right});
  }
  left = c.rescale(left, met.scale);
  right = c.rescale(right, met.scale);
  const int precision = met.precision + (op == Op::modulo ? 0 : 1);
  return c.add(op, Type::decimal(std::min(precision, max_decimal_digits), met.scale), {left, right});
}

Result<NodeId> arithmetic(Construction& c, Op op, NodeId left, NodeId right) {
  std::array ids{left, right};
  const auto is_moment = [&](NodeId id) {
    return c.type(id).kind == Kind::date32 || c.type(id).kind == Kind::timestamp;
  };
  if (is_moment(left) != is_moment(right) && (c.parameter(left) || c.parameter(right)) &&
      !c.is_null_literal(left) && !c.is_null_literal(right)) {
    // date + 1: the literal is days, and fits INTEGER or not.
    NodeId& days = is_moment(left) ? ids[1] : ids[0];
    const Scalar* value = c.parameter(days);
    if (value && is_integer(value->type) && cast_value(*value, int32_type).fault == Code::ok)
      days = c.cast(days, int32_type);
  } else {
    c.adapt(ids);
  }
  const Type a = c.type(ids[0]), b = c.type(ids[1]);
  if (is_moment(ids[0]) || is_moment(ids[1])) return date_arithmetic(c, op, ids[0], ids[1]);
  if (!is_numeric(a) || !is_numeric(b)) return cannot(op, {a, b});
  const std::optional<Type> met = meet(a, b, Meeting::arithmetic);
  if (!met) return cannot(op, {a, b});
  const bool divides = op == Op::divide || (op == Op::integer_divide && !(is_integer(a) && is_integer(b)));
  if (divides || is_float(*met)) {
    const Type type = is_float(*met) ? *met : float64_type;
    return c.add(divides ? Op::divide : op, type, {c.cast(ids[0], type), c.cast(ids[1], type)});
  }
  if (met->kind == Kind::int128) return needs_huge(op, a, b);
  if (met->kind == Kind::decimal) return decimal_arithmetic(c, op, ids[0], ids[1], *met);
  return c.add(op, *met, {c.cast(ids[0], *met), c.cast(ids[1], *met)});
}

Result<NodeId> bits(Construction& c, Op op, NodeId left, NodeId right) {
  std::array ids{left, right};
  c.adapt(ids);
  const Type a = c.type(ids[0]), b = c.type(ids[1]);
  if (!is_integer(a) || !is_integer(b)) return cannot(op, {a, b});
  const Type met = meet(a, b, Meeting::arithmetic).value_or(a);
  if (met.kind == Kind::int128) return needs_huge(op, a, b);
  return c.add(op, met, {c.cast(ids[0], met), c.cast(ids[1], met)});
}

Result<NodeId> compare_nodes(Construction& c, Op op, NodeId left, NodeId right) {
  std::array ids{left, right};
  c.adapt(ids);
  for (std::size_t i = 0; i < 2; i++) {   // a boolean beside a float or a decimal is 0 or 1, here only
    const Type other = c.type(ids[1 - i]);
    if (c.type(ids[i]) == boolean_type && (is_float(other) || other.kind == Kind::decimal))
      ids[i] = c.cast(ids[i], {Kind::int8});
  }
  const Type a = c.type(ids[0]), b = c.type(ids[1]);
  const bool equality = op == Op::equal || op == Op::not_equal;
  if (a.kind == Kind::string && b.kind == Kind::string && !equality)
    return Status(Code::unsupported, "strings can be compared with = and <> only");
  const std::optional<Type> met = meet(a, b, Meeting::comparison);
  if (!met) return cannot(op, {a, b});
  if (met->kind == Kind::int128) {   // a signed integer with UBIGINT: by value
    for (NodeId& id : ids) id = c.cast(id, is_signed(c.type(id)) ? int64_type : Type{Kind::uint64});
  } else if (met->kind == Kind::decimal && met->precision > max_decimal_digits) {
    // Rescaling could overflow: the kernel compares by value what stands as 64 bits.
    for (NodeId& id : ids)
      if (is_integer(c.type(id)) && c.type(id).kind != Kind::uint64) id = c.cast(id, int64_type);
  } else if (met->kind == Kind::decimal) {
    for (NodeId& id : ids) id = c.rescale(id, met->scale);
  } else {
    for (NodeId& id : ids) id = c.cast(id, *met);
  }
  return c.add(op, boolean_type, {ids[0], ids[1]});
}

// The one type of select's branches and of coalesce's, least's and greatest's inputs, and the inputs cast to it.
Result<Type> unify(Construction& c, Op op, std::span<NodeId> ids) {
  c.adapt(ids);
  Type type = c.type(ids[0]);
  for (NodeId id : ids) {
    const std::optional<Type> met = meet(type, c.type(id), Meeting::comparison);
    if (!met) return cannot(op, {type, c.type(id)});
    if (met->kind == Kind::int128) return needs_huge(op, type, c.type(id));
    type = *met;
  }
  if (type.kind == Kind::string)
    return Status(Code::unsupported,
                  std::string(cannot(op, {type}).message()) + ": strings can be carried and compared only");
  if (type.kind == Kind::decimal && type.precision > max_decimal_digits)
    type = Type::decimal(max_decimal_digits, type.scale);
  for (NodeId& id : ids) id = c.cast(id, type);
  return type;
}

Result<NodeId> negate(Construction& c, Graph& graph, NodeId input) {
  const Type type = c.type(input);
  if (!is_numeric(type)) return cannot(Op::negate, {type});
  if (const Scalar* literal = c.parameter(input); literal && !literal->is_null) {
    Scalar value = *literal;   // -1 is a literal, as 1 is
    value.integer = -value.integer;
    value.real = -value.real;
    for (Kind kind : {Kind::int32, Kind::int64})
      if (is_integer(type) && (kind == Kind::int64 || cast_value(value, {kind}).fault == Code::ok)) {
        value.type = {kind};
        break;
      }
    if (cast_value(Scalar::of(value.type, value.integer), value.type).fault == Code::ok)
      return graph.parameter(value, ParameterOrigin::literal);
  }
  return c.add(Op::negate, type, {input});
}

Result<NodeId> rounding(Construction& c, Op op, NodeId input) {
  const Type type = c.type(input);
  if (!is_numeric(type)) return cannot(op, {type});
  if (is_integer(type)) return op == Op::round || op == Op::truncate ? input : c.cast(input, float64_type);
  return c.add(op, type.kind == Kind::decimal ? Type::decimal(type.precision, 0) : type, {input});
}

// The fewest single-character edits between two names.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (std::size_t i = 0; i < a.size(); i++) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); j++)
      diagonal = std::exchange(row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)}));
  }
  return row[b.size()];
}

}  // namespace

Builder::Builder(Schema schema, std::shared_ptr<Graph> graph) : schema_(std::move(schema)), graph_(std::move(graph)) {}

Result<NodeId> Builder::column(std::string_view name) {
  if (const auto index = find_field(schema_, name)) return column(*index);
  std::vector<std::pair<std::size_t, std::string>> nearest;
  for (const Field& field : schema_) nearest.emplace_back(edit_distance(name, field.name), field.name);
  std::stable_sort(nearest.begin(), nearest.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = "no column '" + std::string(name) + "'";
  for (std::size_t i = 0; i < std::min<std::size_t>(3, nearest.size()); i++)
    text += (i == 0 ? "; nearest: " : ", ") + nearest[i].second;
  return Status(Code::invalid, text);
}

NodeId Builder::column(std::uint32_t index) {
  return graph_->add({Op::column, schema_[index].type, schema_[index].nullable, index, {}});
}

NodeId Builder::literal(Scalar value) { return graph_->parameter(std::move(value), ParameterOrigin::literal); }
NodeId Builder::captured(Scalar value) { return graph_->parameter(std::move(value), ParameterOrigin::captured); }

Result<NodeId> Builder::unary(Op op, NodeId input) {
  Construction c(*graph_);
  const Type type = c.type(input);
  if (op == Op::is_null) return graph_->add({op, boolean_type, false, 0, {input}});
  if (op == Op::negate) return negate(c, *graph_, input);
  if (op == Op::absolute) return is_numeric(type) ? Result<NodeId>(c.add(op, type, {input})) : cannot(op, {type});
  if (op == Op::bit_not) return is_integer(type) ? Result<NodeId>(c.add(op, type, {input})) : cannot(op, {type});
  if (op == Op::not_) {
    PENSTOCK_ASSIGN(const NodeId condition, to_boolean(c, op, input));
    return c.add(op, boolean_type, {condition});
  }
  if (is_rounding(op)) return rounding(c, op, input);
  if (is_date_part(op)) {
    const bool has_parts = type.kind == Kind::date32 || type.kind == Kind::timestamp;
    return has_parts ? Result<NodeId>(c.add(op, int64_type, {input})) : cannot(op, {type});
  }
  if (op < Op::square_root || op > Op::tangent)
    return Status(Code::internal, std::string(name_of(op)) + " does not take one input");
  return is_numeric(type) ? Result<NodeId>(c.add(op, float64_type, {c.cast(input, float64_type)})) : cannot(op, {type});
}

Result<NodeId> Builder::unary_as(Op op, NodeId input, Type type) {
  PENSTOCK_ASSIGN(const NodeId converted, cast(input, type));
  const bool is_function = op >= Op::square_root && op <= Op::tangent;
  return is_function && is_float(type) ? Result<NodeId>(Construction(*graph_).add(op, type, {converted}))
                                       : unary(op, converted);
}

Result<NodeId> Builder::binary(Op op, NodeId left, NodeId right) {
  Construction c(*graph_);
  if (is_comparison(op)) return compare_nodes(c, op, left, right);
  if (op == Op::and_ || op == Op::or_) {
    PENSTOCK_ASSIGN(const NodeId a, to_boolean(c, op, left));
    PENSTOCK_ASSIGN(const NodeId b, to_boolean(c, op, right));
    return graph_->add({op, boolean_type, false, 0, {a, b}});
  }
  if (op >= Op::add && op <= Op::modulo) return arithmetic(c, op, left, right);
  if (op >= Op::bit_and && op <= Op::shift_right && op != Op::bit_not) return bits(c, op, left, right);
  if (op != Op::power) return Status(Code::internal, std::string(name_of(op)) + " does not take two inputs");
  if (!is_numeric(c.type(left)) || !is_numeric(c.type(right))) return cannot(op, {c.type(left), c.type(right)});
  return c.add(op, float64_type, {c.cast(left, float64_type), c.cast(right, float64_type)});
}

Result<NodeId> Builder::cast(NodeId input, Type type) {
  Construction c(*graph_);
  const Type from = c.type(input);
  if (type.kind == Kind::decimal &&
      (type.precision < 1 || type.precision > max_decimal_digits || type.scale > type.precision))
    return Status(Code::unsupported, name_of(type) + " is not computed with: decimals have 1 to 18 digits");
  if (!c.is_null_literal(input) && !is_castable(from, type)) {
    const bool with_string = from.kind == Kind::string || type.kind == Kind::string;
    return Status(with_string ? Code::unsupported : Code::invalid,
                  "cannot cast " + name_of(from) + " to " + name_of(type));
  }
  if (from == type && c.parameter(input)) return graph_->parameter(*c.parameter(input));   // no longer adapts
  return c.cast(input, type);
}

Result<NodeId> Builder::select(NodeId condition, NodeId then, NodeId otherwise) {
  Construction c(*graph_);
  PENSTOCK_ASSIGN(const NodeId chosen, to_boolean(c, Op::select, condition));
  std::array branches{then, otherwise};
  PENSTOCK_ASSIGN(const Type type, unify(c, Op::select, branches));
  return graph_->add({Op::select, type, false, 0, {chosen, branches[0], branches[1]}});
}

Result<NodeId> Builder::variadic(Op op, std::vector<NodeId> inputs) {
  if (inputs.empty()) return Status(Code::invalid, std::string(name_of(op)) + " needs an input");
  if (op != Op::coalesce && op != Op::least && op != Op::greatest)
    return Status(Code::internal, std::string(name_of(op)) + " does not take a list of inputs");
  Construction c(*graph_);
  PENSTOCK_ASSIGN(const Type type, unify(c, op, inputs));
  return inputs.size() == 1 ? inputs[0] : graph_->add({op, type, false, 0, std::move(inputs)});
}

Result<NodeId> Builder::custom(std::shared_ptr<const CustomFunction> function, std::vector<NodeId> inputs) {
  if (inputs.size() != function->parameter_types.size())
    return Status(Code::invalid, function->name + " takes " + std::to_string(function->parameter_types.size()) +
                                     " inputs, not " + std::to_string(inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); i++) {
    Result<NodeId> converted = cast(inputs[i], function->parameter_types[i]);
    PENSTOCK_TRY(converted.with("for " + function->parameter_names[i] + " of " + function->name));
    inputs[i] = *converted;
  }
  auto& customs = graph_->customs;
  const auto found = std::find(customs.begin(), customs.end(), function);
  const auto index = static_cast<std::uint32_t>(found - customs.begin());
  if (found == customs.end()) customs.push_back(function);
  return graph_->add({Op::custom, function->result_type, false, index, std::move(inputs)});
}

}  // namespace penstock
