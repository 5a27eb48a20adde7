#include "relation/lowering.hpp"

#include "base/exception_boundary.hpp"
#include "relation/early_functions.hpp"
#include "relation/late_keys.hpp"
#include "relation/prune.hpp"

namespace penstock::relation {

Lowering::Lowering(const RelationGraph& relations, RelationId result, Plan& plan)
    : relations_(relations),
      plan_(plan),
      consumers_(relations.size(), 0),
      has_order_(relations.size(), false),
      estimates_(relations) {
  std::vector<bool> is_reached(relations.size(), false);
  is_reached[result] = true;
  has_order_[result] = true;
  for (std::size_t id = relations.size(); id-- > 0;) {  // inputs have smaller numbers
    if (!is_reached[id]) continue;
    for (const RelationId input : at(static_cast<RelationId>(id)).inputs) {
      consumers_[input]++;
      is_reached[input] = true;
    }
    note_order(static_cast<RelationId>(id));
  }
}

// Groups need not be sorted, nor rows be, where that changes nothing but the order that nobody
// sees. A limit takes the first rows, equal rows of a sort and of a window keep their order, and
// rows of a join are in the order of its left ones.
void Lowering::note_order(RelationId id) {
  const Relation& relation = at(id);
  const auto note = [&](std::size_t input, bool has_order) {
    if (has_order) has_order_[relation.inputs[input]] = true;
  };
  switch (relation.kind) {
    case RelationKind::limit:
    case RelationKind::window: return note(0, true);
    case RelationKind::unnest:
    case RelationKind::sort:
    case RelationKind::filter:
    case RelationKind::project:
    case RelationKind::join: return note(0, has_order_[id]);
    case RelationKind::append:
      for (std::size_t i = 0; i < relation.inputs.size(); i++) note(i, has_order_[id]);
      return;
    case RelationKind::scan:
    case RelationKind::aggregate:
    case RelationKind::distinct:
    case RelationKind::intersect:
    case RelationKind::except:
    case RelationKind::working_table:
    case RelationKind::recursion: return;
  }
}

Result<StepId> Lowering::of(RelationId id) {
  if (const auto found = steps_.find(id); found != steps_.end()) return found->second;
  PENSTOCK_ASSIGN(const StepId step, is_held(id) ? held(id) : lower(id));
  steps_[id] = step;
  return step;
}

Result<StepId> Lowering::lower(RelationId id) {
  const Relation& relation = at(id);
  const auto input = [&] { return of(relation.inputs[0]); };
  switch (relation.kind) {
    case RelationKind::scan: return plan_.source(relation.source);
    case RelationKind::filter: return filter(relation);
    case RelationKind::project: return project(relation);
    case RelationKind::join: return join(relation);
    case RelationKind::aggregate: return aggregate(id);
    case RelationKind::distinct: {
      PENSTOCK_ASSIGN(const StepId rows, input());
      return distinct(rows);
    }
    case RelationKind::window: {
      PENSTOCK_ASSIGN(const StepId rows, input());
      return plan_.window(rows, relation.window);
    }
    case RelationKind::sort: {
      PENSTOCK_ASSIGN(const StepId rows, input());
      if (!has_order_[id]) return rows;
      return plan_.order_by(rows, relation.sort_keys);
    }
    case RelationKind::limit: {
      PENSTOCK_ASSIGN(const StepId rows, input());
      return plan_.limit(rows, relation.limit, relation.offset);
    }
    case RelationKind::append: return append(relation);
    case RelationKind::unnest: {
      PENSTOCK_ASSIGN(const StepId rows, input());
      return plan_.unnest(rows, relation.unnesting);
    }
    case RelationKind::intersect:
    case RelationKind::except: return set_operation(relation);
    case RelationKind::working_table: return working_table(id);
    case RelationKind::recursion: return recursion(relation);
  }
  return Status(Code::internal, "a relation of no known kind");
}

Result<StepId> Lowering::filter(const Relation& relation) {
  PENSTOCK_ASSIGN(const std::optional<StepId> by_mark, filter_by_mark(relation));
  if (by_mark) return *by_mark;
  return filtered(relation.inputs[0], *relation.graph, relation.predicate);
}

// Rows that are appended or compared are filtered before, where nothing else reads them.
Result<StepId> Lowering::filtered(RelationId id, const Graph& graph, NodeId predicate) {
  const Relation& relation = at(id);
  const bool is_shared = consumers_[id] > 1;
  if (relation.kind == RelationKind::append && !is_shared) {
    std::vector<StepId> inputs;
    for (const RelationId input : relation.inputs) {
      PENSTOCK_ASSIGN(inputs.emplace_back(), filtered(input, graph, predicate));
    }
    return plan_.append(std::move(inputs));
  }
  if (relation.kind == RelationKind::distinct && !is_shared) {
    PENSTOCK_ASSIGN(const StepId kept, filtered(relation.inputs[0], graph, predicate));
    return distinct(kept);
  }
  PENSTOCK_ASSIGN(const StepId rows, of(id));
  return add_filter(plan_, rows, graph, predicate, columns_from(0, width(rows)));
}

Result<StepId> Lowering::project(const Relation& relation) {
  PENSTOCK_ASSIGN(const StepId rows, of(relation.inputs[0]));
  std::vector<NodeId> roots;
  for (const Projection& projection : relation.projections) roots.push_back(projection.root);
  const Moved values = moved(schema(rows), *relation.graph, roots, columns_from(0, width(rows)));
  std::vector<Projection> projections;
  for (std::size_t i = 0; i < roots.size(); i++)
    projections.push_back({relation.projections[i].name, values.roots[i]});
  return plan_.map(rows, values.graph, std::move(projections));
}

Result<StepId> Lowering::append(const Relation& relation) {
  std::vector<StepId> inputs;
  for (const RelationId input : relation.inputs) {
    PENSTOCK_ASSIGN(inputs.emplace_back(), of(input));
  }
  return plan_.append(std::move(inputs));
}

Result<StepId> prefer_late_keys(const Pruned& relations, StepId rows, Plan& plan) {
  const auto expected = std::make_shared<ExpectedKeys>();
  PENSTOCK_ASSIGN(std::optional<Pruned> late, with_late_keys(relations, expected));
  if (!late) return rows;
  for (std::optional<Pruned> next = std::move(late); next;) {
    late = std::move(next);
    PENSTOCK_ASSIGN(next, with_late_keys(*late, expected));
  }
  PENSTOCK_ASSIGN(const StepId preferred,
                  Lowering(late->relations, late->result, plan).of(late->result));
  // A column that may be NULL by one of them alone is a type of another result.
  return plan.prefer(preferred, rows, expected).ok() ? preferred : rows;
}

}  // namespace penstock::relation

namespace penstock {

Result<StepId> lower(const RelationGraph& relations, RelationId result, Plan& plan) {
  return catch_exceptions([&]() -> Result<StepId> {
    if (result >= relations.size())
      return Status(Code::invalid, "the result is not a relation of this graph");
    PENSTOCK_ASSIGN(relation::Pruned pruned, relation::prune(relations, result));
    PENSTOCK_ASSIGN(auto early, relation::with_early_functions(pruned));
    if (early) pruned = *std::move(early);
    PENSTOCK_ASSIGN(const StepId rows,
                    relation::Lowering(pruned.relations, pruned.result, plan).of(pruned.result));
    return relation::prefer_late_keys(pruned, rows, plan);
  });
}

}  // namespace penstock
