// Moves rows through joins: a step, and where each of the scope's columns is in it.
//
// Expressions are bound over the whole scope and then moved to the columns of the step.
#pragma once
#include <vector>

#include "penstock/plan.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

struct Rows {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  StepId step = 0;
  std::vector<std::uint32_t> step_columns;  // by column of the scope: its column in the step
  bool is_partial =
      false;  // a join to it failed: what reads its columns is bound for problems alone
};

class RowsBinder {
 public:
  RowsBinder(Names& names, Plan& plan) : names_(names), plan_(plan) {}

  Rows of_table(std::size_t table);
  Status filter(Rows& rows, const Syntax& condition, const std::string& clause);
  // Returns the column that has an expression's values; a new one unless the expression is a
  // column.
  Result<std::uint32_t> key(Rows& rows, const Syntax& expression, const std::string& clause);
  // Joins `right` to `left`; errors point at `offset`. A semi, anti or not_in join keeps the left
  // rows' columns alone.
  Status join(Rows& left, const Rows& right, JoinKind kind, std::vector<JoinKey> keys,
              std::int64_t offset);
  // Returns a step of the scope's columns in the scope's order.
  Result<StepId> in_order(const Rows& rows);

 private:
  struct Moved {
    std::shared_ptr<Graph> graph;
    NodeId root = 0;
    std::vector<NodeId> columns;
  };
  Moved move(const Rows& rows, const Graph& graph, NodeId root) const;

  Names& names_;
  Plan& plan_;
};

}  // namespace penstock::sql
