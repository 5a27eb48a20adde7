#include "sql/bind/join_tables.hpp"

#include <algorithm>

#include "plan/schema_source.hpp"
#include "relation/estimate.hpp"
#include "relation/shape.hpp"
#include "sql/bind/conjuncts.hpp"
#include "sql/bind/join_as_written.hpp"
#include "sql/bind/join_conditions.hpp"
#include "sql/bind/repeated_rows.hpp"
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
  TableJoiner(BindContext& context, const Select& select, const Scope& scope,
              const Surroundings& around)
      : context_(context),
        select_(select),
        scope_(scope),
        around_(around),
        names_(context.lexed, context.problems, select, scope, around.names),
        rows_(context, names_),
        failures_(context.problems),
        on_(scope.tables.size()),
        filters_(scope.tables.size()),
        subqueries_(scope.tables.size()),
        is_joined_(scope.tables.size()) {}

  JoinedTables join(bool is_whole) {
    find_on();
    sort_conditions();
    if (is_whole) find_tables_read();
    Rows rows = join_tree(root());
    join_untied(rows);
    for (std::size_t i = 0; i < scope_.tables.size(); i++)
      if (scope_.tables[i].is_left) failures_.pass(join_left(rows, i));
    for (const JoinedSubquery& subquery : last_subqueries_)
      failures_.pass(rows_.join_subquery(rows, subquery));
    for (const Edge& edge : edges_)
      if (!edge.is_used) rest_.push_back(edge.condition);
    if (!failures_.status().ok()) rows = unjoined(context_, scope_);
    return {std::move(rows), conjunction(rest_), failures_.status()};
  }
  // Returns rows of the scope's columns that are not there, to bind what reads them.
  static Rows unjoined(BindContext& context, const Scope& scope) {
    Rows rows{context.relations.scan(plan::schema_source(scope.schema)), {}};
    for (std::uint32_t i = 0; i < scope.schema.size(); i++) rows.places.push_back(i);
    return rows;
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
      add(using_conditions(scope_, i, select_.from[i]));
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
    PENSTOCK_ASSIGN(JoinedSubquery subquery,
                    bind_subquery(context_, names_, condition, around_.tables));
    const std::vector<SyntaxPtr> outer = subquery.outer();
    const auto table = outer.empty() ? std::nullopt : only_inner_table(*outer[0]);
    const bool is_of_one = table && std::ranges::all_of(outer, [&](const SyntaxPtr& key) {
                             return only_inner_table(*key).value_or(scope_.tables.size()) == *table;
                           });
    (is_of_one ? subqueries_[*table] : last_subqueries_).push_back(std::move(subquery));
    return {};
  }

  // A table of an unknown number of rows counts as the largest: it should stream, not be held.
  double row_count(std::size_t table) const {
    const RelationId rows = scope_.tables[table].rows;
    const Relation& relation = context_.relations.at(rows);
    if (relation.kind == RelationKind::scan)
      return static_cast<double>(relation.source->row_count().value_or(~std::uint64_t{0}));
    return relation::Estimates(context_.relations).rows_of(rows);
  }

  // Returns the largest table. One of a row comes last, also behind a table without rows.
  std::size_t root() const {
    const auto rank = [&](std::size_t i) { return std::pair(!is_of_one_row(i), row_count(i)); };
    std::size_t largest = 0;
    for (std::size_t i = 1; i < scope_.tables.size(); i++)
      if (is_inner(i) && (!is_inner(largest) || rank(i) > rank(largest))) largest = i;
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
    for (const JoinedSubquery& subquery : subqueries_[table])
      failures_.pass(rows_.join_subquery(rows, subquery));
    for (const std::size_t child : children_of(table)) {
      const std::vector<bool> joined_before = is_joined_;
      Rows right = join_tree(child);
      const JoinType type =
          are_unread(joined_before, table, child) ? JoinType::semi : JoinType::inner;
      failures_.pass(join_edges(rows, table, std::move(right), child, type));
    }
    return rows;
  }

  // Adds the key of two expressions; if one cannot be bound, the rows stay partial.
  void add_key(Rows& left, const Syntax& left_key, Rows& right, const Syntax& right_key,
               const char* clause, std::vector<RelationKey>& keys) {
    const Result<std::uint32_t> of_left = rows_.key(left, left_key, clause),
                                of_right = rows_.key(right, right_key, clause);
    failures_.pass(of_left.status());
    failures_.pass(of_right.status());
    left.is_partial |= !of_left.ok() || !of_right.ok();
    if (of_left.ok() && of_right.ok()) keys.push_back({*of_left, *of_right});
  }

  Status join_edges(Rows& rows, std::size_t table, Rows right, std::size_t child, JoinType type) {
    std::vector<RelationKey> keys;
    std::int64_t offset = 0;
    for (Edge& edge : edges_) {
      const std::size_t left_end = edge.tables[0] == table ? 0 : 1;
      if (edge.tables[left_end] != table || edge.tables[1 - left_end] != child) continue;
      add_key(rows, *edge.sides[left_end], right, *edge.sides[1 - left_end], "WHERE", keys);
      offset = edge.offset;
      edge.is_used = true;
    }
    return rows_.join(rows, std::move(right), type, {std::move(keys)}, offset).status();
  }

  // Pairs all rows with those of tables that no equality ties to them: one row as in FROM sales,
  // (SELECT sum(x) AS total FROM sales) first, then few rows before many. WHERE chooses pairs.
  void join_untied(Rows& rows) {
    const auto rank = [&](std::size_t i) { return std::pair(!is_of_one_row(i), row_count(i)); };
    for (;;) {
      std::optional<std::size_t> next;
      for (std::size_t i = 0; i < scope_.tables.size(); i++)
        if (is_inner(i) && !is_joined_[i] && (!next || rank(i) < rank(*next))) next = i;
      if (!next) return;
      rows.is_partial |= lacks_ties_;
      context_.prefers_duckdb |= !is_of_one_row(*next);
      failures_.pass(
          rows_.join(rows, join_tree(*next), JoinType::inner, {}, select_.from[*next].offset)
              .status());
    }
  }

  // A file may have another number of rows the next time. A table that hangs on this one has more.
  bool is_of_one_row(std::size_t table) const {
    const RelationId rows = scope_.tables[table].rows;
    const bool is_scan = context_.relations.at(rows).kind == RelationKind::scan;
    const bool has_child = std::ranges::any_of(edges_, [&](const Edge& edge) {
      return !edge.is_used && (edge.tables[0] == table || edge.tables[1] == table);
    });
    return !is_scan && !has_child && relation::yields_one_row(context_.relations, rows);
  }

  // Splits the ON of a LEFT JOIN. Equalities are keys, conditions on the right table alone filter
  // it below the join, and conditions on the left rows decide whether they have a key. All others
  // choose among the pairs.
  Status join_left(Rows& rows, std::size_t table) {
    std::vector<SyntaxPtr> of_left, of_pairs, conditions = conjuncts(on_[table]);
    std::vector<Equality> equal;
    Rows right = rows_.of_table(table);
    for (SyntaxPtr& condition : using_conditions(scope_, table, select_.from[table]))
      conditions.push_back(std::move(condition));
    Failures failures(names_.problems());
    const auto divide = [&](const SyntaxPtr& condition) -> Status {
      PENSTOCK_ASSIGN(const bool is_key, add_left_key(condition, table, equal));
      if (is_key) return {};
      PENSTOCK_ASSIGN(const Side side, side_of(*condition, table));
      if (side == Side::right) return rows_.filter(right, *condition, "ON");
      (side == Side::both ? of_pairs : of_left).push_back(condition);
      return {};
    };
    for (const SyntaxPtr& condition : conditions) failures.pass(divide(condition));
    failures_.pass(failures.status());
    right.is_partial |= !failures.status().ok() || lacks_ties_;
    JoinCondition on;
    for (const Equality& pair : equal) {
      add_key(rows, *key_where(pair.left, of_left), right, *pair.right, "ON", on.keys);
    }
    if (equal.empty()) of_pairs.insert(of_pairs.end(), of_left.begin(), of_left.end());
    on.residual = conjunction(of_pairs);
    return rows_
        .join(rows, std::move(right), JoinType::left, std::move(on), select_.from[table].offset)
        .status();
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

  BindContext& context_;
  const Select& select_;
  const Scope& scope_;
  const Surroundings around_;
  Names names_;
  RowsBinder rows_;
  Failures failures_;
  std::vector<SyntaxPtr> on_;  // of each table, its columns found; nullptr where they are not
  std::vector<std::vector<SyntaxPtr>> filters_;          // of each table
  std::vector<std::vector<JoinedSubquery>> subqueries_;  // that ask for columns of one table alone
  std::vector<JoinedSubquery> last_subqueries_;
  std::vector<Edge> edges_;
  std::vector<SyntaxPtr> rest_;
  std::vector<bool> is_joined_;
  std::optional<Tables> read_;  // see find_tables_read()
  bool lacks_ties_ = false;     // the columns of an ON are not found
};

}  // namespace

JoinedTables join_tables(BindContext& context, const Select& select, const Scope& scope,
                         const Surroundings& around, bool is_whole) {
  if (has_form_to_keep(select)) return join_as_written(context, select, scope, around);
  if (scope.tables.size() > 1 || has_subquery(select.where))
    if (!scope.tables.empty()) return TableJoiner(context, select, scope, around).join(is_whole);
  Names names(context.lexed, context.problems, select, scope, around.names);
  const RowsBinder rows(context, names);
  return {scope.tables.empty() ? rows.of_one_row() : rows.of_table(0), select.where, {}};
}

}  // namespace penstock::sql
