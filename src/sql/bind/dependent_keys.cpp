#include "sql/bind/dependent_keys.hpp"

#include <algorithm>
#include <set>

#include "expr/operation.hpp"

namespace penstock::sql {
namespace {

// Returns which keys follow from the others, of which there is one at least. Floats of one group
// may differ, as 0.0 and -0.0 do, so that nothing follows from them.
std::vector<bool> dependent_keys(const Graph& graph, const std::vector<Projection>& keys) {
  std::set<std::uint32_t> known;
  for (const Projection& key : keys)
    if (graph.at(key.root).op == Op::column && !is_float(graph.at(key.root).type))
      known.insert(graph.at(key.root).payload);
  std::vector<bool> are_dependent;
  for (const Projection& key : keys) {
    const std::vector<std::uint32_t> read = expr::columns_read(graph, std::span(&key.root, 1));
    are_dependent.push_back(graph.at(key.root).op != Op::column &&
                            std::ranges::includes(known, read));
  }
  if (std::ranges::count(are_dependent, false) == 0 && !are_dependent.empty())
    are_dependent[0] = false;
  return are_dependent;
}

// Computes the keys from the columns of the groups, which have the other keys first.
Result<StepId> map_keys(Plan& plan, StepId groups, const Graph& graph,
                        const std::vector<Projection>& keys,
                        const std::vector<bool>& are_dependent) {
  Builder builder(plan.step(groups).schema);
  std::vector<NodeId> columns;  // of the rows that were grouped
  const auto groups_keys = static_cast<std::uint32_t>(std::ranges::count(are_dependent, false));
  std::vector<NodeId> own;  // of the groups
  for (std::uint32_t i = 0; i < plan.step(groups).schema.size(); i++)
    own.push_back(builder.column(i));
  for (std::size_t i = 0, next = 0; i < keys.size(); i++) {
    if (are_dependent[i]) continue;
    const Node& key = graph.at(keys[i].root);
    if (key.op == Op::column) {
      columns.resize(std::max<std::size_t>(columns.size(), key.payload + std::size_t{1}), own[0]);
      columns[key.payload] = own[next];
    }
    next++;
  }
  std::vector<Projection> outputs;
  for (std::size_t i = 0, next = 0; i < keys.size(); i++)
    outputs.push_back({keys[i].name, are_dependent[i]
                                         ? builder.graph()->import(graph, keys[i].root, columns)
                                         : own[next++]});
  for (std::uint32_t i = groups_keys; i < own.size(); i++)
    outputs.push_back({plan.step(groups).schema[i].name, own[i]});
  return plan.map(groups, builder.graph(), std::move(outputs));
}

}  // namespace

Result<StepId> group_by_keys(Plan& plan, StepId input, const std::shared_ptr<const Graph>& graph,
                             const std::vector<Projection>& keys,
                             const std::vector<AggregateCall>& aggregates) {
  const std::vector<bool> are_dependent = dependent_keys(*graph, keys);
  if (std::ranges::count(are_dependent, true) == 0)
    return plan.group_by(input, graph, keys, aggregates);
  std::vector<Projection> needed;
  for (std::size_t i = 0; i < keys.size(); i++)
    if (!are_dependent[i]) needed.push_back(keys[i]);
  PENSTOCK_ASSIGN(const StepId groups, plan.group_by(input, graph, std::move(needed), aggregates));
  return map_keys(plan, groups, *graph, keys, are_dependent);
}

}  // namespace penstock::sql
