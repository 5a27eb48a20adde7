#include "sql/bind/join_tables.hpp"

#include <algorithm>

#include "plan/schema_source.hpp"
#include "sql/bind/conjuncts.hpp"
#include "sql/bind/repeated_rows.hpp"
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
  TableJoiner(const Lexed& lexed, Problems& problems, const Select& select, const Scope& scope,
              Plan& plan, const TableOpener& open)
      : select_(select),
        scope_(scope),
        plan_(plan),
        open_(open),
        names_(lexed, problems, select, scope),
        rows_(names_, plan),
        failures_(problems),
        on_(scope.tables.size()),
        filters_(scope.tables.size()),
        subqueries_(scope.tables.size()),
        is_joined_(scope.tables.size()) {}

  JoinedTables join(bool is_whole) {
    find_on();
    sort_conditions();
    if (is_whole) find_tables_read();
    Rows rows = join_tree(root());
    const Status all_joined = check_all_joined();
    rows.is_partial |= !all_joined.ok();
    failures_.pass(all_joined);
    for (std::size_t i = 0; i < scope_.tables.size(); i++)
      if (scope_.tables[i].is_left) failures_.pass(join_left(rows, i));
    for (const BoundSubquery& subquery : last_subqueries_)
      failures_.pass(join_subquery(rows, subquery));
    for (const Edge& edge : edges_)
      if (!edge.is_used) rest_.push_back(edge.condition);
    const bool is_joined = failures_.status().ok();
    const Result<StepId> step =
        is_joined ? rows_.in_order(rows) : plan_.source(plan::schema_source(scope_.schema));
    failures_.pass(step.status());
    return {step.ok() ? *step : rows.step, conjunction(rest_), failures_.status()};
  }

 private:
  // Finds the columns of each ON. If that fails, the tables that the ON ties are not known.
  void find_on() {
    for (std::size_t i = 0; i < on_.size(); i++) {
      Result<SyntaxPtr> on = names_.on_of(select_.from[i]);
      lacks_ties_ = lacks_ties_ || !on.ok();
      if (!failures_.pass(on.status())) return;
      if (on.ok()) on_[i] = std::move(on).value();
    }
  }

  bool is_inner(std::size_t table) const { return !scope_.tables[table].is_left; }
  std::optional<std::size_t> only_inner_table(const Syntax& syntax) const {
    const std::optional<Tables> tables = tables_read(names_, syntax);
    if (!tables || tables->size() != 1 || !is_inner(*tables->begin())) return std::nullopt;
    return *tables->begin();
  }

  // Finds the tables that are read beside equalities of joins and filters of one table. Nothing is
  // known with LEFT JOIN, or if repeated rows make a difference.
  void find_tables_read() {
    const auto is_left = [](const auto& table) { return table.is_left; };
    if (std::ranges::any_of(scope_.tables, is_left) || !last_subqueries_.empty()) return;
    read_ = tables_read_once(names_, select_);
    for (const SyntaxPtr& condition : rest_) {
      const std::optional<Tables> tables = tables_read(names_, *condition);
      if (!tables) read_.reset();
      if (read_) read_->insert(tables->begin(), tables->end());
    }
  }

  // Returns whether tables that were joined to a child, and the child, are read by nothing but the
  // child's join to its parent.
  bool are_unread(const std::vector<bool>& joined_before, std::size_t table,
                  std::size_t child) const {
    if (!read_) return false;
    const auto is_below = [&](std::size_t i) {
      return i == child || (is_joined_[i] && !joined_before[i]);
    };
    for (const std::size_t i : *read_)
      if (is_below(i)) return false;
    return std::ranges::none_of(edges_, [&](const Edge& edge) {
      const auto [a, b] = edge.tables;
      const bool is_of_join = (a == table && b == child) || (a == child && b == table);
      return !is_of_join && is_below(a) != is_below(b);
    });
  }

  // Sorts the conditions of WHERE, and of ON and USING of inner joins.
  void sort_conditions() {
    std::vector<SyntaxPtr> conditions = conjuncts_with_common(names_, select_.where);
    const auto add = [&](const std::vector<SyntaxPtr>& more) {
      conditions.insert(conditions.end(), more.begin(), more.end());
    };
    for (std::size_t i = 0; i < scope_.tables.size(); i++) {
      if (!is_inner(i)) continue;
      add(conjuncts_with_common(names_, on_[i]));
      add(using_conditions(i));
    }
    for (const SyntaxPtr& condition : conditions)
      if (!failures_.pass(sort(condition))) return;
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

  Rows join_tree(std::size_t table) {
    is_joined_[table] = true;
    Rows rows = rows_.of_table(table);
    for (const SyntaxPtr& condition : filters_[table])
      failures_.pass(rows_.filter(rows, *condition, "WHERE"));
    for (const BoundSubquery& subquery : subqueries_[table])
      failures_.pass(join_subquery(rows, subquery));
    for (const std::size_t child : children_of(table)) {
      const std::vector<bool> joined_before = is_joined_;
      Rows right = join_tree(child);
      const JoinKind kind =
          are_unread(joined_before, table, child) ? JoinKind::semi : JoinKind::inner;
      failures_.pass(join_edges(rows, table, std::move(right), child, kind));
    }
    return rows;
  }

  // Adds the key of two expressions; if one cannot be bound, the rows stay partial.
  void add_key(Rows& left, const Syntax& left_key, Rows& right, const Syntax& right_key,
               const char* clause, std::vector<JoinKey>& keys) {
    const Result<std::uint32_t> of_left = rows_.key(left, left_key, clause),
                                of_right = rows_.key(right, right_key, clause);
    failures_.pass(of_left.status());
    failures_.pass(of_right.status());
    left.is_partial |= !of_left.ok() || !of_right.ok();
    if (of_left.ok() && of_right.ok()) keys.push_back({*of_left, *of_right});
  }

  Status join_edges(Rows& rows, std::size_t table, Rows right, std::size_t child, JoinKind kind) {
    std::vector<JoinKey> keys;
    std::int64_t offset = 0;
    for (Edge& edge : edges_) {
      const std::size_t left_end = edge.tables[0] == table ? 0 : 1;
      if (edge.tables[left_end] != table || edge.tables[1 - left_end] != child) continue;
      add_key(rows, *edge.sides[left_end], right, *edge.sides[1 - left_end], "WHERE", keys);
      offset = edge.offset;
      edge.is_used = true;
    }
    return rows_.join(rows, right, kind, std::move(keys), offset);
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
      if (lacks_ties_) return Problems::known();
      Builder trial(scope_.schema);
      Failures failures(names_.problems());
      for (const SyntaxPtr& condition : rest_)
        failures.pass(ExpressionBinder(names_, trial, "WHERE").predicate(*condition).status());
      PENSTOCK_TRY(failures.status());
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
    Failures failures(names_.problems());
    const auto divide = [&](const SyntaxPtr& condition) -> Status {
      PENSTOCK_ASSIGN(const bool is_key, add_left_key(condition, table, equal));
      if (is_key) return {};
      PENSTOCK_ASSIGN(const Side side, side_of(*condition, table));
      if (side == Side::both) return refuse_on(*condition);
      if (side == Side::right) return rows_.filter(right, *condition, "ON");
      of_left.push_back(condition);
      return {};
    };
    for (const SyntaxPtr& condition : conditions) failures.pass(divide(condition));
    failures_.pass(failures.status());
    right.is_partial |= !failures.status().ok() || lacks_ties_;
    if (equal.empty() && !right.is_partial)
      return names_.error(select_.from[table].offset, Code::unsupported,
                          not_supported("a LEFT JOIN without an equality"));
    std::vector<JoinKey> keys;
    for (const Equality& pair : equal) {
      add_key(rows, *asked(pair.left, of_left), right, *pair.right, "ON", keys);
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
  Failures failures_;
  std::vector<SyntaxPtr> on_;  // of each table, its columns found; nullptr where they are not
  std::vector<std::vector<SyntaxPtr>> filters_;         // of each table
  std::vector<std::vector<BoundSubquery>> subqueries_;  // that ask for columns of one table alone
  std::vector<BoundSubquery> last_subqueries_;
  std::vector<Edge> edges_;
  std::vector<SyntaxPtr> rest_;
  std::vector<bool> is_joined_;
  std::optional<Tables> read_;  // see find_tables_read()
  bool lacks_ties_ = false;     // the columns of an ON are not found
};

bool has_subquery(const SyntaxPtr& where) {
  const std::vector<SyntaxPtr> all = conjuncts(where);
  return std::any_of(all.begin(), all.end(), [](const SyntaxPtr& condition) {
    return subquery_condition(condition).has_value();
  });
}

}  // namespace

JoinedTables join_tables(const Lexed& lexed, Problems& problems, const Select& select,
                         const Scope& scope, Plan& plan, const TableOpener& open, bool is_whole) {
  if (scope.tables.empty()) return {plan.source(one_row_source()), select.where, {}};
  if (scope.tables.size() == 1 && !has_subquery(select.where))
    return {plan.source(scope.tables[0].source), select.where, {}};
  return TableJoiner(lexed, problems, select, scope, plan, open).join(is_whole);
}

}  // namespace penstock::sql
