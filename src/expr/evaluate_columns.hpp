// Evaluates expressions for many rows on the host: a node at a time over a batch of rows, in
// threads. It gives what evaluate() gives for each row.
#pragma once
#include <span>
#include <vector>

#include "penstock/expression.hpp"

namespace penstock::expr {

// Returns a column for each root. The error of the first row at which a root faults.
Result<std::vector<Column>> evaluate_columns(const Graph& graph, std::span<const NodeId> roots,
                                             const Table& rows);

}  // namespace penstock::expr
