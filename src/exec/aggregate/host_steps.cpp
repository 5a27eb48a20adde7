#include "exec/aggregate/host_steps.hpp"

#include <algorithm>
#include <numeric>

#include "base/rows_where.hpp"
#include "expr/evaluate_columns.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

Result<Table> filter_on_host(const Step& step, const Table& input) {
  PENSTOCK_ASSIGN(const std::vector<Column> passes,
                  expr::evaluate_columns(*step.graph, std::span(&step.predicate, 1), input));
  const auto kept = rows_where(input.row_count, [&](std::uint64_t row) {
    return passes[0].is_valid(row) && passes[0].boolean(row);
  });
  Table rows = input;
  rows.row_count = kept.size();
  for (Column& column : rows.columns)  // one that no step wants is not there
    if (column.row_count == input.row_count) column = gather(column, kept);
  return rows;
}

// A constant has one value for all rows.
bool is_constant(const Step& step, const Projection& projection) {
  return step.graph->at(projection.root).op == Op::parameter;
}

Column repeated(const Step& step, std::size_t projection, std::uint64_t row_count) {
  const Node& node = step.graph->at(step.projections[projection].root);
  const Column one =
      column_of(step.schema[projection].type, std::span(&step.graph->parameters[node.payload], 1));
  return gather(one, std::vector<std::uint64_t>(row_count));
}

Result<Table> map_on_host(const Step& step, const Table& input) {
  std::vector<NodeId> roots;  // of computed columns: other columns are passed through
  for (const Projection& p : step.projections)
    if (step.graph->at(p.root).op != Op::column && !is_constant(step, p)) roots.push_back(p.root);
  PENSTOCK_ASSIGN(std::vector<Column> computed, expr::evaluate_columns(*step.graph, roots, input));
  Table table;
  table.row_count = input.row_count;
  std::size_t next = 0;
  for (std::size_t i = 0; i < step.projections.size(); i++) {
    const Node& node = step.graph->at(step.projections[i].root);
    table.names.push_back(step.projections[i].name);
    if (node.op == Op::column)
      table.columns.push_back(input.columns[node.payload]);
    else if (is_constant(step, step.projections[i]))
      table.columns.push_back(repeated(step, i, input.row_count));
    else
      table.columns.push_back(std::move(computed[next++]));
  }
  return table;
}

}  // namespace

Result<Table> apply_on_host(const Plan& plan, StepId id, const Table& input) {
  const Step& step = plan.step(id);
  if (step.kind == StepKind::filter) return filter_on_host(step, input);
  return step.kind == StepKind::map ? map_on_host(step, input) : aggregate_on_host(plan, id, input);
}

Table limit_rows(const Table& table, std::uint64_t count, std::uint64_t offset) {
  const std::uint64_t first = std::min(offset, table.row_count);
  std::vector<std::uint64_t> rows(std::min(count, table.row_count - first));
  std::iota(rows.begin(), rows.end(), first);
  return gather(table, rows);
}

Table beside(std::span<const TileProgram> programs, std::vector<Table> parts) {
  std::uint64_t rows = parts[0].row_count;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < parts.size(); i++) {
    rows = std::min(rows, parts[i].row_count);
    for (const std::uint32_t column : programs[i].step_columns)
      columns = std::max<std::size_t>(columns, column + std::size_t{1});
  }
  const std::size_t keys = parts[0].columns.size() - programs[0].step_columns.size();
  Table table{std::vector<std::string>(keys + columns), std::vector<Column>(keys + columns), rows};
  for (std::size_t i = 0; i < parts.size(); i++) {
    const Table part =
        parts[i].row_count == rows ? std::move(parts[i]) : limit_rows(parts[i], rows, 0);
    for (std::size_t c = 0; c < part.columns.size(); c++) {
      const std::size_t position = c < keys ? c : keys + programs[i].step_columns[c - keys];
      table.names[position] = part.names[c];
      table.columns[position] = part.columns[c];
    }
  }
  return table;
}

Result<std::vector<Scalar>> values_of_row(const TileProgram& program, std::span<const NodeId> roots,
                                          const Table& input, std::uint64_t row) {
  std::vector<Scalar> cells, values;
  for (const Column& column : input.columns) cells.push_back(scalar_at(column, row));
  for (Evaluated& result : evaluate(*program.graph, roots, cells)) {
    if (result.fault != Code::ok)
      return fault_status(*program.graph, result.fault_node, result.fault, program.source_schema);
    const bool drops = values.size() < program.predicates.size() &&
                       (result.value.is_null || result.value.integer == 0);
    if (drops) return std::vector<Scalar>();
    values.push_back(std::move(result.value));
  }
  return values;
}

}  // namespace penstock::plan
