// Binds the subqueries that stand for values. IN and EXISTS that WHERE asks for alone are joins.
#include <algorithm>

#include "sql/bind/conjuncts.hpp"
#include "sql/bind/subqueries.hpp"

namespace penstock::sql {
namespace {

using Found = std::vector<const Syntax*>;

bool is_subquery(const Syntax& syntax) {
  return syntax.kind == SyntaxKind::value_of || syntax.kind == SyntaxKind::exists ||
         syntax.kind == SyntaxKind::in_subquery;
}

void find_values(const Syntax& syntax, Found& found) {
  if (is_subquery(syntax)) found.push_back(&syntax);
  for (const SyntaxPtr& part : parts_of(syntax)) find_values(*part, found);
  if (syntax.filter && !syntax.over) find_values(*syntax.filter, found);
}

// A subquery that a condition joins is no value. It may be compared with some.
void find_values_of_conditions(const SyntaxPtr& conditions, Found& found) {
  for (const SyntaxPtr& condition : conjuncts(conditions)) {
    const auto joined = subquery_condition(condition);
    if (!joined) find_values(*condition, found);
    if (joined)
      for (const SyntaxPtr& input : joined->subquery->inputs) find_values(*input, found);
  }
}

Found values_of(const Select& select) {
  Found found;
  const auto find = [&](const SyntaxPtr& expression) {
    if (expression) find_values(*expression, found);
  };
  if (select.from.empty()) find(select.where);
  if (!select.from.empty()) find_values_of_conditions(select.where, found);
  for (const FromTable& table : select.from)
    if (table.form == JoinForm::inner)
      find_values_of_conditions(table.on, found);
    else
      find(table.on);
  find(select.having);
  find(select.qualify);
  for (const SelectItem& item : select.items) find(item.value);
  for (const auto& [item, changes] : select.star_changes)
    for (const SelectItem& replaced : changes.replaced) find(replaced.value);
  for (const SyntaxPtr& key : select.group_by) find(key);
  for (const SyntaxPtr& key : select.distinct_on) find(key);
  for (const OrderItem& item : select.order_by) find(item.value);
  return found;
}

}  // namespace

std::vector<SyntaxPtr> JoinedSubquery::outer() const {
  std::vector<SyntaxPtr> all = outer_keys;
  for (const Comparison& comparison : comparisons) all.push_back(comparison.outer);
  return all;
}

Status bind_values(BindContext& context, const Select& select, const CommonTables* tables,
                   const Names& names, Scope& scope) {
  for (const Syntax* syntax : values_of(select)) {
    if (scope.values.contains(syntax->subquery.get())) continue;
    if (scope.values.size() == max_values)
      return error_at(context.lexed.statement, syntax->offset, Code::capacity,
                      "more than " + std::to_string(max_values) + " subqueries as values");
    SubqueryValue value;
    const Result<BoundValue> bound = bind_value(context, names, *syntax, tables);
    context.problems.pass(bound.status());
    if (bound.ok()) value = bound->value;
    value.column = static_cast<std::uint32_t>(scope.schema.size());
    if (bound.ok()) scope.schema.push_back({"", bound->type, true});
    scope.values.emplace(syntax->subquery.get(), std::move(value));
  }
  return {};
}

}  // namespace penstock::sql
