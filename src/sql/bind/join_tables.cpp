#include "sql/bind/join_tables.hpp"

#include <algorithm>

#include "sql/bind/conjuncts.hpp"
#include "sql/bind/row_operations.hpp"
#include "sql/bind/subqueries.hpp"

namespace penstock::sql {
namespace {

// An equality of two inner tables.
struct Edge {
  std::size_t tables[2];
  SyntaxPtr sides[2];
  std::int64_t offset = 0;
  bool is_used = false;
  SyntaxPtr condition;
};

class TableJoiner {
 public:
  TableJoiner(const Lexed& lexed, const Select& select, const Scope& scope, Plan& plan,
              const TableOpener& open)
      : select_(select),
        scope_(scope),
        plan_(plan),
        open_(open),
        names_(lexed, select, scope),
        rows_(names_, plan),
        on_(scope.tables.size()),
        filters_(scope.tables.size()),
        subqueries_(scope.tables.size()),
        is_joined_(scope.tables.size()) {}

  Result<JoinedTables> join() {
    for (std::size_t i = 0; i < on_.size(); i++) {
      PENSTOCK_ASSIGN(on_[i], names_.on_of(select_.from[i]));
    }
    PENSTOCK_TRY(sort_conditions());
    PENSTOCK_ASSIGN(Rows rows, join_tree(root()));
    PENSTOCK_TRY(check_all_joined());
    for (std::size_t i = 0; i < scope_.tables.size(); i++)
      if (scope_.tables[i].is_left) PENSTOCK_TRY(join_left(rows, i));
    for (const BoundSubquery& subquery : last_subqueries_)
      PENSTOCK_TRY(join_subquery(rows, subquery));
    for (const Edge& edge : edges_)
      if (!edge.is_used) rest_.push_back(edge.condition);
    JoinedTables joined;
    PENSTOCK_ASSIGN(joined.step, rows_.in_order(rows));
    joined.where = conjunction(rest_);
    return joined;
  }

 private:
  bool is_inner(std::size_t table) const { return !scope_.tables[table].is_left; }
  std::optional<std::size_t> only_inner_table(const Syntax& syntax) const {
    const std::optional<Tables> tables = tables_read(names_, syntax);
    if (!tables || tables->size() != 1 || !is_inner(*tables->begin())) return std::nullopt;
    return *tables->begin();
  }

  // Sorts the conditions of WHERE, and of ON and USING of inner joins.
  Status sort_conditions() {
    for (const SyntaxPtr& condition : conjuncts_with_common(names_, select_.where))
      PENSTOCK_TRY(sort(condition));
    for (std::size_t i = 0; i < scope_.tables.size(); i++) {
      if (!is_inner(i)) continue;
      for (const SyntaxPtr& condition : conjuncts_with_common(names_, on_[i]))
        PENSTOCK_TRY(sort(condition));
      for (const SyntaxPtr& condition : using_conditions(i)) PENSTOCK_TRY(sort(condition));
    }
    return {};
  }

  Status sort(const SyntaxPtr& condition) {
    if (const auto subquery = subquery_condition(condition)) return add_subquery(*subquery);
    if (add_edge(condition)) return {};
    const std::optional<std::size_t> table = only_inner_table(*condition);
    if (!table || contains_aggregate(*condition))
      rest_.push_back(condition);
    else
      filters_[*table].push_back(condition);
    return {};
  }

  bool add_edge(const SyntaxPtr& condition) {
    const std::optional<Equality> equal = equality(condition);
    if (!equal) return false;
    const std::optional<std::size_t> left = only_inner_table(*equal->left),
                                     right = only_inner_table(*equal->right);
    if (!left || !right || *left == *right) return false;
    edges_.push_back(
        {{*left, *right}, {equal->left, equal->right}, condition->offset, false, condition});
    return true;
  }

  Status add_subquery(const SubqueryCondition& condition) {
    PENSTOCK_ASSIGN(BoundSubquery subquery, bind_subquery(names_, condition, plan_, open_));
    const std::optional<std::size_t> table = only_inner_table(*subquery.outer_keys[0]);
    const bool is_of_one =
        table &&
        std::all_of(subquery.outer_keys.begin(), subquery.outer_keys.end(),
                    [&](const SyntaxPtr& key) {
                      return only_inner_table(*key).value_or(scope_.tables.size()) == *table;
                    });
    (is_of_one ? subqueries_[*table] : last_subqueries_).push_back(std::move(subquery));
    return {};
  }

  // Returns USING's equalities: each column equals the first of that name in an earlier table.
  std::vector<SyntaxPtr> using_conditions(std::size_t table) const {
    std::vector<SyntaxPtr> conditions;
    const auto column = [&](std::uint32_t index) {
      auto syntax = std::make_shared<Syntax>();
      syntax->kind = SyntaxKind::column;
      syntax->offset = select_.from[table].offset;
      syntax->name = scope_.schema[index].name;
      syntax->index = index;
      return syntax;
    };
    for (const std::uint32_t merged : scope_.tables[table].merged) {
      const Schema before(scope_.schema.begin(),
                          scope_.schema.begin() + scope_.tables[table].first);
      auto equal = std::make_shared<Syntax>();
      equal->kind = SyntaxKind::operation;
      equal->name = "=";
      equal->offset = select_.from[table].offset;
      equal->inputs = {column(*find_field(before, scope_.schema[merged].name)), column(merged)};
      conditions.push_back(std::move(equal));
    }
    return conditions;
  }

  // A table of an unknown number of rows counts as the largest: it should stream, not be held.
  std::uint64_t row_count(std::size_t table) const {
    return scope_.tables[table].source->row_count().value_or(~std::uint64_t{0});
  }

  std::size_t root() const {
    std::size_t largest = 0;
    for (std::size_t i = 1; i < scope_.tables.size(); i++)
      if (is_inner(i) && (!is_inner(largest) || row_count(i) > row_count(largest))) largest = i;
    return largest;
  }

  // Returns the tables tied to this one that are not joined yet: those with a filter first, then by
  // size.
  std::vector<std::size_t> children_of(std::size_t table) {
    std::vector<std::size_t> children;
    for (const Edge& edge : edges_)
      for (const std::size_t end : {0, 1})
        if (edge.tables[end] == table && !is_joined_[edge.tables[1 - end]]) {
          children.push_back(edge.tables[1 - end]);
          is_joined_[children.back()] = true;
        }
    const auto rank = [&](std::size_t child) {
      return std::pair(filters_[child].empty() && subqueries_[child].empty(), row_count(child));
    };
    std::stable_sort(children.begin(), children.end(),
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    return children;
  }

  Result<Rows> join_tree(std::size_t table) {
    is_joined_[table] = true;
    Rows rows = rows_.of_table(table);
    for (const SyntaxPtr& condition : filters_[table])
      PENSTOCK_TRY(rows_.filter(rows, *condition, "WHERE"));
    for (const BoundSubquery& subquery : subqueries_[table])
      PENSTOCK_TRY(join_subquery(rows, subquery));
    for (const std::size_t child : children_of(table)) {
      PENSTOCK_ASSIGN(Rows looked_up, join_tree(child));
      PENSTOCK_TRY(join_edges(rows, table, std::move(looked_up), child));
    }
    return rows;
  }

  Status join_edges(Rows& rows, std::size_t table, Rows right, std::size_t child) {
    std::vector<JoinKey> keys;
    std::int64_t offset = 0;
    for (Edge& edge : edges_) {
      const std::size_t left_end = edge.tables[0] == table ? 0 : 1;
      if (edge.tables[left_end] != table || edge.tables[1 - left_end] != child) continue;
      JoinKey key;
      PENSTOCK_ASSIGN(key.left, rows_.key(rows, *edge.sides[left_end], "WHERE"));
      PENSTOCK_ASSIGN(key.right, rows_.key(right, *edge.sides[1 - left_end], "WHERE"));
      keys.push_back(key);
      offset = edge.offset;
      edge.is_used = true;
    }
    return rows_.join(rows, right, JoinKind::inner, std::move(keys), offset);
  }

  Status join_subquery(Rows& rows, const BoundSubquery& subquery) {
    std::vector<JoinKey> keys;
    for (std::uint32_t i = 0; i < subquery.outer_keys.size(); i++) {
      PENSTOCK_ASSIGN(const std::uint32_t left, rows_.key(rows, *subquery.outer_keys[i], "WHERE"));
      keys.push_back({left, i});
    }
    return rows_.join(rows, {subquery.step, {}}, subquery.kind, std::move(keys), subquery.offset);
  }

  // Reports a wrong name first: it says more.
  Status check_all_joined() {
    for (std::size_t i = 0; i < scope_.tables.size(); i++) {
      if (is_joined_[i] || !is_inner(i)) continue;
      Builder trial(scope_.schema);
      for (const SyntaxPtr& condition : rest_)
        PENSTOCK_TRY(ExpressionBinder(names_, trial, "WHERE").predicate(*condition).status());
      return names_.error(select_.from[i].offset, Code::unsupported,
                          not_supported("a cross product (nothing ties '" +
                                        scope_.tables[i].shown() + "' to the other tables)"));
    }
    return {};
  }

  // Splits the ON of a LEFT JOIN. Equalities are keys, conditions on the right table alone filter
  // it below the join, and conditions on the left rows decide whether they have a key.
  Status join_left(Rows& rows, std::size_t table) {
    std::vector<SyntaxPtr> of_left, conditions = conjuncts(on_[table]);
    std::vector<Equality> equal;
    Rows right = rows_.of_table(table);
    for (SyntaxPtr& condition : using_conditions(table)) conditions.push_back(std::move(condition));
    for (const SyntaxPtr& condition : conditions) {
      PENSTOCK_ASSIGN(const bool is_key, add_left_key(condition, table, equal));
      if (is_key) continue;
      PENSTOCK_ASSIGN(const Side side, side_of(*condition, table));
      if (side == Side::both) return refuse_on(*condition);
      if (side == Side::left)
        of_left.push_back(condition);
      else
        PENSTOCK_TRY(rows_.filter(right, *condition, "ON"));
    }
    if (equal.empty())
      return names_.error(select_.from[table].offset, Code::unsupported,
                          not_supported("a LEFT JOIN without an equality"));
    std::vector<JoinKey> keys;
    for (const Equality& pair : equal) {
      JoinKey key;
      PENSTOCK_ASSIGN(key.left, rows_.key(rows, *asked(pair.left, of_left), "ON"));
      PENSTOCK_ASSIGN(key.right, rows_.key(right, *pair.right, "ON"));
      keys.push_back(key);
    }
    return rows_.join(rows, right, JoinKind::left, std::move(keys), select_.from[table].offset);
  }

  enum class Side : unsigned char { left, right, both };
  Result<Side> side_of(const Syntax& syntax, std::size_t table) {
    const std::optional<Tables> tables = tables_read(names_, syntax);
    if (!tables) {
      Builder trial(scope_.schema);
      PENSTOCK_TRY(ExpressionBinder(names_, trial, "ON").value(syntax).status());
      return Side::both;
    }
    if (!tables->contains(table)) return Side::left;
    return tables->size() == 1 ? Side::right : Side::both;
  }

  Result<bool> add_left_key(const SyntaxPtr& condition, std::size_t table,
                            std::vector<Equality>& keys) {
    const std::optional<Equality> equal = equality(condition);
    if (!equal) return false;
    PENSTOCK_ASSIGN(const Side left, side_of(*equal->left, table));
    PENSTOCK_ASSIGN(const Side right, side_of(*equal->right, table));
    if (left == right || left == Side::both || right == Side::both) return false;
    if (tables_read(names_, left == Side::left ? *equal->left : *equal->right)->empty())
      return false;  // a constant
    keys.push_back(left == Side::left ? *equal : Equality{equal->right, equal->left});
    return true;
  }

  // Returns the key, or NULL where the left row's conditions do not hold.
  static SyntaxPtr asked(const SyntaxPtr& key, const std::vector<SyntaxPtr>& conditions) {
    if (conditions.empty()) return key;
    auto null = std::make_shared<Syntax>();
    null->offset = key->offset;
    auto choice = std::make_shared<Syntax>();
    choice->kind = SyntaxKind::case_of;
    choice->name = "case";
    choice->offset = key->offset;
    choice->inputs = {conjunction(conditions), key, null};
    return choice;
  }

  Status refuse_on(const Syntax& condition) const {
    return names_.error(condition.offset, Code::unsupported,
                        not_supported("a LEFT JOIN by anything but = between both tables"));
  }

  const Select& select_;
  const Scope& scope_;
  Plan& plan_;
  const TableOpener& open_;
  Names names_;
  RowsBinder rows_;
  std::vector<SyntaxPtr> on_;                           // of each table, its columns found
  std::vector<std::vector<SyntaxPtr>> filters_;         // of each table
  std::vector<std::vector<BoundSubquery>> subqueries_;  // that ask for columns of one table alone
  std::vector<BoundSubquery> last_subqueries_;
  std::vector<Edge> edges_;
  std::vector<SyntaxPtr> rest_;
  std::vector<bool> is_joined_;
};

bool has_subquery(const SyntaxPtr& where) {
  const std::vector<SyntaxPtr> all = conjuncts(where);
  return std::any_of(all.begin(), all.end(), [](const SyntaxPtr& condition) {
    return subquery_condition(condition).has_value();
  });
}

}  // namespace

Result<JoinedTables> join_tables(const Lexed& lexed, const Select& select, const Scope& scope,
                                 Plan& plan, const TableOpener& open) {
  if (scope.tables.empty()) return JoinedTables{plan.source(one_row_source()), select.where};
  if (scope.tables.size() == 1 && !has_subquery(select.where))
    return JoinedTables{plan.source(scope.tables[0].source), select.where};
  return TableJoiner(lexed, select, scope, plan, open).join();
}

}  // namespace penstock::sql
