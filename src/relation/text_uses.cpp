#include "relation/text_uses.hpp"

#include <algorithm>

#include "expr/operation.hpp"
#include "expr/string_functions.hpp"
#include "plan/aggregates.hpp"

namespace penstock::relation {
namespace {

bool are_equal(const Scalar& a, const Scalar& b) {
  return a.type == b.type && a.is_null == b.is_null && a.integer == b.integer && a.real == b.real &&
         a.text == b.text;
}

}  // namespace

bool TextCall::is_same(const TextCall& other) const {
  const Node &a = graph->at(call), &b = other.graph->at(other.call);
  if (graph->custom_functions[a.payload] != other.graph->custom_functions[b.payload]) return false;
  return std::ranges::equal(a.inputs, b.inputs, [&](NodeId x, NodeId y) {
    const Node &of_a = graph->at(x), &of_b = other.graph->at(y);
    if (of_a.op != of_b.op) return false;
    return of_a.op == Op::column ||
           are_equal(graph->parameters[of_a.payload], other.graph->parameters[of_b.payload]);
  });
}

std::optional<TextCall> text_call(const Graph& graph, NodeId id) {
  const Node& node = graph.at(id);
  if (node.op != Op::custom || !expr::is_string_function(*graph.custom_functions[node.payload]) ||
      can_fault(graph, id))
    return std::nullopt;
  std::optional<TextCall> call;
  for (const NodeId input : node.inputs) {
    const Node& of = graph.at(input);
    if (of.op == Op::parameter) continue;
    if (of.op != Op::column || of.type.kind != Kind::string || call) return std::nullopt;
    call = TextCall{&graph, id, of.payload};
  }
  return call;
}

TextUses::TextUses(const RelationGraph& relations, RelationId result)
    : relations_(relations),
      consumers_(relations.size(), 0),
      are_all_needed_(relations.size(), true),
      uses_(relations.size()) {
  for (RelationId id = 0; id <= result; id++) uses_[id].resize(relations.at(id).schema.size());
  consumers_[result] = 1;
  are_all_needed_[result] = false;
  for (Use& use : uses_[result]) use.is_text = true;
  for (RelationId id = result + 1; id-- > 0;)  // inputs have smaller numbers
    if (is_reached(id)) {
      for (const RelationId input : relations.at(id).inputs) consumers_[input]++;
      if (consumers_[id] > 1)
        for (Use& use : uses_[id]) use.is_handed_on = true;
      visit(id);
    }
}

std::optional<TextCall> TextUses::only_call(RelationId id, std::uint32_t column) const {
  const Use& use = uses_[id][column];
  return use.is_handed_on && !use.is_text ? use.call : std::nullopt;
}

void TextUses::add(Use& to, const Use& use) const {
  to.is_handed_on |= use.is_handed_on;
  to.is_text |= use.is_text || (to.call && use.call && !to.call->is_same(*use.call));
  if (!to.call) to.call = use.call;
}

void TextUses::pass(RelationId by, std::uint32_t column, RelationId input,
                    std::uint32_t input_column) {
  Use use = uses_[by][column];
  use.is_handed_on |= relations_.at(by).kind == RelationKind::join;
  add(uses_[input][input_column], use);
}

void TextUses::read_texts(RelationId input) {
  for (Use& use : uses_[input]) use.is_text = true;
}

// Functions of few rows are computed late. A call reads no text but by its function.
void TextUses::read(RelationId by, const Graph& graph, NodeId root, RelationId input,
                    std::uint32_t first_column) {
  const std::uint32_t end =
      first_column + static_cast<std::uint32_t>(relations_.at(input).schema.size());
  const auto is_of_input = [&](std::uint32_t column) {
    return column >= first_column && column < end;
  };
  std::vector<bool> is_read(root + 1);
  is_read[root] = true;
  for (NodeId id = root + 1; id-- > 0;) {  // inputs have smaller numbers
    if (!is_read[id]) continue;
    const Node& node = graph.at(id);
    const auto call = are_all_needed_[by] ? text_call(graph, id) : std::nullopt;
    if (call && is_of_input(call->column))
      add(uses_[input][call->column - first_column], {.call = call});
    else if (node.op == Op::column && is_of_input(node.payload))
      uses_[input][node.payload - first_column].is_text = true;
    for (const NodeId one : node.inputs)
      if (!call) is_read[one] = true;
  }
}

void TextUses::visit(RelationId id) {
  const Relation& relation = relations_.at(id);
  const auto columns = static_cast<std::uint32_t>(relation.schema.size());
  const bool hands_on = relation.kind == RelationKind::filter ||
                        relation.kind == RelationKind::project ||
                        relation.kind == RelationKind::join;
  if (relation.kind == RelationKind::aggregate) are_all_needed_[id] = true;
  for (const RelationId input : relation.inputs)
    are_all_needed_[input] = are_all_needed_[input] && are_all_needed_[id] &&
                             (hands_on || relation.kind == RelationKind::aggregate);
  switch (relation.kind) {
    case RelationKind::filter:
      for (std::uint32_t i = 0; i < columns; i++) pass(id, i, relation.inputs[0], i);
      return read(id, *relation.graph, relation.predicate, relation.inputs[0]);
    case RelationKind::project:
      for (std::uint32_t i = 0; i < columns; i++) {
        const NodeId root = relation.projections[i].root;
        const Node& node = relation.graph->at(root);
        if (node.op == Op::column)
          pass(id, i, relation.inputs[0], node.payload);
        else
          read(id, *relation.graph, root, relation.inputs[0]);
      }
      return;
    case RelationKind::join: return visit_join(id);
    case RelationKind::aggregate: {
      const RelationAggregate& aggregate = relation.aggregate;
      for (const Projection& key : aggregate.keys)
        read(id, *aggregate.graph, key.root, relation.inputs[0]);
      for (const AggregateCall& call : aggregate.aggregates)
        if (plan::takes_argument(call.function))
          read(id, *aggregate.graph, call.argument, relation.inputs[0]);
      return;
    }
    default:
      for (const RelationId input : relation.inputs) read_texts(input);
  }
}

void TextUses::visit_join(RelationId id) {
  const Relation& relation = relations_.at(id);
  const RelationId left = relation.inputs[0], right = relation.inputs[1];
  const auto left_width = static_cast<std::uint32_t>(relations_.at(left).schema.size()),
             right_width = static_cast<std::uint32_t>(relations_.at(right).schema.size());
  const JoinType type = relation.join.type;
  const bool has_right = !yields_left_alone(type) && type != JoinType::mark;
  for (std::uint32_t i = 0; i < left_width; i++) pass(id, i, left, i);
  for (std::uint32_t i = 0; i < right_width && has_right; i++) pass(id, left_width + i, right, i);
  for (const RelationKey& key : relation.join.keys)
    uses_[left][key.left].is_text = uses_[right][key.right].is_text = true;
  if (!relation.join.residual) return;
  read(id, *relation.join.graph, *relation.join.residual, left);
  read(id, *relation.join.graph, *relation.join.residual, right, left_width);
}

}  // namespace penstock::relation
