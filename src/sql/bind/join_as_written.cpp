#include "sql/bind/join_as_written.hpp"

#include <algorithm>
#include <utility>

#include "plan/schema_source.hpp"
#include "sql/bind/conjuncts.hpp"
#include "sql/bind/join_conditions.hpp"
#include "sql/bind/subqueries.hpp"

namespace penstock::sql {
namespace {

class WrittenJoiner {
 public:
  WrittenJoiner(BindContext& context, const Select& select, const Scope& scope,
                const Surroundings& around)
      : context_(context),
        select_(select),
        scope_(scope),
        around_(around),
        names_(context.lexed, context.problems, select, scope, around.names),
        rows_(context, names_) {}

  JoinedTables join() {
    context_.prefers_duckdb = true;
    for (const SyntaxPtr& condition : conjuncts(select_.where)) {
      if (const auto subquery = subquery_condition(condition))
        subqueries_.push_back(*subquery);
      else
        where_.push_back(condition);
    }
    Result<Rows> joined = all();
    if (joined.ok()) return {std::move(*joined), conjunction(where_), {}};
    Rows rows{context_.relations.scan(plan::schema_source(scope_.schema)), {}};
    for (std::uint32_t i = 0; i < scope_.schema.size(); i++) rows.places.push_back(i);
    return {std::move(rows), conjunction(where_), joined.status()};
  }

 private:
  // Tables behind commas are tied by WHERE.
  Result<Rows> all() {
    std::size_t first = 0;
    std::optional<Rows> rows;
    while (first < select_.from.size()) {
      std::size_t last = first;
      while (last + 1 < select_.from.size() && select_.from[last + 1].is_joined) last++;
      PENSTOCK_ASSIGN(Rows item, of_item(first, last));
      if (rows) {
        const std::vector<SyntaxPtr> tied = ties(*rows, item);
        PENSTOCK_TRY(rows_.join_on(*rows, std::move(item), JoinType::inner, tied,
                                   select_.from[first].offset));
      } else {
        rows = std::move(item);
      }
      first = last + 1;
    }
    for (const SubqueryCondition& condition : subqueries_) {
      PENSTOCK_ASSIGN(const JoinedSubquery subquery,
                      bind_subquery(context_, names_, condition, around_.tables));
      PENSTOCK_TRY(rows_.join_subquery(*rows, subquery));
    }
    return std::move(*rows);
  }

  // Returns the equalities of WHERE between both. They may be asked early, as WHERE asks them
  // again.
  std::vector<SyntaxPtr> ties(const Rows& left, const Rows& right) const {
    std::vector<SyntaxPtr> found;
    for (const SyntaxPtr& condition : where_) {
      const std::optional<Equality> equal = equality(condition);
      if (!equal) continue;
      const auto is_between = [&](const Syntax& a, const Syntax& b) {
        return rows_.holds_all_of(left, a) && rows_.holds_all_of(right, b);
      };
      if (is_between(*equal->left, *equal->right) || is_between(*equal->right, *equal->left))
        found.push_back(condition);
    }
    return found;
  }

  // Joins the tables of one item. The last JOIN of the whole item is the outermost.
  Result<Rows> of_item(std::size_t first, std::size_t last) {
    if (first == last) return rows_.of_table(first);
    std::size_t at = last;
    const auto is_outermost = [&](const FromTable& table) {
      return table.is_joined && table.join_first == first && table.join_last == last;
    };
    while (at > first && !is_outermost(select_.from[at])) at--;
    if (at == first) return Status(Code::internal, "FROM has tables that no JOIN joins");
    PENSTOCK_ASSIGN(Rows left, of_item(first, at - 1));
    PENSTOCK_ASSIGN(Rows right, of_item(at, last));
    return joined(std::move(left), std::move(right), at);
  }

  Result<Rows> joined(Rows left, Rows right, std::size_t table) {
    const FromTable& from = select_.from[table];
    PENSTOCK_ASSIGN(const SyntaxPtr on, names_.on_of(from));
    std::vector<SyntaxPtr> conditions = conjuncts(on);
    for (SyntaxPtr& equal : using_conditions(scope_, table, from))
      conditions.push_back(std::move(equal));
    const bool is_right = from.form == JoinForm::right;
    if (is_right) std::swap(left, right);
    const JoinType type = from.form == JoinForm::inner  ? JoinType::inner
                          : from.form == JoinForm::full ? JoinType::full
                                                        : JoinType::left;
    PENSTOCK_TRY(rows_.join_on(left, std::move(right), type, conditions, from.offset));
    return left;
  }

  BindContext& context_;
  const Select& select_;
  const Scope& scope_;
  const Surroundings around_;
  Names names_;
  RowsBinder rows_;
  std::vector<SyntaxPtr> where_;
  std::vector<SubqueryCondition> subqueries_;
};

}  // namespace

bool has_form_to_keep(const Select& select) {
  for (std::size_t i = 0; i < select.from.size(); i++) {
    const FromTable& from = select.from[i];
    if (from.form == JoinForm::right || from.form == JoinForm::full) return true;
    if (from.form == JoinForm::left && from.join_last > i) return true;
  }
  return false;
}

JoinedTables join_as_written(BindContext& context, const Select& select, const Scope& scope,
                             const Surroundings& around) {
  return WrittenJoiner(context, select, scope, around).join();
}

}  // namespace penstock::sql
