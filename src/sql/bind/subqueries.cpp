#include "sql/bind/subqueries.hpp"

#include <algorithm>
#include <array>

#include "sql/bind/conjuncts.hpp"

namespace penstock::sql {
namespace {

class SubqueryBinder {
 public:
  SubqueryBinder(BindContext& context, const Names& outer, const SubqueryCondition& condition,
                 const CommonTables* tables)
      : context_(context),
        outer_(outer),
        syntax_(*condition.subquery),
        negated_(condition.negated),
        rest_(*syntax_.subquery),
        tables_(bind_common_tables(context, rest_, {tables, &outer})) {}

  Result<BoundSubquery> bind() {
    if (rest_.is_refused) return Problems::known();
    const bool is_in = syntax_.kind == SyntaxKind::in_subquery;
    bound_.offset = syntax_.offset;
    bound_.type = !negated_ ? JoinType::semi : is_in ? JoinType::not_in : JoinType::anti;
    const bool has_clauses = !rest_.set && rest_.values.empty();
    if (!has_clauses && !is_in) return refuse("an EXISTS of UNION, INTERSECT, EXCEPT or VALUES");
    if (rest_.set) return bind_whole(bind_set(context_, *rest_.set, around()));
    if (!has_clauses) return bind_whole(bind_lists(context_, rest_));
    PENSTOCK_ASSIGN(Scope scope, open_scope(context_, rest_, around()));
    Names names(context_.lexed, context_.problems, rest_, scope, &outer_);
    PENSTOCK_TRY(bind_values(context_, rest_, &tables_, names, scope));
    return bind_over_scope(scope, names);
  }

 private:
  Surroundings around() const { return {&tables_, &outer_}; }
  Status refuse(const std::string& what) const {
    return outer_.error(syntax_.offset, Code::unsupported, not_supported(what));
  }

  Result<BoundSubquery> bind_over_scope(const Scope& scope, Names& names) {
    PENSTOCK_TRY(check_on(names));
    PENSTOCK_TRY(split(names));
    const bool is_in = syntax_.kind == SyntaxKind::in_subquery;
    if (is_in && names.items().size() != 1) return one_column(names.items().size());
    if (is_in && inner_keys_.empty())
      return bind_whole(bind_over(context_, rest_, scope, around()));
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

  Status one_column(std::size_t count) const {
    return outer_.error(syntax_.offset, Code::invalid,
                        "a subquery of IN has one column, not " + std::to_string(count));
  }

  // Takes the whole SELECT as it is by itself.
  Result<BoundSubquery> bind_whole(const Result<RelationId>& rows) {
    PENSTOCK_TRY(rows);
    if (const std::size_t count = context_.schema(*rows).size(); count != 1)
      return one_column(count);
    bound_.rows = *rows;
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
    const JoinedTables joined = join_tables(context_, rest_, scope, around());
    ScopeRows rows(context_, names, joined.rows);
    Builder builder(scope.schema);
    Failures failures(names.problems());
    failures.pass(joined.failure);
    if (joined.where) failures.pass(filter(names, builder, *joined.where, rows));
    std::vector<Projection> keys;
    std::vector<NodeId> roots;
    for (const SyntaxPtr& key : inner_keys_) {
      const Result<NodeId> node = ExpressionBinder(names, builder, "WHERE").value(*key);
      failures.pass(node.status());
      if (!node.ok()) continue;
      keys.push_back({display(*key), *node});
      roots.push_back(*node);
    }
    PENSTOCK_TRY(failures.status());
    PENSTOCK_ASSIGN(const RelationId input, rows.with_values(*builder.graph(), roots));
    PENSTOCK_ASSIGN(bound_.rows,
                    context_.relations.project(input, builder.graph(), std::move(keys)));
    return std::move(bound_);
  }

  Status filter(Names& names, Builder& builder, const Syntax& where, ScopeRows& rows) {
    PENSTOCK_ASSIGN(const NodeId predicate,
                    ExpressionBinder(names, builder, "WHERE").predicate(where));
    PENSTOCK_ASSIGN(const RelationId input,
                    rows.with_values(*builder.graph(), std::array{predicate}));
    PENSTOCK_ASSIGN(const RelationId kept,
                    context_.relations.filter(input, builder.graph(), predicate));
    rows.replace(kept);
    return {};
  }

  BindContext& context_;
  const Names& outer_;
  const Syntax& syntax_;
  const bool negated_;
  Select rest_;                        // the subquery, its WHERE without the keys
  const CommonTables tables_;          // of its WITH
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

Result<BoundSubquery> bind_subquery(BindContext& context, const Names& outer,
                                    const SubqueryCondition& condition,
                                    const CommonTables* tables) {
  return SubqueryBinder(context, outer, condition, tables).bind();
}

}  // namespace penstock::sql
