#include "relation/partners.hpp"

#include <algorithm>

#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

// Floats of equal keys may be 0.0 and -0.0.
bool is_key_of_both(const RelationJoin& join, std::uint32_t right_column, const Schema& left) {
  return std::ranges::any_of(join.keys, [&](const RelationKey& key) {
    return key.right == right_column && !is_float(left[key.left].type);
  });
}

// Returns whether a condition is that a left and a right column of up to 64 bits differ.
bool is_difference(const Graph& graph, NodeId condition, std::uint32_t left_width) {
  const Node& node = graph.at(condition);
  if (node.op != Op::not_equal) return false;
  const Node &a = graph.at(node.inputs[0]), &b = graph.at(node.inputs[1]);
  const bool are_columns = a.op == Op::column && b.op == Op::column && a.type == b.type;
  return are_columns && (a.payload < left_width) != (b.payload < left_width) &&
         a.type.kind != Kind::string && !has_128_bits(a.type);
}

}  // namespace

// A semi join holds its right side, and makes pairs for any condition but <>, as inner joins do.
bool only_finds_partners(const RelationGraph& relations, RelationId id, const Readers& readers,
                         Estimates& estimates) {
  const Relation& relation = relations.at(id);
  const RelationJoin& join = relation.join;
  if (join.type != JoinType::inner || join.keys.empty() || !readers.ignore_repeats(id))
    return false;
  if (join.expected_keys) return false;  // a semi join's table does not tell whether keys repeat
  const Schema& left = relations.at(relation.inputs[0]).schema;
  const auto left_width = static_cast<std::uint32_t>(left.size());
  const bool reads_left_alone = std::ranges::all_of(readers.of(id), [&](std::uint32_t column) {
    return column < left_width || is_key_of_both(join, column - left_width, left);
  });
  if (!reads_left_alone) return false;
  if (join.residual) return is_difference(*join.graph, *join.residual, left_width);
  return estimates.rows_of(relation.inputs[1]) <= estimates.rows_of(relation.inputs[0]);
}

}  // namespace penstock::relation
