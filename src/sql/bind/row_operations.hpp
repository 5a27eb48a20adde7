// Moves rows through joins: a relation, and where each of the scope's columns is in it.
//
// Expressions are bound over the whole scope and then moved to the columns of the relation. A value
// of a subquery becomes one of its columns when an expression reads it.
#pragma once
#include <vector>

#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

struct Rows {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  RelationId relation = 0;
  std::vector<std::uint32_t> places;  // by column of the scope: its column in the relation
  bool is_partial =
      false;  // a join to it failed: what reads its columns is bound for problems alone
};

// The condition of a join.
struct JoinCondition {
  std::vector<RelationKey> keys = {};
  SyntaxPtr residual = nullptr;  // over the scope
  struct Comparison {
    Op op = Op::less;
    std::uint32_t left = 0, right = 0;  // columns
    bool takes_unknown = false;
  };
  std::vector<Comparison> comparisons = {};
  bool holds_right = true;  // see RelationJoin
};

class RowsBinder {
 public:
  RowsBinder(BindContext& context, Names& names) : context_(context), names_(names) {}

  Rows of_table(std::size_t table) const;
  Rows of_one_row() const;  // of a SELECT without FROM
  // Returns whether an expression reads tables that these rows have, and no others.
  bool holds_all_of(const Rows& rows, const Syntax& syntax) const;
  Status filter(Rows& rows, const Syntax& condition, const std::string& clause);
  // Returns the column that has an expression's values; a new one unless the expression is a
  // column.
  Result<std::uint32_t> key(Rows& rows, const Syntax& expression, const std::string& clause);
  // Joins `right` to `left`; errors point at `offset`. A semi, anti or not_in join keeps the left
  // rows' columns alone. Keys of two types are cast. Returns where the columns that it adds begin.
  Result<std::uint32_t> join(Rows& left, Rows right, JoinType type, JoinCondition condition,
                             std::int64_t offset);
  // Joins by conditions over the scope: equalities of both sides are keys.
  Status join_on(Rows& left, Rows right, JoinType type, const std::vector<SyntaxPtr>& conditions,
                 std::int64_t offset);
  Status join_subquery(Rows& rows, const JoinedSubquery& subquery);
  // Joins a subquery that stands for a value, by columns that have its outer expressions. Returns
  // the value's column.
  Result<std::uint32_t> join_value(Rows& rows, const SubqueryValue& value,
                                   const std::vector<std::uint32_t>& outer);
  // Adds a value over the relation behind its columns. Returns its column.
  Result<std::uint32_t> add_column(Rows& rows, const Builder& builder, NodeId value);
  // Adds the values that expressions over the scope read.
  Status add_values(Rows& rows, const Graph& graph, std::span<const NodeId> roots);
  // Returns a relation of the scope's columns in the scope's order.
  Result<RelationId> in_order(const Rows& rows);

 private:
  struct Moved {
    std::shared_ptr<Graph> graph;
    NodeId root = 0;
    std::vector<NodeId> columns;
  };
  Moved move(const Rows& rows, const Graph& graph, NodeId root) const;
  Result<std::vector<std::uint32_t>> outer_columns(Rows& rows, const JoinedSubquery& subquery);
  Status add_residual(const Rows& left, const Rows& right, const Builder& scope,
                      std::optional<NodeId> residual, const JoinCondition& condition,
                      RelationJoin& join) const;
  Status cast_keys(Rows& left, Rows& right, JoinType type, std::vector<RelationKey>& keys);
  Result<std::uint32_t> cast_key(Rows& rows, std::uint32_t column, Type type);
  const Schema& schema(const Rows& rows) const { return context_.schema(rows.relation); }

  BindContext& context_;
  Names& names_;
};

// The rows of a whole scope, in its order. A value is NULL there until an expression reads it.
class ScopeRows {
 public:
  ScopeRows(BindContext& context, Names& names, Rows rows)
      : binder_(context, names), rows_(std::move(rows)) {}
  // Returns the relation, with the values that these expressions read.
  Result<RelationId> with_values(const Graph& graph, std::span<const NodeId> roots);
  // Goes on with a relation of the same columns in the scope's order.
  void replace(RelationId relation);

 private:
  RowsBinder binder_;
  Rows rows_;
  bool is_in_order_ = false;
};

}  // namespace penstock::sql
