// Binds comparisons, BETWEEN, IN, IS and the connectives.
#include <algorithm>
#include <array>

#include "expr/intervals.hpp"
#include "expr/temporal_casts.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

Result<NodeId> ExpressionBinder::comparison(const Syntax& syntax, Op op, const Operand& left,
                                            const Operand& right) {
  // BETWEEN and IN compare inputs other than the first two: errors then point at the whole.
  const bool two = syntax.inputs.size() == 2;
  const Syntax &left_syntax = two ? *syntax.inputs[0] : syntax,
               &right_syntax = two ? *syntax.inputs[1] : syntax;
  PENSTOCK_ASSIGN(NodeId a, coerce(left_syntax, left, type_of_operand(right)));
  PENSTOCK_ASSIGN(NodeId b, coerce(right_syntax, right, type_of_operand(left)));
  PENSTOCK_TRY(align_for_comparison(syntax, a, b));
  // Compares a date column with a midnight (date - INTERVAL is a TIMESTAMP) as dates: no row is
  // widened.
  for (auto [datetime, date] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const std::optional<Scalar> value = constant(*datetime);
    if (!value || value->is_null || value->type.kind != Kind::timestamp ||
        builder_.type(*date).kind != Kind::date32)
      continue;
    if (value->integer % microseconds_per_day == 0)
      *datetime =
          builder_.literal(Scalar::of(Type{Kind::date32}, value->integer / microseconds_per_day));
  }
  Result<NodeId> compared = builder_.binary(op, a, b);
  if (!compared.ok()) PENSTOCK_TRY(check_text_beside(syntax, a, b));
  return located(syntax, std::move(compared));
}

// DuckDB casts the text of each row to the other's type.
Status ExpressionBinder::check_text_beside(const Syntax& syntax, NodeId a, NodeId b) const {
  const Type left = builder_.type(a), right = builder_.type(b);
  if (penstock::is_text(left) == penstock::is_text(right)) return {};
  const Type other = penstock::is_text(left) ? right : left;
  if (!is_numeric(other) && !is_date_or_timestamp(other) && other.kind != penstock::Kind::boolean)
    return {};
  return names_.error(syntax.offset, Code::unsupported,
                      "a comparison of " + name_of(left) + " and " + name_of(right) +
                          " is not supported; cast one of both: CAST(... AS " + name_of(other) +
                          ")");
}

// An instant beside a date or a timestamp is compared as one. Intervals are compared by their
// length, with months of 30 days.
Status ExpressionBinder::align_for_comparison(const Syntax& syntax, NodeId& a, NodeId& b) {
  std::array nodes{a, b};
  PENSTOCK_TRY(names_.at(syntax, expr::align_moments(builder_, nodes)));
  if (builder_.type(a) == expr::interval_type && builder_.type(b) == expr::interval_type)
    for (NodeId& node : nodes) {
      PENSTOCK_ASSIGN(node, builder_.string_function("interval_normalized", {node}));
    }
  a = nodes[0], b = nodes[1];
  return {};
}

Result<NodeId> ExpressionBinder::distinct(const Syntax& syntax, bool negate) {
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  PENSTOCK_ASSIGN(const NodeId differs, comparison(syntax, Op::not_equal, inputs[0], inputs[1]));
  std::array<NodeId, 2> missing{};
  for (std::size_t i = 0; i < 2; i++) {
    PENSTOCK_ASSIGN(const NodeId node,
                    coerce(*syntax.inputs[i], inputs[i], type_of_operand(inputs[1 - i])));
    PENSTOCK_ASSIGN(missing[i], located(syntax, builder_.unary(Op::is_null, node)));
  }
  PENSTOCK_ASSIGN(const NodeId either,
                  located(syntax, builder_.binary(Op::or_, missing[0], missing[1])));
  PENSTOCK_ASSIGN(const NodeId one,
                  located(syntax, builder_.binary(Op::not_equal, missing[0], missing[1])));
  PENSTOCK_ASSIGN(const NodeId result, located(syntax, builder_.select(either, one, differs)));
  return negate ? builder_.unary(Op::not_, result) : result;
}

// Binds AND, OR, NOT and the IS tests.
Result<NodeId> ExpressionBinder::logical(const Syntax& syntax) {
  const std::string& name = syntax.name;
  if (name == "is distinct from" || name == "is not distinct from")
    return distinct(syntax, name == "is not distinct from");
  if (name == "is null" || name == "is not null") {
    PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
    PENSTOCK_ASSIGN(const NodeId missing, located(syntax, builder_.unary(Op::is_null, input)));
    return name == "is null" ? missing : builder_.unary(Op::not_, missing);
  }
  const std::string clause = std::exchange(clause_, name == "and"   ? "AND"
                                                    : name == "or"  ? "OR"
                                                    : name == "not" ? "NOT"
                                                                    : "IS");
  std::vector<NodeId> nodes;
  Failures failures(names_.problems());
  for (const SyntaxPtr& input : syntax.inputs) {
    const Result<NodeId> node = predicate(*input);
    if (!failures.pass(node.status())) break;
    if (node.ok()) nodes.push_back(*node);
  }
  clause_ = clause;
  PENSTOCK_TRY(failures.status());
  if (name == "and" || name == "or")
    return chain(syntax, name == "and" ? Op::and_ : Op::or_, std::move(nodes));
  if (name == "not") return builder_.unary(Op::not_, nodes[0]);
  // IS TRUE is never NULL: an unknown is neither true nor false.
  NodeId tested = nodes[0];
  if (name == "is false" || name == "is not false") {
    PENSTOCK_ASSIGN(tested, located(syntax, builder_.unary(Op::not_, tested)));
  }
  PENSTOCK_ASSIGN(
      const NodeId known,
      located(syntax,
              builder_.variadic(Op::coalesce, {tested, builder_.literal(Scalar::of(false))})));
  return name.starts_with("is not") ? builder_.unary(Op::not_, known) : known;
}

// Makes a balanced tree, so that a list of thousands nests a dozen levels.
Result<NodeId> ExpressionBinder::chain(const Syntax& syntax, Op op, std::vector<NodeId> nodes) {
  while (nodes.size() > 1) {
    std::vector<NodeId> pairs;
    for (std::size_t i = 0; i < nodes.size(); i += 2) {
      NodeId pair = nodes[i];
      if (i + 1 < nodes.size()) {
        PENSTOCK_ASSIGN(pair, located(syntax, builder_.binary(op, nodes[i], nodes[i + 1])));
      }
      pairs.push_back(pair);
    }
    nodes = std::move(pairs);
  }
  return nodes[0];
}

Result<NodeId> ExpressionBinder::between(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  const auto compare = [&](Op op, std::size_t bound) {
    Syntax pair = syntax;
    pair.inputs = {syntax.inputs[0], syntax.inputs[bound]};
    Operand subject = inputs[0];
    return comparison(pair, op, subject, inputs[bound]);
  };
  PENSTOCK_ASSIGN(const NodeId low, compare(Op::greater_equal, 1));
  PENSTOCK_ASSIGN(const NodeId high, compare(Op::less_equal, 2));
  return builder_.binary(Op::and_, low, high);
}

Result<NodeId> ExpressionBinder::in_list(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<NodeId> equals;
  Syntax pair = syntax;
  for (std::size_t i = 1; i < syntax.inputs.size(); i++) {
    pair.inputs = {syntax.inputs[0], syntax.inputs[i]};
    pair.name = "=";
    PENSTOCK_ASSIGN(const NodeId equal, comparison(pair, Op::equal, inputs[0], inputs[i]));
    equals.push_back(equal);
  }
  return chain(syntax, Op::or_, std::move(equals));
}

Result<NodeId> ExpressionBinder::variadic(const Syntax& syntax, Op op) {
  if (syntax.inputs.empty()) return wrong(syntax, syntax.name + " needs an argument");
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::optional<Type> beside;
  for (const Operand& input : inputs)
    if (!beside) beside = type_of_operand(input);
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId node, coerce(*syntax.inputs[i], inputs[i], beside));
    nodes.push_back(node);
  }
  PENSTOCK_TRY(names_.at(syntax, expr::align_moments(builder_, nodes)));
  const auto is_interval = [&](NodeId node) { return builder_.type(node) == expr::interval_type; };
  if (op != Op::coalesce && std::ranges::any_of(nodes, is_interval))
    return refuse(syntax, syntax.name + " of INTERVAL");
  const bool are_texts = std::ranges::all_of(
      nodes, [&](NodeId node) { return builder_.type(node).kind == penstock::Kind::string; });
  if (are_texts && op != Op::coalesce) return extreme_text(op, nodes);
  return builder_.variadic(op, std::move(nodes));
}

// The least or greatest text by bytes; NULLs are passed over.
Result<NodeId> ExpressionBinder::extreme_text(Op op, const std::vector<NodeId>& texts) {
  NodeId best = texts[0];
  for (std::size_t i = 1; i < texts.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId is_missing, builder_.unary(Op::is_null, texts[i]));
    PENSTOCK_ASSIGN(const NodeId is_better,
                    builder_.binary(op == Op::least ? Op::less : Op::greater, best, texts[i]));
    PENSTOCK_ASSIGN(
        best, builder_.first_true(std::vector{is_missing, is_better}, {best, best, texts[i]}));
  }
  return best;
}

}  // namespace penstock::sql
