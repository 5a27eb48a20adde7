#include "sql/bind/subqueries.hpp"

#include <algorithm>

#include "sql/bind/conjuncts.hpp"

namespace penstock::sql {
namespace {

class SubqueryBinder {
 public:
  SubqueryBinder(const Names& outer, const SubqueryCondition& condition, Plan& plan,
                 const TableOpener& open)
      : outer_(outer),
        syntax_(*condition.subquery),
        negated_(condition.negated),
        plan_(plan),
        open_(open),
        rest_(*syntax_.subquery) {}

  Result<BoundSubquery> bind() {
    if (rest_.is_refused) return Problems::known();
    PENSTOCK_ASSIGN(const Scope scope, open_scope(outer_.lexed(), rest_, open_));
    Names names(outer_.lexed(), outer_.problems(), rest_, scope);
    PENSTOCK_TRY(check_on(names));
    PENSTOCK_TRY(split(names));
    const bool is_in = syntax_.kind == SyntaxKind::in_subquery;
    bound_.offset = syntax_.offset;
    bound_.kind = !negated_ ? JoinKind::semi : is_in ? JoinKind::not_in : JoinKind::anti;
    if (is_in && names.items().size() != 1)
      return outer_.error(
          syntax_.offset, Code::invalid,
          "a subquery of IN has one column, not " + std::to_string(names.items().size()));
    if (is_in && inner_keys_.empty()) return bind_whole();
    if (inner_keys_.empty())
      return refuse("an EXISTS that equals no column of its SELECT to one outside");
    if (is_in && negated_) return refuse("a NOT IN whose SELECT reads columns from outside");
    PENSTOCK_TRY(check_rows_alone());
    if (is_in) {
      bound_.outer_keys.push_back(syntax_.inputs[0]);
      inner_keys_.push_back(names.items()[0].value);
    }
    return bind_keys(scope, names);
  }

 private:
  Status refuse(const std::string& what) const {
    return outer_.error(syntax_.offset, Code::unsupported, not_supported(what));
  }

  // Binds the whole SELECT by itself.
  Result<BoundSubquery> bind_whole() {
    PENSTOCK_ASSIGN(bound_.step,
                    bind_select(outer_.lexed(), outer_.problems(), rest_, plan_, open_));
    bound_.outer_keys = {syntax_.inputs[0]};
    return std::move(bound_);
  }

  // Moves the keys out of its WHERE.
  Status split(const Names& names) {
    std::vector<SyntaxPtr> kept;
    Failures failures(names.problems());
    for (const SyntaxPtr& condition : conjuncts(rest_.where)) {
      const bool is_inner = tables_read(names, *condition) || subquery_condition(condition) ||
                            !reads_outside(names, *condition);
      if (is_inner)
        kept.push_back(condition);
      else if (reads_anything(*condition))
        failures.pass(Problems::known());
      else if (!add_key(names, condition))
        failures.pass(names.error(
            condition->offset, Code::unsupported,
            not_supported("a subquery that compares with outer columns other than by =")));
    }
    rest_.where = conjunction(kept);
    return failures.status();
  }

  Status check_on(const Names& names) const {
    for (const FromTable& table : rest_.from)
      if (!names.on_of(table).ok() && reads_outside(names, *table.on))
        return names.error(table.on->offset, Code::unsupported,
                           not_supported("an ON that reads columns from outside its subquery"));
    return {};
  }

  bool reads_outside(const Names& names, const Syntax& syntax) const {
    if (syntax.kind == SyntaxKind::column)
      return !tables_read(names, syntax) && tables_read(outer_, syntax);
    return std::any_of(syntax.inputs.begin(), syntax.inputs.end(),
                       [&](const SyntaxPtr& input) { return reads_outside(names, *input); });
  }

  bool add_key(const Names& names, const SyntaxPtr& condition) {
    const std::optional<Equality> equal = equality(condition);
    if (!equal) return false;
    for (const auto& [inner, outer] :
         {std::pair(equal->left, equal->right), std::pair(equal->right, equal->left)}) {
      if (!tables_read(names, *inner) || tables_read(names, *outer) || !tables_read(outer_, *outer))
        continue;
      inner_keys_.push_back(inner);
      bound_.outer_keys.push_back(outer);
      return true;
    }
    return false;
  }

  // The subquery applies to each outer row, and so would its groups and limits: they are refused.
  Status check_rows_alone() const {
    const bool aggregates =
        std::any_of(rest_.items.begin(), rest_.items.end(),
                    [](const SelectItem& item) { return contains_aggregate(*item.value); });
    if (aggregates || !rest_.group_by.empty() || rest_.having || rest_.limit || rest_.offset)
      return refuse("a subquery with outer columns and with aggregates, GROUP BY or LIMIT");
    return {};
  }

  Result<BoundSubquery> bind_keys(const Scope& scope, Names& names) {
    const JoinedTables joined =
        join_tables(outer_.lexed(), names.problems(), rest_, scope, plan_, open_);
    bound_.step = joined.step;
    Builder rows(scope.schema);
    Failures failures(names.problems());
    failures.pass(joined.failure);
    if (joined.where) failures.pass(filter(names, rows, *joined.where));
    std::vector<Projection> keys;
    for (const SyntaxPtr& key : inner_keys_) {
      const Result<NodeId> node = ExpressionBinder(names, rows, "WHERE").value(*key);
      failures.pass(node.status());
      if (node.ok()) keys.push_back({display(*key), *node});
    }
    PENSTOCK_TRY(failures.status());
    PENSTOCK_ASSIGN(bound_.step, plan_.map(bound_.step, rows.graph(), std::move(keys)));
    return std::move(bound_);
  }

  Status filter(Names& names, Builder& rows, const Syntax& where) {
    PENSTOCK_ASSIGN(const NodeId predicate,
                    ExpressionBinder(names, rows, "WHERE").predicate(where));
    PENSTOCK_ASSIGN(bound_.step, plan_.filter(bound_.step, rows.graph(), predicate));
    return {};
  }

  const Names& outer_;
  const Syntax& syntax_;
  const bool negated_;
  Plan& plan_;
  const TableOpener& open_;
  Select rest_;                        // the subquery, its WHERE without the keys
  std::vector<SyntaxPtr> inner_keys_;  // beside bound_.outer_keys
  BoundSubquery bound_;
};

}  // namespace

std::optional<SubqueryCondition> subquery_condition(SyntaxPtr condition) {
  bool negated = false;
  for (; condition->kind == SyntaxKind::operation && condition->name == "not"; negated = !negated)
    condition = condition->inputs[0];
  if (condition->kind != SyntaxKind::exists && condition->kind != SyntaxKind::in_subquery)
    return std::nullopt;
  return SubqueryCondition{std::move(condition), negated};
}

Result<BoundSubquery> bind_subquery(const Names& outer, const SubqueryCondition& condition,
                                    Plan& plan, const TableOpener& open) {
  return SubqueryBinder(outer, condition, plan, open).bind();
}

}  // namespace penstock::sql
