#include "relation/columns_needed.hpp"

#include <algorithm>

#include "expr/operation.hpp"
#include "plan/aggregates.hpp"
#include "relation/shape.hpp"

namespace penstock::relation {
namespace {

void add_read(const Graph& graph, NodeId root, Needed& columns) {
  for (const std::uint32_t column : expr::columns_read(graph, std::span(&root, 1)))
    columns.insert(column);
}

// Rows that are only counted have a column.
bool keeps_a_column(const Relation& relation) {
  return relation.kind == RelationKind::project || relation.kind == RelationKind::append ||
         (relation.kind == RelationKind::aggregate && relation.aggregate.keys.empty());
}

// A join that is one step, which reads its keys and what it yields.
bool is_plain_join(const Relation& relation) {
  if (relation.kind != RelationKind::join) return false;
  const RelationJoin& join = relation.join;
  if (join.type == JoinType::inner) return true;
  return !join.residual && (join.type == JoinType::left || yields_left_alone(join.type));
}

bool ignores_repeated_values(const AggregateCall& call) {
  switch (call.function) {
    case Aggregate::minimum:
    case Aggregate::maximum:
    case Aggregate::bool_and:
    case Aggregate::bool_or: return true;
    case Aggregate::count:
    case Aggregate::sum:
    case Aggregate::average: return call.distinct;
    case Aggregate::count_rows:
    case Aggregate::custom: return false;
  }
  return false;
}

}  // namespace

Readers::Readers(const RelationGraph& relations, RelationId result)
    : relations_(relations),
      needed_(relations.size()),
      readers_(relations.size(), 0),
      choose_columns_(relations.size(), true),
      ignore_repeats_(relations.size(), true) {
  readers_[result] = 1;
  choose_columns_[result] = ignore_repeats_[result] = false;
  add_all(result);
  for (RelationId id = result + 1; id-- > 0;)  // inputs have smaller numbers
    if (is_reached(id)) {
      visit(id);
      note_choice(id);
      note_repeats(id);
    }
}

// Rows with several readers are kept with all their columns, so those are left out before.
void Readers::note_choice(RelationId id) {
  const Relation& relation = relations_.at(id);
  const bool chooses = relation.kind == RelationKind::project ||
                       relation.kind == RelationKind::aggregate ||
                       (choose_columns_[id] && readers_[id] == 1 &&
                        (relation.kind == RelationKind::filter || is_plain_join(relation)));
  if (chooses) return;
  for (const RelationId input : relation.inputs) choose_columns_[input] = false;
}

void Readers::note_repeats(RelationId id) {
  const Relation& relation = relations_.at(id);
  for (std::size_t i = 0; i < relation.inputs.size(); i++)
    if (!ignores_repeats_of(id, i)) ignore_repeats_[relation.inputs[i]] = false;
}

// A second partner of a single join's row is a fault.
bool Readers::ignores_repeats_of(RelationId id, std::size_t input) const {
  const Relation& relation = relations_.at(id);
  switch (relation.kind) {
    case RelationKind::project:
    case RelationKind::filter:
    case RelationKind::sort:
    case RelationKind::append: return ignore_repeats_[id];
    case RelationKind::join: {
      const JoinType type = relation.join.type;
      if (input == 1 && (yields_left_alone(type) || type == JoinType::mark)) return true;
      return type != JoinType::single && ignore_repeats_[id];
    }
    case RelationKind::aggregate:
      return std::ranges::all_of(relation.aggregate.aggregates, ignores_repeated_values);
    case RelationKind::distinct: return true;
    case RelationKind::intersect:
    case RelationKind::except: return !relation.all;
    case RelationKind::scan:
    case RelationKind::window:
    case RelationKind::limit:
    case RelationKind::unnest:
    case RelationKind::working_table:
    case RelationKind::recursion: return false;
  }
  return false;
}

Needed& Readers::reach(const Relation& relation, std::size_t input) {
  const RelationId id = relation.inputs[input];
  readers_[id]++;
  return needed_[id];
}

void Readers::add_all(RelationId id) {
  for (std::uint32_t i = 0; i < width(relations_.at(id)); i++) needed_[id].insert(i);
}

void Readers::visit(RelationId id) {
  const Relation& relation = relations_.at(id);
  if (needed_[id].empty() && keeps_a_column(relation)) needed_[id].insert(0);
  const Needed& own = needed_[id];
  switch (relation.kind) {
    case RelationKind::scan:
    case RelationKind::working_table: return;
    case RelationKind::filter: {
      Needed& input = reach(relation, 0);
      input.insert(own.begin(), own.end());
      return add_read(*relation.graph, relation.predicate, input);
    }
    case RelationKind::project: {
      Needed& input = reach(relation, 0);
      for (const std::uint32_t i : own)
        add_read(*relation.graph, relation.projections[i].root, input);
      return;
    }
    case RelationKind::join: return visit_join(relation, own);
    case RelationKind::aggregate: return visit_aggregate(relation, own);
    case RelationKind::window: return visit_window(relation, own);
    case RelationKind::sort: {
      Needed& input = reach(relation, 0);
      input.insert(own.begin(), own.end());
      for (const SortKey& key : relation.sort_keys) input.insert(key.column);
      return;
    }
    case RelationKind::unnest: return visit_unnest(relation, own);
    case RelationKind::limit: reach(relation, 0).insert(own.begin(), own.end()); return;
    case RelationKind::append:
      for (std::size_t i = 0; i < relation.inputs.size(); i++)
        reach(relation, i).insert(own.begin(), own.end());
      return;
    case RelationKind::distinct:
    case RelationKind::intersect:
    case RelationKind::except:
    case RelationKind::recursion:  // rows are compared whole, and read again
      for (std::size_t i = 0; i < relation.inputs.size(); i++) {
        reach(relation, i);
        add_all(relation.inputs[i]);
      }
  }
}

void Readers::visit_join(const Relation& relation, const Needed& own) {
  Needed &left = reach(relation, 0), &right = reach(relation, 1);
  const std::uint32_t left_width = width(relations_.at(relation.inputs[0])),
                      right_width = width(relations_.at(relation.inputs[1]));
  Needed pair = own;
  if (relation.join.residual) add_read(*relation.join.graph, *relation.join.residual, pair);
  for (const std::uint32_t column : pair)
    if (column < left_width)
      left.insert(column);
    else if (column - left_width < right_width && relation.join.type != JoinType::mark)
      right.insert(column - left_width);
  // The mark stands behind the left columns, where a residual has the right ones.
  if (relation.join.type == JoinType::mark && relation.join.residual) {
    Needed read;
    add_read(*relation.join.graph, *relation.join.residual, read);
    for (const std::uint32_t column : read)
      if (column >= left_width) right.insert(column - left_width);
  }
  for (const RelationKey& key : relation.join.keys) {
    left.insert(key.left);
    right.insert(key.right);
  }
}

void Readers::visit_aggregate(const Relation& relation, const Needed& own) {
  Needed& input = reach(relation, 0);
  const RelationAggregate& aggregate = relation.aggregate;
  for (const Projection& key : aggregate.keys) add_read(*aggregate.graph, key.root, input);
  for (std::uint32_t i = 0; i < aggregate.aggregates.size(); i++) {
    const AggregateCall& call = aggregate.aggregates[i];
    const bool is_read = own.contains(static_cast<std::uint32_t>(aggregate.keys.size()) + i);
    const auto single = single_value_of_call(relations_, relation, i);
    if (is_read && single) {
      readers_[single->relation]++;
      needed_[single->relation].insert(single->column);
    } else if (is_read && plan::takes_argument(call.function))
      add_read(*aggregate.graph, call.argument, input);
  }
}

void Readers::visit_window(const Relation& relation, const Needed& own) {
  Needed& input = reach(relation, 0);
  const std::uint32_t input_width = width(relations_.at(relation.inputs[0]));
  for (const std::uint32_t column : relation.window.partition) input.insert(column);
  for (const SortKey& key : relation.window.order) input.insert(key.column);
  for (const std::uint32_t column : own) {
    if (column < input_width) {
      input.insert(column);
      continue;
    }
    const WindowCall& call = relation.window.calls[column - input_width];
    const bool is_ranked =
        call.function == WindowFunction::row_number || call.function == WindowFunction::rank ||
        call.function == WindowFunction::dense_rank || call.function == WindowFunction::count_rows;
    if (!is_ranked) input.insert(call.column);
    if (call.otherwise) input.insert(*call.otherwise);
    if (!call.ends) continue;
    for (const FrameEnd& end : {call.ends->first, call.ends->last})
      if (end.column) input.insert(*end.column);
  }
}

// The lists decide how many rows there are.
void Readers::visit_unnest(const Relation& relation, const Needed& own) {
  Needed& input = reach(relation, 0);
  const Unnesting& unnesting = relation.unnesting;
  for (const std::uint32_t column : own)
    if (column < unnesting.kept.size()) input.insert(unnesting.kept[column]);
  input.insert(unnesting.lists.begin(), unnesting.lists.end());
}

}  // namespace penstock::relation
