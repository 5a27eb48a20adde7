// Binds arithmetic of intervals, times and instants.
#include <algorithm>
#include <array>

#include "expr/intervals.hpp"
#include "expr/temporal_casts.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

using expr::instant_type, expr::interval_type, expr::time_type;

Operand operand_of(NodeId node) {
  Operand operand;
  operand.node = node;
  return operand;
}

}  // namespace

// Makes an interval a value.
Result<NodeId> ExpressionBinder::interval_node(const Syntax& syntax, const Operand& operand) {
  const Interval& interval = operand.interval;
  if (operand.is_constant_interval()) {
    const auto parts =
        expr::interval_of_parts(interval.months, interval.days, interval.microseconds);
    if (!parts) return wrong(syntax, "the interval is too long");
    return builder_.literal(expr::interval_scalar(*parts));
  }
  std::vector<NodeId> parts;
  for (const auto& [node, constant] :
       {std::pair(operand.months, interval.months), std::pair(operand.days, interval.days),
        std::pair(operand.microseconds, interval.microseconds)})
    parts.push_back(node ? *node : builder_.literal(Scalar::of(constant)));
  return located(syntax, builder_.string_function("interval_of_parts", std::move(parts)));
}

// An operation with an interval, a time or an instant, or the difference of timestamps.
bool ExpressionBinder::is_temporal_operation(const std::string& name,
                                             const std::vector<Operand>& inputs) const {
  const auto is_of = [&](const Operand& input, auto test) {
    const std::optional<Type> type = type_of_operand(input);
    return type && test(*type);
  };
  const bool is_known = name == "+" || name == "-" || name == "*" || name == "/" || name == "neg";
  if (!is_known) return false;
  const bool has_temporal = std::ranges::any_of(inputs, [&](const Operand& input) {
    return input.kind == Operand::Kind::interval || is_of(input, [](Type type) {
             return type == interval_type || type == time_type || type == instant_type;
           });
  });
  const bool has_null = std::ranges::any_of(
      inputs, [](const Operand& input) { return input.kind == Operand::Kind::null; });
  if (has_temporal) return !has_null || name == "*" || name == "/";
  return name == "-" && inputs.size() == 2 &&
         std::ranges::all_of(inputs,
                             [&](const Operand& input) {
                               return is_of(input,
                                            [](Type type) { return is_date_or_timestamp(type); });
                             }) &&
         std::ranges::any_of(inputs, [&](const Operand& input) {
           return is_of(input, [](Type type) { return type.kind == penstock::Kind::timestamp; });
         });
}

Result<Operand> ExpressionBinder::temporal_operation(const Syntax& syntax,
                                                     const std::vector<Operand>& inputs) {
  const bool is_sum = inputs.size() == 2 && (syntax.name == "+" || syntax.name == "-");
  for (const std::size_t place : {0, 1}) {
    if (!is_sum || inputs[place].kind != Operand::Kind::interval) continue;
    const std::optional<Type> other = type_of_operand(inputs[1 - place]);
    if (other && is_date_or_timestamp(*other))
      return datetime_arithmetic(syntax, inputs[0], inputs[1]);
  }
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    const std::optional<Type> beside =
        inputs.size() == 2 ? type_of_operand(inputs[1 - i]) : std::nullopt;
    PENSTOCK_ASSIGN(nodes.emplace_back(), coerce(*syntax.inputs[i], inputs[i], beside));
  }
  PENSTOCK_ASSIGN(const NodeId node, nodes.size() == 1 ? negated_interval(syntax, nodes[0])
                                                       : temporal_pair(syntax, nodes[0], nodes[1]));
  return operand_of(node);
}

Result<NodeId> ExpressionBinder::negated_interval(const Syntax& syntax, NodeId interval) {
  const Type type = builder_.type(interval);
  if (type != interval_type) return wrong(syntax, "cannot negate " + name_of(type));
  const NodeId none = builder_.literal(expr::interval_scalar({}));
  return located(syntax, builder_.string_function("interval_difference", {none, interval}));
}

Result<NodeId> ExpressionBinder::temporal_pair(const Syntax& syntax, NodeId left, NodeId right) {
  const Type a = builder_.type(left), b = builder_.type(right);
  const std::string& name = syntax.name;
  if (name == "*" || name == "/" || (a == interval_type && b == interval_type))
    return interval_arithmetic(syntax, left, right);
  if (b == interval_type) return moved_moment(syntax, left, right);
  if (name == "-") return moment_difference(syntax, left, right);
  if (a == interval_type) return moved_moment(syntax, right, left);
  if (a.kind == penstock::Kind::date32 && b == time_type) return date_and_time(syntax, left, right);
  if (b.kind == penstock::Kind::date32 && a == time_type) return date_and_time(syntax, right, left);
  return wrong(syntax, "cannot add " + name_of(a) + " and " + name_of(b));
}

Result<NodeId> ExpressionBinder::interval_arithmetic(const Syntax& syntax, NodeId left,
                                                     NodeId right) {
  const Type a = builder_.type(left), b = builder_.type(right);
  if (a == interval_type && b == interval_type && (syntax.name == "+" || syntax.name == "-"))
    return located(syntax,
                   builder_.string_function(
                       syntax.name == "+" ? "interval_sum" : "interval_difference", {left, right}));
  if (a == interval_type && is_numeric(b)) return scaled_interval(syntax, left, right);
  if (b == interval_type && is_numeric(a) && syntax.name == "*")
    return scaled_interval(syntax, right, left);
  return wrong(syntax, "cannot compute " + name_of(a) + " " + syntax.name + " " + name_of(b));
}

// A whole number multiplies each part; other numbers carry what is left to the smaller parts.
Result<NodeId> ExpressionBinder::scaled_interval(const Syntax& syntax, NodeId interval,
                                                 NodeId factor) {
  const bool is_divided = syntax.name == "/", is_whole = is_integer(builder_.type(factor));
  if (is_whole && !is_divided) {
    PENSTOCK_ASSIGN(const NodeId count,
                    located(syntax, builder_.cast(factor, type_of<std::int64_t>())));
    return located(syntax, builder_.string_function("interval_multiple", {interval, count}));
  }
  PENSTOCK_ASSIGN(const NodeId real, located(syntax, builder_.cast(factor, type_of<double>())));
  if (!is_divided)
    return located(syntax, builder_.string_function("interval_product", {interval, real}));
  return located(syntax, builder_.string_function("interval_quotient", {interval, real}));
}

// Adds an interval to a date, a timestamp, a time or an instant, or subtracts it.
Result<NodeId> ExpressionBinder::moved_moment(const Syntax& syntax, NodeId moment,
                                              NodeId interval) {
  const Type type = builder_.type(moment);
  const bool is_added = syntax.name == "+";
  if (type == time_type)
    return located(syntax,
                   builder_.string_function(is_added ? "time_plus_interval" : "time_minus_interval",
                                            {moment, interval}));
  if (type == instant_type) {
    PENSTOCK_ASSIGN(const NodeId zone, session_zone_literal(syntax));
    return located(syntax, builder_.string_function(
                               is_added ? "instant_plus_interval" : "instant_minus_interval",
                               {moment, interval, zone}));
  }
  if (!is_date_or_timestamp(type))
    return wrong(syntax, "cannot add an INTERVAL to " + name_of(type));
  return located(syntax, builder_.string_function(is_added ? "plus_interval" : "minus_interval",
                                                  {moment, interval}));
}

// The interval from the right moment to the left one.
Result<NodeId> ExpressionBinder::moment_difference(const Syntax& syntax, NodeId left,
                                                   NodeId right) {
  std::array nodes{left, right};
  PENSTOCK_TRY(names_.at(syntax, expr::align_moments(builder_, nodes)));
  const Type a = builder_.type(nodes[0]), b = builder_.type(nodes[1]);
  if (a == instant_type && b == instant_type) {
    PENSTOCK_ASSIGN(const NodeId zone, session_zone_literal(syntax));
    return located(
        syntax, builder_.string_function("interval_between_instants", {nodes[1], nodes[0], zone}));
  }
  if (!is_date_or_timestamp(a) || !is_date_or_timestamp(b))
    return wrong(syntax, "cannot subtract " + name_of(b) + " from " + name_of(a));
  return located(syntax, builder_.string_function("interval_between", {nodes[1], nodes[0]}));
}

Result<NodeId> ExpressionBinder::date_and_time(const Syntax& syntax, NodeId date, NodeId time) {
  const Type timestamp{penstock::Kind::timestamp};
  PENSTOCK_ASSIGN(const NodeId midnight, located(syntax, builder_.cast(date, timestamp)));
  PENSTOCK_ASSIGN(const NodeId count,
                  builder_.unary(Op::epoch_microseconds, expr::retyped(builder_, time, timestamp)));
  return located(syntax, builder_.string_function("add_microseconds", {midnight, count}));
}

// date_add(x, interval)
Result<NodeId> ExpressionBinder::moved_date(const Syntax& syntax) {
  PENSTOCK_TRY(argument_count(syntax, 2));
  auto sum = std::make_shared<Syntax>(syntax);
  sum->kind = SyntaxKind::operation;
  sum->name = "+";
  return value(*sum);
}

}  // namespace penstock::sql
