#include "penstock/relation.hpp"
#include "plan/describe_steps.hpp"

namespace penstock {
namespace {

using plan::list;

std::string describe_join(const RelationGraph& relations, const Relation& relation) {
  const Schema &left = relations.at(relation.inputs[0]).schema,
               &right = relations.at(relation.inputs[1]).schema;
  std::vector<std::string> conditions;
  for (const RelationKey& key : relation.join.keys)
    conditions.push_back(left[key.left].name +
                         (key.null_is_equal ? " is not distinct from " : " = ") +
                         right[key.right].name);
  if (relation.join.residual) {
    Schema pair = left;
    pair.insert(pair.end(), right.begin(), right.end());
    conditions.push_back(text_of(*relation.join.graph, *relation.join.residual, pair));
  }
  return std::string(name_of(relation.join.type)) +
         (conditions.empty() ? ", all pairs" : " on " + list(conditions));
}

std::string describe_aggregate(const Relation& relation, const Schema& input) {
  const RelationAggregate& aggregate = relation.aggregate;
  std::vector<std::string> parts;
  for (const Projection& key : aggregate.keys)
    parts.push_back(text_of(*aggregate.graph, key.root, input));
  for (const AggregateCall& call : aggregate.aggregates)
    parts.push_back(std::string(name_of(call.function)));
  const std::string sets =
      aggregate.sets.empty() ? "" : " by " + std::to_string(aggregate.sets.size()) + " sets";
  return list(parts) + sets;
}

std::string describe_project(const Relation& relation, const Schema& input) {
  std::vector<std::string> parts;
  for (const Projection& projection : relation.projections)
    parts.push_back(text_of(*relation.graph, projection.root, input));
  return list(parts);
}

std::string describe_sort(const Relation& relation) {
  std::vector<std::string> parts;
  for (const SortKey& key : relation.sort_keys)
    parts.push_back(relation.schema[key.column].name + (key.descending ? " desc" : ""));
  return list(parts);
}

std::string details(const RelationGraph& relations, const Relation& relation) {
  const Schema& input =
      relation.inputs.empty() ? relation.schema : relations.at(relation.inputs[0]).schema;
  switch (relation.kind) {
    case RelationKind::scan: return relation.source->describe();
    case RelationKind::filter: return text_of(*relation.graph, relation.predicate, input);
    case RelationKind::project: return describe_project(relation, input);
    case RelationKind::join: return describe_join(relations, relation);
    case RelationKind::aggregate: return describe_aggregate(relation, input);
    case RelationKind::sort: return describe_sort(relation);
    case RelationKind::limit:
      return std::to_string(relation.limit) +
             (relation.offset > 0 ? " offset " + std::to_string(relation.offset) : "");
    case RelationKind::window: return std::to_string(relation.window.calls.size()) + " functions";
    case RelationKind::unnest: return plan::describe_unnesting(relation.unnesting, input);
    case RelationKind::intersect:
    case RelationKind::except:
    case RelationKind::recursion: return relation.all ? "all" : "";
    case RelationKind::working_table:
    case RelationKind::distinct:
    case RelationKind::append: break;
  }
  return "";
}

// A relation that several read is printed once, and named afterwards.
void add_lines(const RelationGraph& relations, RelationId id, std::size_t depth,
               std::vector<bool>& is_printed, std::string& text) {
  const Relation& relation = relations.at(id);
  text += std::string(2 + 2 * depth, ' ') + std::string(name_of(relation.kind)) + " #" +
          std::to_string(id);
  if (is_printed[id]) {
    text += " again\n";
    return;
  }
  is_printed[id] = true;
  const std::string more = details(relations, relation);
  text += (more.empty() ? "" : ": " + more) + "\n";
  for (const RelationId input : relation.inputs)
    add_lines(relations, input, depth + 1, is_printed, text);
}

}  // namespace

std::string describe(const RelationGraph& relations, RelationId result) {
  std::string text;
  std::vector<bool> is_printed(relations.size(), false);
  add_lines(relations, result, 0, is_printed, text);
  return text;
}

}  // namespace penstock
