#include "exec/validate/compare_tables.hpp"

#include <algorithm>
#include <cmath>

#include "expr/operation.hpp"
#include "expr/value.hpp"
#include "plan/aggregates.hpp"

namespace penstock::plan {
namespace {

double number_of(const Scalar& value) {
  return is_float(value.type) ? value.real : static_cast<double>(value.integer);
}

double allowed(const Scalar& a, const Scalar& b, std::uint64_t row, const Tolerance& tolerance) {
  double distance = 0;
  if (tolerance.magnitude && tolerance.magnitude->is_valid(row))
    distance = 1e-9 * std::abs(scalar_at(*tolerance.magnitude, row).real);
  if (!tolerance.is_approximate) return distance;
  const double larger = std::max(std::abs(number_of(a)), std::abs(number_of(b)));
  return distance + larger * (a.type.kind == Kind::float32 ? 1e-4 : 1e-9) +
         (is_float(a.type) ? 0 : 1);
}

bool are_equal(const Scalar& a, const Scalar& b, std::uint64_t row, const Tolerance& tolerance) {
  if (a.is_null || b.is_null) return a.is_null == b.is_null;
  if (a.type.kind == Kind::string) return a.text == b.text;
  const bool same =
      is_float(a.type) ? expr::order_of_floats(a.real, b.real) == 0 : a.integer == b.integer;
  return same || std::abs(number_of(a) - number_of(b)) <=
                     allowed(a, b, row, tolerance);  // false if one is NaN
}

bool is_approximate(const Graph& graph, const Node& node, std::span<const Tolerance> input) {
  if (node.op == Op::column)
    return node.payload < input.size() && input[node.payload].is_approximate;
  if (node.op == Op::custom) return is_float(graph.custom_functions[node.payload]->result_type);
  return expr::row_of(node.op).is_approximate;
}

bool is_approximate(const Graph& graph, NodeId root, std::span<const Tolerance> input) {
  const std::vector<bool> needed = expr::reachable(graph, std::span(&root, 1));
  for (NodeId id = 0; id < graph.size(); id++)
    if (needed[id] && is_approximate(graph, graph.at(id), input)) return true;
  return false;
}

}  // namespace

std::optional<Difference> first_difference(const Table& device, std::uint64_t first,
                                           const Table& reference,
                                           std::span<const Tolerance> tolerances) {
  const std::uint64_t rows =
      std::min(device.row_count - std::min(first, device.row_count), reference.row_count);
  for (std::uint64_t row = 0; row < rows; row++)
    for (std::size_t c = 0; c < reference.columns.size(); c++)
      if (!are_equal(scalar_at(device.columns[c], first + row),
                     scalar_at(reference.columns[c], row), row, tolerances[c]))
        return Difference{row, c};
  return std::nullopt;
}

std::vector<Tolerance> tolerances_after(const Step& step, std::span<const Tolerance> input) {
  std::vector<Tolerance> after(step.schema.size());
  if (step.kind == StepKind::filter) return {input.begin(), input.end()};
  for (std::size_t i = 0; i < step.projections.size(); i++)
    after[i].is_approximate = is_approximate(*step.graph, step.projections[i].root, input);
  for (std::size_t i = 0; i < step.aggregates.size(); i++) {
    const AggregateCall& call = step.aggregates[i];
    if (counts_values(call.function)) continue;
    const bool is_custom_of_floats = call.custom && is_float(step.graph->at(call.argument).type);
    after[step.projections.size() + i].is_approximate =
        is_custom_of_floats || is_approximate(*step.graph, call.argument, input);
  }
  return after;
}

std::string cell_text(const Table& table, std::size_t column, std::uint64_t row) {
  const Scalar value = scalar_at(table.columns[column], row);
  return value.type.kind == Kind::string && !value.is_null ? "'" + value.text + "'"
                                                           : text_of(value);
}

std::string row_text(const Table& table, std::uint64_t row, std::size_t column_count) {
  std::string text;
  for (std::size_t i = 0; i < column_count; i++)
    if (!table.names[i].empty())  // skips columns that are not read
      text += (text.empty() ? "" : ", ") + table.names[i] + " = " + cell_text(table, i, row);
  return text;
}

}  // namespace penstock::plan
