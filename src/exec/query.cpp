#include "penstock/query.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/exception_boundary.hpp"
#include "expr/trace_step.hpp"

namespace penstock {

struct Query::Link {
  Step step;                          // its input is known by the link, not by a number
  std::shared_ptr<const Link> input;  // null: a source

  const Link* source() const {
    const Link* link = this;
    while (link->input) link = link->input.get();
    return link;
  }

  // Adds the steps up to this one that `plan` lacks; `known` has the steps that are there.
  StepId append_to(Plan& plan, std::unordered_map<const Link*, StepId>& known) const {
    std::vector<const Link*> missing;
    for (const Link* link = this; link && !known.contains(link); link = link->input.get())
      missing.push_back(link);
    for (std::size_t i = missing.size(); i-- > 0;) {
      Step copy = missing[i]->step;
      copy.inputs.clear();
      if (missing[i]->input) copy.inputs = {known.at(missing[i]->input.get())};
      known[missing[i]] = static_cast<StepId>(plan.size());
      plan.steps_.push_back(std::move(copy));
    }
    return known.at(this);
  }
};

namespace {

std::string place_text(const char* step, std::string_view file, int line) {
  if (file.empty()) return step;
  return std::string(step) + " at " + std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
         std::to_string(line);
}

// Names outputs: a column keeps its name, and other outputs without a name are numbered.
std::string name_for(const std::string& given, const Graph& graph, NodeId root,
                     const Schema& schema, std::size_t index, std::size_t count) {
  if (!given.empty()) return given;
  const Node& node = graph.at(root);
  if (node.op == Op::column) return schema[node.payload].name;
  return count == 1 ? "value" : "value" + std::to_string(index + 1);
}

std::string aggregate_name(const traced::AggregateOutput& output, const Graph& graph,
                           NodeId argument, const Schema& schema) {
  if (!output.name.empty()) return output.name;
  if (output.function == Aggregate::count_rows) return std::string(name_of(output.function));
  const std::string name =
      output.custom ? output.custom->name : std::string(name_of(output.function));
  const std::string text = text_of(graph, argument, schema);
  if (output.of_distinct) return name + "(distinct " + text + ")";
  return text.starts_with('(') ? name + text : name + "(" + text + ")";
}

Result<std::vector<Projection>> projections_of(Trace& trace,
                                               const std::vector<traced::Output>& outputs) {
  std::vector<NodeId> roots;
  for (const traced::Output& output : outputs) {
    Result<NodeId> root = trace.node_of(output.value);
    if (!root.ok())
      return root.with(output.name.empty() ? "in the result" : "for '" + output.name + "'");
    roots.push_back(*root);
  }
  const std::shared_ptr<const Graph> graph = trace.finish();
  std::vector<Projection> projections;
  for (std::size_t i = 0; i < roots.size(); i++)
    projections.push_back(
        {name_for(outputs[i].name, *graph, roots[i], trace.schema(), i, roots.size()), roots[i]});
  return projections;
}

Result<std::vector<AggregateCall>> calls_of(Trace& trace,
                                            const std::vector<traced::AggregateOutput>& outputs) {
  std::vector<AggregateCall> calls;
  for (const traced::AggregateOutput& output : outputs) {
    NodeId argument = 0;
    if (output.argument) {
      PENSTOCK_ASSIGN(argument, trace.node_of(traced::Operand(*output.argument)));
    }
    calls.push_back({output.function, argument, "", output.custom, false, output.of_distinct});
  }
  const std::shared_ptr<const Graph> graph = trace.finish();
  for (std::size_t i = 0; i < calls.size(); i++)
    calls[i].name = aggregate_name(outputs[i], *graph, calls[i].argument, trace.schema());
  return calls;
}

StepId last_step(const Plan& plan) { return static_cast<StepId>(plan.size() - 1); }

bool has_every_row(const Column& column) {
  const std::byte* bits = column.validity.data;
  const std::uint64_t whole_bytes = column.row_count / 8;
  if (!std::all_of(bits, bits + whole_bytes,
                   [](std::byte byte) { return byte == std::byte{0xFF}; }))
    return false;
  for (std::uint64_t row = whole_bytes * 8; row < column.row_count; row++)
    if (!column.is_valid(row)) return false;
  return true;
}

}  // namespace

Query Query::of(Result<std::shared_ptr<TableSource>> source) {
  Query query;
  if (!source.ok()) return query.failed(source.status());
  if (!*source) return query.failed({Code::invalid, "from: there is no table"});
  Plan plan;
  const StepId step = plan.source(std::move(*source));
  query.last_ = std::make_shared<const Link>(Link{plan.step(step), nullptr});
  return query;
}

Plan Query::plan() const {
  Plan plan;
  std::unordered_map<const Link*, StepId> known;
  if (last_) last_->append_to(plan, known);
  return plan;
}

Query Query::failed(Status status) const {
  Query query = *this;
  if (query.status_.ok()) query.status_ = std::move(status);
  return query;
}

Query Query::checked(const std::shared_ptr<Trace>& trace) const { return failed(trace->status()); }

std::shared_ptr<Trace> Query::begin(const char* step, const char* file, int line) const {
  auto trace = std::make_shared<Trace>(status_.ok() ? last_->step.schema : Schema(),
                                       place_text(step, file, line));
  if (!status_.ok()) trace->fail(status_);
  return trace;
}

// Adds the step that `add_step` makes, once the trace is known to be right.
template <class Add> Query Query::add(const std::shared_ptr<Trace>& trace, Add add_step) const {
  if (!status_.ok() || !trace->status().ok()) return checked(trace);
  Plan steps = plan();
  const auto before = static_cast<StepId>(steps.size());
  const Result<StepId> added = add_step(steps, before - 1);
  if (!added.ok()) return failed(added.with("in the " + trace->step()));
  Query query = *this;
  for (StepId id = before; id <= *added; id++)
    query.last_ = std::make_shared<const Link>(Link{steps.step(id), query.last_});
  return query;
}

Query Query::with_filter(const std::shared_ptr<Trace>& trace,
                         const traced::Operand& predicate) const {
  return add(trace, [&](Plan& plan, StepId input) -> Result<StepId> {
    PENSTOCK_ASSIGN(const NodeId root, trace->node_of(predicate));
    return plan.filter(input, trace->finish(), root);
  });
}

Query Query::with_map(const std::shared_ptr<Trace>& trace,
                      const std::vector<traced::Output>& outputs) const {
  return add(trace, [&](Plan& plan, StepId input) -> Result<StepId> {
    if (outputs.empty())
      return Status(Code::invalid, "the struct that the lambda returns has no Col members");
    PENSTOCK_ASSIGN(std::vector<Projection> projections, projections_of(*trace, outputs));
    return plan.map(input, trace->finish(), std::move(projections));
  });
}

Query Query::with_projection(const std::shared_ptr<Trace>& trace,
                             const std::vector<traced::Output>& outputs) const {
  if (!status_.ok() || !trace->status().ok()) return checked(trace);
  bool is_identity = outputs.size() == trace->schema().size();
  const std::shared_ptr<const Graph> graph = trace->finish();
  for (std::size_t i = 0; is_identity && i < outputs.size(); i++)
    is_identity = graph->at(outputs[i].value.node.id).payload == i;
  return is_identity ? *this : with_map(trace, outputs);
}

Query Query::with_reduce(const std::shared_ptr<Trace>& trace,
                         const std::vector<traced::AggregateOutput>& aggregates) const {
  return add(trace, [&](Plan& plan, StepId input) -> Result<StepId> {
    PENSTOCK_ASSIGN(std::vector<AggregateCall> calls, calls_of(*trace, aggregates));
    return plan.reduce(input, trace->finish(), std::move(calls));
  });
}

Query Query::with_groups(const std::shared_ptr<Trace>& trace,
                         const std::vector<traced::Output>& keys,
                         const std::vector<traced::AggregateOutput>& aggregates) const {
  return add(trace, [&](Plan& plan, StepId input) -> Result<StepId> {
    PENSTOCK_ASSIGN(std::vector<Projection> projections, projections_of(*trace, keys));
    PENSTOCK_ASSIGN(std::vector<AggregateCall> calls, calls_of(*trace, aggregates));
    return plan.group_by(input, trace->finish(), std::move(projections), std::move(calls));
  });
}

// Sorts. A key that is not a column becomes one for the sort, and is dropped after it.
Query Query::with_order(const std::shared_ptr<Trace>& trace,
                        const std::vector<TracedSortKey>& keys) const {
  return add(trace, [&](Plan& plan, StepId input) -> Result<StepId> {
    std::vector<traced::Output> outputs;
    const auto schema_size = static_cast<std::uint32_t>(trace->schema().size());
    for (std::uint32_t i = 0; i < schema_size; i++) {
      const Field& field = trace->schema()[i];
      outputs.push_back(
          {field.name, traced::Operand(trace->column(i, field.type, field.nullable))});
    }
    std::vector<SortKey> sort_keys;
    for (const TracedSortKey& key : keys) {
      PENSTOCK_ASSIGN(const NodeId root, trace->node_of(key.value));
      const Node& node = trace->finish()->at(root);
      const bool is_column = node.op == Op::column;
      const auto column = is_column ? node.payload : static_cast<std::uint32_t>(outputs.size());
      sort_keys.push_back({column, key.is_descending, key.has_nulls_first});
      if (!is_column) outputs.push_back({"key" + std::to_string(sort_keys.size()), key.value});
    }
    if (outputs.size() == schema_size) return plan.order_by(input, std::move(sort_keys));
    PENSTOCK_ASSIGN(std::vector<Projection> projections, projections_of(*trace, outputs));
    PENSTOCK_ASSIGN(const StepId keyed, plan.map(input, trace->finish(), projections));
    PENSTOCK_ASSIGN(const StepId sorted, plan.order_by(keyed, std::move(sort_keys)));
    Builder columns(plan.step(sorted).schema);
    projections.resize(schema_size);
    for (std::uint32_t i = 0; i < schema_size; i++) projections[i].root = columns.column(i);
    return plan.map(sorted, columns.graph(), std::move(projections));
  });
}

Query Query::with_limit(std::uint64_t count, std::uint64_t offset) const {
  return add(begin("limit", "", 0),
             [&](Plan& plan, StepId input) { return plan.limit(input, count, offset); });
}

Result<QueryResult> Query::result(const RunOptions& options) const {
  PENSTOCK_TRY(status_);
  return catch_exceptions([&] {
    const Plan steps = plan();
    return penstock::run(steps, last_step(steps), options);
  });
}

Result<std::string> Query::explain(const RunOptions& options) const {
  PENSTOCK_TRY(status_);
  return catch_exceptions([&] {
    const Plan steps = plan();
    return penstock::explain(steps, last_step(steps), options);
  });
}

Result<std::string> Query::source(Target target) const {
  PENSTOCK_TRY(status_);
  return catch_exceptions([&] {
    const Plan steps = plan();
    return penstock::source(steps, last_step(steps), target);
  });
}

Result<std::vector<QueryResult>> run_finished(const std::vector<Query>& queries,
                                              const RunOptions& options) {
  if (queries.empty()) return std::vector<QueryResult>();
  for (const Query& query : queries) {
    PENSTOCK_TRY(query.status_);
    if (query.last_->source() != queries[0].last_->source())
      return Status(Code::invalid,
                    "run_together: the queries do not continue from the same from()");
  }
  return catch_exceptions([&] {
    Plan plan;
    std::unordered_map<const Query::Link*, StepId>
        known;  // a step that queries share is one step of the plan
    std::vector<StepId> steps;
    for (const Query& query : queries) steps.push_back(query.last_->append_to(plan, known));
    return run(plan, steps, options);
  });
}

namespace traced {

Result<std::shared_ptr<TableSource>> source_of_table(Result<Table> table) {
  PENSTOCK_TRY(table.status());
  for (Column& column : table->columns)
    if (!column.validity.empty() && has_every_row(column)) column.validity = {};
  return table_source(std::move(*table));
}

Result<std::shared_ptr<TableSource>> source_of_columns(std::vector<Column> columns) {
  Table table;
  for (Column& column : columns) {
    if (column.row_count != columns[0].row_count)
      return Status(Code::invalid, "from: the vectors have " +
                                       std::to_string(columns[0].row_count) + " and " +
                                       std::to_string(column.row_count) + " rows");
    table.names.push_back(columns.size() == 1 ? "value"
                                              : "value" + std::to_string(table.names.size() + 1));
  }
  table.row_count = columns[0].row_count;
  table.columns = std::move(columns);
  return source_of_table(std::move(table));
}

}  // namespace traced
}  // namespace penstock
