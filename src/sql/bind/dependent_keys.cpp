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
Result<RelationId> compute_keys(RelationGraph& relations, RelationId groups, const Graph& graph,
                                const std::vector<Projection>& keys,
                                const std::vector<bool>& are_dependent) {
  Builder builder(relations.at(groups).schema);
  std::vector<NodeId> columns;  // of the rows that were grouped
  const auto groups_keys = static_cast<std::uint32_t>(std::ranges::count(are_dependent, false));
  std::vector<NodeId> own;  // of the groups
  for (std::uint32_t i = 0; i < relations.at(groups).schema.size(); i++)
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
    outputs.push_back({relations.at(groups).schema[i].name, own[i]});
  return relations.project(groups, builder.graph(), std::move(outputs));
}

}  // namespace

Result<RelationId> group_by_keys(RelationGraph& relations, RelationId input,
                                 const RelationAggregate& aggregate) {
  const std::vector<Projection>& keys = aggregate.keys;
  const std::vector<bool> are_dependent = dependent_keys(*aggregate.graph, keys);
  if (std::ranges::count(are_dependent, true) == 0) return relations.aggregate(input, aggregate);
  RelationAggregate needed = aggregate;
  needed.keys.clear();
  for (std::size_t i = 0; i < keys.size(); i++)
    if (!are_dependent[i]) needed.keys.push_back(keys[i]);
  PENSTOCK_ASSIGN(const RelationId groups, relations.aggregate(input, std::move(needed)));
  return compute_keys(relations, groups, *aggregate.graph, keys, are_dependent);
}

}  // namespace penstock::sql
