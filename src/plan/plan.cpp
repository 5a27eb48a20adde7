// Adds steps: infers types, and refuses wrong ones with the step's name and the types.
#include "penstock/plan.hpp"

#include <algorithm>
#include <array>

#include "expr/operation.hpp"
#include "plan/aggregates.hpp"

namespace penstock {
namespace {

Status wrong(StepKind step, std::string message) {
  return Status(Code::invalid, std::string(name_of(step)) + ": " + std::move(message));
}

// Checks that every id in use is a node, and that every column is one of the input's, with its
// type.
Status check_nodes(StepKind step, const Graph& graph, std::span<const NodeId> roots,
                   const Schema& input) {
  for (NodeId root : roots)
    if (root >= graph.size())
      return wrong(step, "there is no node " + std::to_string(root) + " in its graph");
  const std::vector<bool> needed = expr::reachable(graph, roots);
  for (NodeId id = 0; id < graph.size(); id++) {
    if (!needed[id]) continue;
    const Node& node = graph.at(id);
    if (node.op == Op::parameter && node.payload >= graph.parameters.size())
      return wrong(step, "its graph lacks a parameter");
    if (node.op == Op::custom &&
        (node.payload >= graph.custom_functions.size() || !graph.custom_functions[node.payload]))
      return wrong(step, "its graph lacks a custom function");
    if (node.op != Op::column) continue;
    if (node.payload >= input.size())
      return wrong(step, "its input has no column " + std::to_string(node.payload));
    const Field& field = input[node.payload];
    if (!(node.type == field.type))
      return wrong(step, "column '" + field.name + "' is " + name_of(field.type) + ", not " +
                             name_of(node.type));
    if (field.nullable && !node.nullable)
      return wrong(step, "column '" + field.name + "' may be NULL");
  }
  return {};
}

std::vector<NodeId> roots_of(const std::vector<Projection>& projections,
                             const std::vector<AggregateCall>& aggregates) {
  std::vector<NodeId> roots;
  for (const Projection& p : projections) roots.push_back(p.root);
  for (const AggregateCall& call : aggregates)
    if (plan::takes_argument(call.function)) roots.push_back(call.argument);
  return roots;
}

bool is_value_of(const Scalar& value, Type type) {
  if (value.is_null || !(value.type == type)) return false;
  const expr::Range range = expr::stored_range(type);
  return is_float(type) || (value.integer >= range.minimum && value.integer <= range.maximum);
}

Status check_custom(StepKind step, const AggregateCall& call, Type type) {
  if (call.distinct) return wrong(step, "a custom aggregate takes no DISTINCT");
  if (!call.custom) return wrong(step, "a custom aggregate without its reduction");
  const std::string reduction = "the reduction '" + call.custom->name + "' ";
  if (!call.custom->associative || !call.custom->commutative)
    return wrong(step, reduction + "is not declared associative and commutative");
  if (!call.custom->host)
    return wrong(step, reduction + "has no function by which the host merges");
  if (!is_value_of(call.custom->neutral, call.custom->type))
    return wrong(step, reduction + "needs a neutral element of its type");
  if (!(type == call.custom->type))
    return wrong(step,
                 reduction + "takes " + name_of(call.custom->type) + ", not " + name_of(type));
  return {};
}

Result<Type> result_type(StepKind step, const plan::AggregateRow& aggregate, Type argument) {
  const std::optional<Type> type = aggregate.result(argument);
  if (type) return *type;
  return wrong(step, "cannot take " + std::string(aggregate.name) + " of " + name_of(argument));
}

Result<Type> aggregate_type(StepKind step, const AggregateCall& call, const Graph& graph) {
  const plan::AggregateRow& aggregate = plan::row_of(call.function);
  if (!plan::takes_argument(call.function)) {
    if (call.distinct) return wrong(step, "count(*) takes no DISTINCT");
    return result_type(step, aggregate, {});
  }
  const Type argument = graph.at(call.argument).type;
  if (call.function == Aggregate::custom) PENSTOCK_TRY(check_custom(step, call, argument));
  return result_type(step, aggregate, argument);
}

// Returns the result types of aggregates. Counts are never NULL; other aggregates are NULL over no
// rows.
Result<Schema> aggregate_fields(StepKind step, const std::vector<AggregateCall>& calls,
                                const Graph& graph) {
  Schema fields;
  for (const AggregateCall& call : calls) {
    PENSTOCK_ASSIGN(const Type type, aggregate_type(step, call, graph));
    fields.push_back({call.name, type, !plan::counts_values(call.function)});
  }
  return fields;
}

// The least of the distinct values is the least of all. For strings it is found among the distinct
// ones: kernels see codes, which have no order.
std::vector<AggregateCall> with_distinct_strings(std::vector<AggregateCall> calls,
                                                 const Graph& graph) {
  for (AggregateCall& call : calls) {
    if (!plan::takes_argument(call.function)) continue;
    const Type type = graph.at(call.argument).type;
    if (plan::is_minimum(call.function, type) || plan::is_maximum(call.function, type))
      call.distinct = type.kind == Kind::string;
  }
  return calls;
}

Schema projected(const std::vector<Projection>& projections, const Graph& graph) {
  Schema fields;
  for (const Projection& p : projections)
    fields.push_back({p.name, graph.at(p.root).type, graph.at(p.root).nullable});
  return fields;
}

bool takes_column(WindowFunction function) {
  return function != WindowFunction::row_number && function != WindowFunction::rank &&
         function != WindowFunction::dense_rank && function != WindowFunction::count_rows;
}

}  // namespace

std::string_view name_of(StepKind kind) {
  constexpr std::array<std::string_view, 11> names = {"source",   "filter",   "map",   "reduce",
                                                      "group by", "order by", "limit", "window",
                                                      "join",     "append",   "unnest"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(WindowFunction function) {
  constexpr std::array<std::string_view, 15> names = {
      "row_number", "rank", "dense_rank", "count(*)",  "count",
      "sum",        "min",  "max",        "avg",       "first_value",
      "last_value", "lag",  "lead",       "nth_value", "string_agg"};
  return names[static_cast<std::size_t>(function)];
}

std::string_view name_of(WindowFrame frame) {
  constexpr std::array<std::string_view, 3> names = {"range to current row", "rows to current row",
                                                     "whole partition"};
  return names[static_cast<std::size_t>(frame)];
}

Result<StepId> Plan::add(Step step) {
  for (StepId input : step.inputs)
    if (input >= steps_.size()) return wrong(step.kind, "its input is not a step of this plan");
  steps_.push_back(std::move(step));
  return static_cast<StepId>(steps_.size() - 1);
}

Status Plan::check(StepKind kind, StepId input, const Graph* graph,
                   const std::vector<NodeId>& roots) const {
  if (input >= steps_.size()) return wrong(kind, "its input is not a step of this plan");
  if (!graph) return wrong(kind, "it has no graph");
  return check_nodes(kind, *graph, roots, steps_[input].schema);
}

StepId Plan::source(std::shared_ptr<TableSource> source) {
  if (!source) return no_step;
  Step step;
  step.schema = source->schema();
  step.source = std::move(source);
  steps_.push_back(std::move(step));
  return static_cast<StepId>(steps_.size() - 1);
}

void Plan::replace_source(StepId source, std::shared_ptr<TableSource> rows) {
  steps_[source].source = std::move(rows);
}

Result<StepId> Plan::filter(StepId input, std::shared_ptr<const Graph> graph, NodeId predicate) {
  PENSTOCK_TRY(check(StepKind::filter, input, graph.get(), {predicate}));
  const Type type = graph->at(predicate).type;
  if (type.kind != Kind::boolean)
    return wrong(StepKind::filter, "the predicate is " + name_of(type) + ", not BOOLEAN");
  Step step;
  step.kind = StepKind::filter;
  step.inputs = {input};
  step.schema = steps_[input].schema;
  step.graph = std::move(graph);
  step.predicate = predicate;
  return add(std::move(step));
}

Result<StepId> Plan::map(StepId input, std::shared_ptr<const Graph> graph,
                         std::vector<Projection> projections) {
  if (projections.empty()) return wrong(StepKind::map, "it yields no columns");
  PENSTOCK_TRY(check(StepKind::map, input, graph.get(), roots_of(projections, {})));
  Step step;
  step.kind = StepKind::map;
  step.inputs = {input};
  step.schema = projected(projections, *graph);
  step.graph = std::move(graph);
  step.projections = std::move(projections);
  return add(std::move(step));
}

Result<StepId> Plan::reduce(StepId input, std::shared_ptr<const Graph> graph,
                            std::vector<AggregateCall> aggregates) {
  if (aggregates.empty()) return wrong(StepKind::reduce, "it has no aggregates");
  PENSTOCK_TRY(check(StepKind::reduce, input, graph.get(), roots_of({}, aggregates)));
  Step step;
  step.kind = StepKind::reduce;
  step.inputs = {input};
  PENSTOCK_ASSIGN(step.schema, aggregate_fields(StepKind::reduce, aggregates, *graph));
  step.aggregates = with_distinct_strings(std::move(aggregates), *graph);
  step.graph = std::move(graph);
  return add(std::move(step));
}

Result<StepId> Plan::group_by(StepId input, std::shared_ptr<const Graph> graph,
                              std::vector<Projection> keys, std::vector<AggregateCall> aggregates,
                              bool any_order) {
  if (keys.empty()) return wrong(StepKind::group_by, "it has no keys; use reduce");
  PENSTOCK_TRY(check(StepKind::group_by, input, graph.get(), roots_of(keys, aggregates)));
  Step step;
  step.kind = StepKind::group_by;
  step.any_order = any_order;
  step.inputs = {input};
  step.schema = projected(keys, *graph);
  PENSTOCK_ASSIGN(Schema fields, aggregate_fields(StepKind::group_by, aggregates, *graph));
  step.schema.insert(step.schema.end(), fields.begin(), fields.end());
  step.projections = std::move(keys);
  step.aggregates = with_distinct_strings(std::move(aggregates), *graph);
  step.graph = std::move(graph);
  return add(std::move(step));
}

Result<StepId> Plan::order_by(StepId input, std::vector<SortKey> keys) {
  if (input >= steps_.size())
    return wrong(StepKind::order_by, "its input is not a step of this plan");
  for (const SortKey& key : keys)
    if (key.column >= steps_[input].schema.size())
      return wrong(StepKind::order_by, "there is no column " + std::to_string(key.column));
  Step step;
  step.kind = StepKind::order_by;
  step.inputs = {input};
  step.schema = steps_[input].schema;
  step.sort_keys = std::move(keys);
  return add(std::move(step));
}

static Status check_frame_end(const FrameEnd& end, const Window& window, const Schema& input) {
  const bool is_by_value = end.kind == FrameEnd::Kind::values;
  if (is_by_value && window.order.size() != 1)
    return wrong(StepKind::window, "a frame by values needs one key of its order");
  if (is_by_value && !end.column) return wrong(StepKind::window, "a frame by values lacks them");
  if (!end.column) return {};
  if (*end.column >= input.size())
    return wrong(StepKind::window, "there is no column " + std::to_string(*end.column));
  const Type type = input[*end.column].type,
             wanted = is_by_value ? input[window.order[0].column].type : Type{Kind::int64};
  if (type == wanted) return {};
  return wrong(StepKind::window, "a frame's end of " + name_of(type) + ", not " + name_of(wanted));
}

static Result<Field> window_field(const WindowCall& call, const Schema& input) {
  if (!takes_column(call.function)) return Field{call.name, {Kind::int64}, false};
  if (call.column >= input.size())
    return wrong(StepKind::window, "there is no column " + std::to_string(call.column));
  const Type type = input[call.column].type;
  if (call.otherwise && (*call.otherwise >= input.size() || !(input[*call.otherwise].type == type)))
    return wrong(StepKind::window, "a default of another type than " + name_of(type));
  if (call.function == WindowFunction::concatenation && type.kind != Kind::string)
    return wrong(StepKind::window, "cannot concatenate " + name_of(type));
  const plan::AggregateRow* aggregate = plan::aggregate_of(call.function);
  if (!aggregate) return Field{call.name, type, true};
  PENSTOCK_ASSIGN(const Type result, result_type(StepKind::window, *aggregate, type));
  return Field{call.name, result, !plan::counts_values(aggregate->function)};
}

Result<StepId> Plan::window(StepId input, Window window) {
  if (input >= steps_.size())
    return wrong(StepKind::window, "its input is not a step of this plan");
  const Schema& schema = steps_[input].schema;
  std::vector<std::uint32_t> columns = window.partition;
  for (const SortKey& key : window.order) columns.push_back(key.column);
  for (const std::uint32_t column : columns)
    if (column >= schema.size())
      return wrong(StepKind::window, "there is no column " + std::to_string(column));
  Step step;
  step.kind = StepKind::window;
  step.inputs = {input};
  step.schema = schema;
  for (const WindowCall& call : window.calls) {
    if (call.ends) PENSTOCK_TRY(check_frame_end(call.ends->first, window, schema));
    if (call.ends) PENSTOCK_TRY(check_frame_end(call.ends->last, window, schema));
    PENSTOCK_ASSIGN(Field field, window_field(call, schema));
    step.schema.push_back(std::move(field));
  }
  step.window = std::move(window);
  return add(std::move(step));
}

Result<StepId> Plan::limit(StepId input, std::uint64_t count, std::uint64_t offset) {
  if (input >= steps_.size()) return wrong(StepKind::limit, "its input is not a step of this plan");
  Step step;
  step.kind = StepKind::limit;
  step.inputs = {input};
  step.schema = steps_[input].schema;
  step.limit = count;
  step.offset = offset;
  return add(std::move(step));
}

Result<StepId> Plan::append(std::vector<StepId> inputs) {
  if (inputs.empty()) return wrong(StepKind::append, "it has no inputs");
  for (const StepId input : inputs)
    if (input >= steps_.size())
      return wrong(StepKind::append, "its input is not a step of this plan");
  Step step;
  step.kind = StepKind::append;
  for (const Field& field : steps_[inputs[0]].schema)
    step.schema.push_back({field.name, field.type, field.nullable});
  for (const StepId input : inputs) {
    const Schema& schema = steps_[input].schema;
    if (schema.size() != step.schema.size())
      return wrong(StepKind::append, "inputs of " + std::to_string(step.schema.size()) + " and " +
                                         std::to_string(schema.size()) + " columns");
    for (std::size_t i = 0; i < schema.size(); i++) {
      if (!(schema[i].type == step.schema[i].type))
        return wrong(StepKind::append, "column '" + step.schema[i].name + "' is " +
                                           name_of(step.schema[i].type) + " and " +
                                           name_of(schema[i].type));
      step.schema[i].nullable |= schema[i].nullable;
    }
  }
  step.inputs = std::move(inputs);
  return add(std::move(step));
}

}  // namespace penstock
