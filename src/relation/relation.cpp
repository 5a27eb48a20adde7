// Adds relations: infers types, and refuses wrong ones with the relation's name and the types.
#include "penstock/relation.hpp"

#include <algorithm>
#include <array>

#include "plan/schema_source.hpp"

namespace penstock {
namespace {

Status wrong(RelationKind kind, std::string message, Code code = Code::invalid) {
  return Status(code, std::string(name_of(kind)) + ": " + std::move(message));
}

// A plan with one source, whose steps check what a relation is made of.
struct Scratch {
  explicit Scratch(const Schema& schema) : rows(plan.source(plan::schema_source(schema))) {}
  Plan plan;
  StepId rows;
};

// Returns the schema of the step that was added.
Result<Schema> schema_of(const Scratch& scratch, const Result<StepId>& step) {
  if (!step.ok()) return step.status();
  return scratch.plan.step(*step).schema;
}

Schema joined(const Schema& left, const Schema& right, JoinType type) {
  Schema schema = left;
  for (Field& field : schema) field.nullable |= type == JoinType::full;
  if (yields_left_alone(type)) return schema;
  if (type == JoinType::mark) {
    schema.push_back({"mark", {Kind::boolean}, true});
    return schema;
  }
  for (Field field : right) {
    field.nullable |= type != JoinType::inner;
    schema.push_back(std::move(field));
  }
  return schema;
}

Status check_keys(const std::vector<RelationKey>& keys, const Schema& left, const Schema& right) {
  for (const RelationKey& key : keys) {
    if (key.left >= left.size() || key.right >= right.size())
      return wrong(RelationKind::join, "there is no column of that number");
    if (!(left[key.left].type == right[key.right].type))
      return wrong(RelationKind::join, "keys of " + name_of(left[key.left].type) + " and " +
                                           name_of(right[key.right].type));
  }
  return {};
}

// A NULL of several keys, or of pairs that a condition leaves out, would mean more.
Status check_not_in(const RelationJoin& join) {
  if (join.type != JoinType::not_in || (join.keys.size() == 1 && !join.residual)) return {};
  return wrong(RelationKind::join, "not in takes one key and no condition");
}

Status check_sets(const RelationAggregate& aggregate) {
  for (const auto* const lists : {&aggregate.sets, &aggregate.groupings})
    for (const std::vector<std::uint32_t>& list : *lists)
      for (const std::uint32_t key : list)
        if (key >= aggregate.keys.size())
          return wrong(RelationKind::aggregate, "there is no key " + std::to_string(key));
  return {};
}

bool is_in_every_set(const RelationAggregate& aggregate, std::uint32_t key) {
  return std::ranges::all_of(aggregate.sets, [&](const std::vector<std::uint32_t>& set) {
    return std::ranges::find(set, key) != set.end();
  });
}

// The keys have their types in the first place of the schema.
Result<Schema> aggregated(const RelationAggregate& aggregate, const Schema& input) {
  Schema schema;
  if (!aggregate.keys.empty()) {
    Scratch scratch(input);
    PENSTOCK_ASSIGN(
        schema, schema_of(scratch, scratch.plan.group_by(scratch.rows, aggregate.graph,
                                                         aggregate.keys, aggregate.aggregates)));
  } else if (!aggregate.aggregates.empty()) {
    Scratch scratch(input);
    PENSTOCK_ASSIGN(schema, schema_of(scratch, scratch.plan.reduce(scratch.rows, aggregate.graph,
                                                                   aggregate.aggregates)));
  }
  for (std::uint32_t key = 0; key < aggregate.keys.size(); key++)
    schema[key].nullable |= !is_in_every_set(aggregate, key);
  for (std::size_t i = 0; i < aggregate.groupings.size(); i++)
    schema.push_back({"grouping", {Kind::int64}, false});
  return schema;
}

}  // namespace

std::string_view name_of(RelationKind kind) {
  constexpr std::array<std::string_view, 15> names = {
      "scan",  "filter", "project",   "join",   "aggregate", "distinct",      "window",   "sort",
      "limit", "append", "intersect", "except", "unnest",    "working table", "recursion"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(JoinType type) {
  constexpr std::array<std::string_view, 8> names = {"inner", "left", "full",   "semi",
                                                     "anti",  "mark", "single", "not in"};
  return names[static_cast<std::size_t>(type)];
}

Result<RelationId> RelationGraph::add(Relation relation) {
  for (const RelationId input : relation.inputs)
    if (input >= relations_.size()) return wrong(relation.kind, "its input is not of this graph");
  relations_.push_back(std::move(relation));
  return static_cast<RelationId>(relations_.size() - 1);
}

RelationId RelationGraph::scan(std::shared_ptr<TableSource> source) {
  Relation relation;
  relation.schema = source->schema();
  relation.source = std::move(source);
  relations_.push_back(std::move(relation));
  return static_cast<RelationId>(relations_.size() - 1);
}

Result<RelationId> RelationGraph::filter(RelationId input, std::shared_ptr<const Graph> graph,
                                         NodeId predicate) {
  if (input >= size()) return wrong(RelationKind::filter, "its input is not of this graph");
  Scratch scratch(at(input).schema);
  PENSTOCK_TRY(scratch.plan.filter(scratch.rows, graph, predicate).status());
  Relation relation{RelationKind::filter, {input}, at(input).schema, {}, std::move(graph)};
  relation.predicate = predicate;
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::project(RelationId input, std::shared_ptr<const Graph> graph,
                                          std::vector<Projection> projections) {
  if (input >= size()) return wrong(RelationKind::project, "its input is not of this graph");
  Scratch scratch(at(input).schema);
  Relation relation{RelationKind::project, {input}, {}, {}, graph};
  PENSTOCK_ASSIGN(relation.schema,
                  schema_of(scratch, scratch.plan.map(scratch.rows, graph, projections)));
  relation.projections = std::move(projections);
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::join(RelationId left, RelationId right, RelationJoin join) {
  if (left >= size() || right >= size())
    return wrong(RelationKind::join, "an input is not of this graph");
  const Schema &left_schema = at(left).schema, &right_schema = at(right).schema;
  PENSTOCK_TRY(check_keys(join.keys, left_schema, right_schema));
  PENSTOCK_TRY(check_not_in(join));
  if (join.residual) {
    Scratch scratch(joined(left_schema, right_schema, JoinType::inner));
    PENSTOCK_TRY(scratch.plan.filter(scratch.rows, join.graph, *join.residual).status());
  }
  Relation relation{
      RelationKind::join, {left, right}, joined(left_schema, right_schema, join.type)};
  relation.join = std::move(join);
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::aggregate(RelationId input, RelationAggregate aggregate) {
  if (input >= size()) return wrong(RelationKind::aggregate, "its input is not of this graph");
  if (aggregate.keys.empty() && aggregate.aggregates.empty())
    return wrong(RelationKind::aggregate, "it has neither keys nor aggregates");
  PENSTOCK_TRY(check_sets(aggregate));
  Relation relation{RelationKind::aggregate, {input}};
  PENSTOCK_ASSIGN(relation.schema, aggregated(aggregate, at(input).schema));
  relation.aggregate = std::move(aggregate);
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::distinct(RelationId input) {
  if (input >= size()) return wrong(RelationKind::distinct, "its input is not of this graph");
  return add({RelationKind::distinct, {input}, at(input).schema});
}

Result<RelationId> RelationGraph::window(RelationId input, Window window) {
  if (input >= size()) return wrong(RelationKind::window, "its input is not of this graph");
  Scratch scratch(at(input).schema);
  Relation relation{RelationKind::window, {input}};
  PENSTOCK_ASSIGN(relation.schema, schema_of(scratch, scratch.plan.window(scratch.rows, window)));
  relation.window = std::move(window);
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::unnest(RelationId input, Unnesting unnesting) {
  if (input >= size()) return wrong(RelationKind::unnest, "its input is not of this graph");
  Scratch scratch(at(input).schema);
  Relation relation{RelationKind::unnest, {input}};
  PENSTOCK_ASSIGN(relation.schema,
                  schema_of(scratch, scratch.plan.unnest(scratch.rows, unnesting)));
  relation.unnesting = std::move(unnesting);
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::sort(RelationId input, std::vector<SortKey> keys) {
  if (input >= size()) return wrong(RelationKind::sort, "its input is not of this graph");
  Scratch scratch(at(input).schema);
  PENSTOCK_TRY(scratch.plan.order_by(scratch.rows, keys).status());
  Relation relation{RelationKind::sort, {input}, at(input).schema};
  relation.sort_keys = std::move(keys);
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::limit(RelationId input, std::uint64_t count,
                                        std::uint64_t offset) {
  if (input >= size()) return wrong(RelationKind::limit, "its input is not of this graph");
  Relation relation{RelationKind::limit, {input}, at(input).schema};
  relation.limit = count;
  relation.offset = offset;
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::append(std::vector<RelationId> inputs) {
  Plan plan;
  std::vector<StepId> steps;
  for (const RelationId input : inputs) {
    if (input >= size()) return wrong(RelationKind::append, "its input is not of this graph");
    steps.push_back(plan.source(plan::schema_source(at(input).schema)));
  }
  PENSTOCK_ASSIGN(const StepId step, plan.append(std::move(steps)));
  return add({RelationKind::append, std::move(inputs), plan.step(step).schema});
}

Result<RelationId> RelationGraph::of_sets(RelationKind kind, RelationId left, RelationId right,
                                          bool all) {
  if (left >= size() || right >= size()) return wrong(kind, "an input is not of this graph");
  PENSTOCK_TRY(append({left, right}).status());  // checks the types
  relations_.pop_back();
  Relation relation{kind, {left, right}, at(left).schema};
  relation.all = all;
  return add(std::move(relation));
}

Result<RelationId> RelationGraph::intersect(RelationId left, RelationId right, bool all) {
  return of_sets(RelationKind::intersect, left, right, all);
}

Result<RelationId> RelationGraph::except(RelationId left, RelationId right, bool all) {
  return of_sets(RelationKind::except, left, right, all);
}

Result<RelationId> RelationGraph::copy(const Relation& relation, std::vector<RelationId> inputs) {
  Relation copy = relation;
  copy.inputs = std::move(inputs);
  return add(std::move(copy));
}

RelationId RelationGraph::working_table(Schema schema) {
  for (Field& field : schema) field.nullable = true;
  relations_.push_back({RelationKind::working_table, {}, std::move(schema)});
  return static_cast<RelationId>(relations_.size() - 1);
}

Result<RelationId> RelationGraph::recursion(RelationId working, RelationId base, RelationId step,
                                            bool all) {
  constexpr RelationKind kind = RelationKind::recursion;
  if (working >= size() || at(working).kind != RelationKind::working_table)
    return wrong(kind, "its first relation is not a working table of this graph");
  if (base >= size() || step >= size()) return wrong(kind, "an input is not of this graph");
  PENSTOCK_TRY(append({working, base, step}).status());  // checks the types
  relations_.pop_back();
  Relation relation{kind, {working, base, step}, at(working).schema};
  relation.all = all;
  return add(std::move(relation));
}

}  // namespace penstock
