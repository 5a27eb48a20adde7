#include "fuse/program/columns_read.hpp"

#include "expr/operation.hpp"

namespace penstock::plan {

bool keeps_columns(StepKind kind) {
  return kind == StepKind::source || kind == StepKind::filter || kind == StepKind::map ||
         kind == StepKind::join;
}

Columns columns_read(const Step& step, const Columns& wanted) {
  const bool is_filter = step.kind == StepKind::filter;
  if ((!is_filter && step.kind != StepKind::map) || (is_filter && wanted.empty())) return {};
  std::vector<NodeId> roots;
  if (is_filter) roots.push_back(step.predicate);
  for (const Projection& projection : step.projections) roots.push_back(projection.root);
  Columns columns = is_filter ? wanted : Columns();
  for (const std::uint32_t column : expr::columns_read(*step.graph, roots))
    add_once(columns, column);
  return columns;
}

Columns columns_scanned(const std::vector<TileProgram>& programs) {
  Columns columns;
  for (const TileProgram& program : programs)
    for (const std::uint32_t column : program.scanned_columns()) add_once(columns, column);
  if (columns.empty()) columns.push_back(0);
  return columns;
}

Columns columns_looked_up(const Step& join, const std::vector<TileProgram>& programs,
                          std::size_t i) {
  Columns columns;
  for (const JoinKey& key : join.join_keys) add_once(columns, key.right);
  for (const TileProgram& program : programs) {
    const Lookup& lookup = program.lookups[i];
    for (std::uint32_t column : lookup.device_columns) {
      while (column >= program.first_derived())
        column = program.derived[column - program.first_derived()].source;
      add_once(columns, column - lookup.first_column);
    }
    for (const std::uint32_t column : lookup.late_columns)
      add_once(columns, column - lookup.first_column);
  }
  return columns;
}

Columns columns_of_left(const Step& join, const Columns& wanted) {
  Columns columns;
  for (const JoinKey& key : join.join_keys) add_once(columns, key.left);
  for (const std::uint32_t column : wanted.empty() ? every_column(join.schema) : wanted)
    if (column < join.left_columns) add_once(columns, column);
  return columns;
}

Columns right_keys(const Step& join) {
  Columns keys;
  for (const JoinKey& key : join.join_keys) keys.push_back(key.right);
  return keys;
}

}  // namespace penstock::plan
