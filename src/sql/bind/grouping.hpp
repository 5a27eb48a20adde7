// Binds the grouping of a SELECT: its keys, and the aggregates in its items, HAVING and ORDER BY.
#pragma once
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "sql/bind/row_operations.hpp"

namespace penstock::sql {

class Grouping {
 public:
  // `rows` builds over the rows of `table`.
  Grouping(const Select& select, Names& names, Builder& rows, std::shared_ptr<TableSource> table)
      : select_(select), names_(names), rows_(rows), table_(std::move(table)) {}

  // `outputs` are the SELECT items, followed by what only ORDER BY asks for. Goes on behind what
  // cannot be bound: columns() then has a placeholder for it.
  Status bind(const std::vector<SelectItem>& outputs);
  // Adds the groups of rows.
  Result<RelationId> add(RelationGraph& relations, ScopeRows& rows,
                         const std::vector<SelectItem>& outputs);
  // Tells whether there is a key or an aggregate to group by.
  bool has_columns() const { return !keys_.empty() || !aggregates_.empty(); }
  // Returns the columns of the groups: keys, aggregates, then GROUPING() of keys.
  const ExpressionBinder::Groups& columns() const { return columns_; }

 private:
  Status bind_term(const SyntaxPtr& term);
  Status bind_all();
  Result<std::uint32_t> bind_key(SyntaxPtr key, std::size_t visible_aliases);
  Result<std::uint32_t> add_key(const Syntax& key);
  Status collect(const Syntax& syntax, int depth);
  Status collect_alias(const Syntax& column, int depth);
  Status collect_parts(const Syntax& syntax, int depth);
  Status add_grouping(const Syntax& syntax, const std::string& text);
  Result<std::uint32_t> key_meant(const Syntax& syntax) const;
  void finish_columns();
  Status add_aggregate(const Syntax& syntax, const std::string& text);
  Result<AggregateCall> bind_aggregate(const Syntax& syntax);
  Status bind_refused(const Syntax& syntax);
  Status check_arguments(const Syntax& syntax, bool of_rows) const;
  Status add_filter(const Syntax& syntax, bool of_rows, AggregateCall& call);
  Status check_aggregate(const Syntax& syntax, const AggregateCall& call) const;
  std::vector<NodeId*> roots();
  std::vector<NodeId> nodes();
  std::vector<std::vector<std::uint32_t>> sets() const;
  Result<RelationId> add_values(RelationGraph& relations, RelationId input,
                                std::shared_ptr<const Graph>& graph);
  Status refuse_having_alone();
  void choose_averages();
  void take_names(const std::vector<SelectItem>& outputs);

  const Select& select_;
  Names& names_;
  Builder& rows_;
  std::shared_ptr<TableSource> table_;
  ExpressionBinder::Groups columns_;
  std::unordered_set<std::string> collected_;  // canonical texts that collect() has seen
  std::vector<Projection> keys_;
  std::vector<AggregateCall> aggregates_;
  std::vector<bool> filtered_;                // beside aggregates_: whether the call has a FILTER
  std::vector<std::uint32_t> keys_of_terms_;  // by term of GROUP BY
  std::vector<std::vector<std::uint32_t>> groupings_;
  std::vector<std::string> grouping_texts_;  // beside groupings_
};

}  // namespace penstock::sql
