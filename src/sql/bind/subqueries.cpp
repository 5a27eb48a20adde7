#include "sql/bind/subqueries.hpp"

#include <algorithm>
#include <array>

#include "sql/bind/conjuncts.hpp"

namespace penstock::sql {
namespace {

class SubqueryBinder {
 public:
  SubqueryBinder(BindContext& context, const Names& outer, const Syntax& syntax, bool negated,
                 const CommonTables* tables)
      : context_(context),
        outer_(outer),
        syntax_(syntax),
        negated_(negated),
        rest_(*syntax_.subquery),
        tables_(bind_common_tables(context, rest_, {tables, &outer})) {
    joined_.offset = syntax_.offset;
  }

  Result<JoinedSubquery> condition() {
    const bool is_in = syntax_.kind == SyntaxKind::in_subquery;
    joined_.type = !negated_                      ? JoinType::semi
                   : is_in && syntax_.name == "=" ? JoinType::not_in
                                                  : JoinType::anti;
    PENSTOCK_TRY(bind());
    return std::move(joined_);
  }

  Result<BoundValue> value() {
    const bool is_mark = syntax_.kind != SyntaxKind::value_of;
    joined_.type = is_mark ? JoinType::mark : JoinType::single;
    value_.is_exists = syntax_.kind == SyntaxKind::exists;
    if (syntax_.kind == SyntaxKind::in_subquery && syntax_.name != "=")
      return refuse(
          "a comparison with ANY or ALL anywhere but in WHERE, joined to the rest by AND,");
    PENSTOCK_TRY(bind());
    context_.prefers_duckdb |= is_mark || !joined_.outer_keys.empty();
    Type type{Kind::boolean};
    if (!is_mark) type = context_.schema(joined_.rows)[value_.place].type;
    value_.join = std::move(joined_);
    return BoundValue{std::move(value_), type};
  }

 private:
  Surroundings around() const { return {&tables_, &outer_}; }
  Status refuse(const std::string& what) const {
    return outer_.error(syntax_.offset, Code::unsupported, not_supported(what));
  }

  Status bind() {
    if (rest_.is_refused) return Problems::known();
    if (rest_.set) return bind_whole(bind_set(context_, *rest_.set, around()));
    if (!rest_.values.empty()) return bind_whole(bind_lists(context_, rest_));
    PENSTOCK_ASSIGN(Scope scope, open_scope(context_, rest_, around()));
    Names names(context_.lexed, context_.problems, rest_, scope, &outer_);
    PENSTOCK_TRY(bind_values(context_, rest_, &tables_, names, scope));
    return bind_over_scope(scope, names);
  }

  Status bind_over_scope(const Scope& scope, Names& names) {
    PENSTOCK_TRY(check_on(names));
    PENSTOCK_TRY(split(names));
    PENSTOCK_TRY(check_width(names.items().size()));
    if (inner_.empty() && compared_.empty())
      return bind_whole(bind_over(context_, rest_, scope, around()));
    if (joined_.type == JoinType::not_in)
      return refuse("a NOT IN whose SELECT reads columns from outside");
    if (syntax_.kind == SyntaxKind::value_of) return bind_keyed_value(scope, names);
    PENSTOCK_TRY(check_rows_alone());
    joined_.correlated_keys = inner_.size();
    if (joined_.type == JoinType::mark) leave_out_null_keys();
    if (syntax_.kind == SyntaxKind::in_subquery) add_items(names);
    for (const Compared& compared : compared_) {
      joined_.comparisons.push_back({compared.op, compared.outer,
                                     static_cast<std::uint32_t>(inner_.size()),
                                     compared.takes_unknown});
      inner_.push_back(compared.inner);
    }
    return bind_columns(scope, names);
  }

  // EXISTS asks for rows alone.
  Status check_width(std::size_t count) const {
    const std::size_t wanted = std::max<std::size_t>(syntax_.inputs.size(), 1);
    if (syntax_.kind == SyntaxKind::exists || count == wanted) return {};
    const std::string columns = wanted == 1 ? "one column" : std::to_string(wanted) + " columns";
    const std::string what = syntax_.kind == SyntaxKind::value_of
                                 ? "a subquery that stands for a value has "
                                 : "a subquery of IN has ";
    return outer_.error(syntax_.offset, Code::invalid,
                        what + columns + ", not " + std::to_string(count));
  }

  // Takes the whole SELECT as it is by itself.
  Status bind_whole(const Result<RelationId>& rows) {
    PENSTOCK_TRY(rows);
    PENSTOCK_TRY(check_width(context_.schema(*rows).size()));
    joined_.rows = *rows;
    if (joined_.type == JoinType::not_in && syntax_.inputs.size() > 1)
      return refuse("NOT IN of a row value");
    for (std::uint32_t i = 0; i < syntax_.inputs.size(); i++)
      if (syntax_.name == "=")
        joined_.outer_keys.push_back(syntax_.inputs[i]);
      else
        joined_.comparisons.push_back(
            {*comparison_named(syntax_.name), syntax_.inputs[i], i, negated_});
    return {};
  }

  // Moves the comparisons with outer columns out of its WHERE.
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
      else if (!add_comparison(names, condition))
        failures.pass(names.error(condition->offset, Code::unsupported,
                                  not_supported("a subquery with a condition on outer columns that "
                                                "is no comparison with its own columns")));
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

  bool add_comparison(const Names& names, const SyntaxPtr& condition) {
    const std::optional<Op> op =
        condition->kind == SyntaxKind::operation ? comparison_named(condition->name) : std::nullopt;
    if (!op) return false;
    for (const bool is_swapped : {false, true}) {
      const SyntaxPtr &inner = condition->inputs[is_swapped],
                      &outer = condition->inputs[!is_swapped];
      const auto tables = tables_read(names, *inner);
      if (!tables || tables->empty() || tables_read(names, *outer) || !tables_read(outer_, *outer))
        continue;
      if (*op == Op::equal) {
        inner_.push_back(inner);
        joined_.outer_keys.push_back(outer);
      } else {
        compared_.push_back({is_swapped ? *op : with_sides_swapped(*op), inner, outer, false});
      }
      return true;
    }
    return false;
  }

  // The subquery applies to each outer row, and so would its groups and limits: they are refused.
  Status check_rows_alone() const {
    const bool aggregates =
        std::any_of(rest_.items.begin(), rest_.items.end(),
                    [](const SelectItem& item) { return contains_aggregate(*item.value); });
    if (aggregates || !rest_.group_by.empty() || rest_.having || rest_.qualify || rest_.limit ||
        rest_.offset)
      return refuse("a subquery with outer columns and with aggregates, GROUP BY or LIMIT");
    return {};
  }

  // Adds what IN and ANY compare. An equality is a key.
  void add_items(const Names& names) {
    for (std::size_t i = 0; i < syntax_.inputs.size(); i++) {
      const SyntaxPtr &inner = names.items()[i].value, &outer = syntax_.inputs[i];
      if (syntax_.name != "=") {
        compared_.push_back({*comparison_named(syntax_.name), inner, outer, negated_});
        continue;
      }
      joined_.outer_keys.push_back(outer);
      inner_.push_back(inner);
    }
  }

  void leave_out_null_keys() {
    std::vector<SyntaxPtr> conditions = conjuncts(rest_.where);
    for (const SyntaxPtr& key : inner_) {
      auto condition = std::make_shared<Syntax>();
      condition->kind = SyntaxKind::operation;
      condition->name = "is not null";
      condition->offset = key->offset;
      condition->inputs = {key};
      conditions.push_back(std::move(condition));
    }
    rest_.where = conjunction(conditions);
  }

  // Yields the columns that are compared.
  Status bind_columns(const Scope& scope, Names& names) {
    const JoinedTables joined = join_tables(context_, rest_, scope, around());
    ScopeRows rows(context_, names, joined.rows);
    Builder builder(scope.schema);
    Failures failures(names.problems());
    failures.pass(joined.failure);
    if (joined.where) failures.pass(filter(names, builder, *joined.where, rows));
    std::vector<Projection> columns;
    std::vector<NodeId> roots;
    for (const SyntaxPtr& inner : inner_) {
      const Result<NodeId> node = ExpressionBinder(names, builder, "WHERE").value(*inner);
      failures.pass(node.status());
      if (!node.ok()) continue;
      columns.push_back({display(*inner), *node});
      roots.push_back(*node);
    }
    PENSTOCK_TRY(failures.status());
    PENSTOCK_ASSIGN(const RelationId input, rows.with_values(*builder.graph(), roots));
    PENSTOCK_ASSIGN(joined_.rows,
                    context_.relations.project(input, builder.graph(), std::move(columns)));
    return {};
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

  // A value for each of the keys: an aggregate is computed of their groups.
  Status bind_keyed_value(const Scope& scope, const Names& names) {
    if (!compared_.empty())
      return refuse("a value of a subquery that compares with outer columns other than by =");
    if (!rest_.group_by.empty() || rest_.groups_by_all || rest_.having || rest_.qualify ||
        rest_.distinct || !rest_.distinct_on.empty() || rest_.limit || rest_.offset)
      return refuse(
          "a value of a subquery with outer columns and with GROUP BY, HAVING, DISTINCT or LIMIT");
    const SyntaxPtr item = names.items()[0].value;
    Select keyed = rest_;
    keyed.order_by.clear();
    keyed.star_changes.clear();
    keyed.items.clear();
    for (const SyntaxPtr& key : inner_) keyed.items.push_back({key, ""});
    keyed.items.push_back({item, ""});
    value_.place = static_cast<std::uint32_t>(inner_.size());
    if (contains_aggregate(*item)) PENSTOCK_TRY(add_groups(scope, keyed, item));
    PENSTOCK_ASSIGN(joined_.rows, bind_over(context_, keyed, scope, around()));
    return {};
  }

  // An aggregate of no rows is a value too, and NULL but for counts.
  Status add_groups(const Scope& scope, Select& keyed, const SyntaxPtr& item) {
    keyed.group_by = inner_;
    if (is_aggregate(*item) && item->name != "count") return {};
    keyed.items.push_back({truth(true), "found"});
    Select none = keyed;
    none.group_by.clear();
    none.items = {{item, ""}};
    none.where = truth(false);
    PENSTOCK_ASSIGN(value_.otherwise, bind_over(context_, none, scope, around()));
    return {};
  }

  SyntaxPtr truth(bool value) const {
    auto syntax = std::make_shared<Syntax>();
    syntax->kind = SyntaxKind::boolean;
    syntax->name = value ? "true" : "false";
    syntax->offset = syntax_.offset;
    return syntax;
  }

  // A comparison other than = with an outer expression.
  struct Compared {
    Op op;
    SyntaxPtr inner, outer;
    bool takes_unknown = false;
  };

  BindContext& context_;
  const Names& outer_;
  const Syntax& syntax_;
  const bool negated_;
  Select rest_;                   // the subquery, its WHERE without the comparisons
  const CommonTables tables_;     // of its WITH
  std::vector<SyntaxPtr> inner_;  // expressions that are columns of joined_.rows
  std::vector<Compared> compared_;
  JoinedSubquery joined_;
  SubqueryValue value_;
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

Result<JoinedSubquery> bind_subquery(BindContext& context, const Names& outer,
                                     const SubqueryCondition& condition,
                                     const CommonTables* tables) {
  return SubqueryBinder(context, outer, *condition.subquery, condition.negated, tables).condition();
}

Result<BoundValue> bind_value(BindContext& context, const Names& outer, const Syntax& subquery,
                              const CommonTables* tables) {
  return SubqueryBinder(context, outer, subquery, false, tables).value();
}

}  // namespace penstock::sql
