// The same plan where columns may be NULL that its sources denied to be.
#include <algorithm>

#include "penstock/plan.hpp"
#include "plan/aggregates.hpp"

namespace penstock {
namespace {

// Rebuilds a step's graph over rows of another schema, and its roots with it.
void rebuild_graph(Step& step, const Schema& input) {
  const auto graph = std::make_shared<Graph>();
  std::vector<NodeId> columns;
  for (std::uint32_t i = 0; i < input.size(); i++)
    columns.push_back(graph->add({Op::column, input[i].type, input[i].nullable, i, {}}));
  const auto moved = [&](NodeId root) { return graph->import(*step.graph, root, columns); };
  if (step.kind == StepKind::filter) step.predicate = moved(step.predicate);
  for (Projection& projection : step.projections) projection.root = moved(projection.root);
  for (AggregateCall& call : step.aggregates)
    if (plan::takes_argument(call.function)) call.argument = moved(call.argument);
  step.graph = graph;
}

// Sets which columns of a step may be NULL by its inputs. Aggregates and windows may be anyway.
void set_nullable(Step& step, const std::vector<Step>& steps) {
  if (step.kind == StepKind::source) return;
  const Schema& input = steps[step.inputs[0]].schema;
  if (step.kind == StepKind::append) {
    for (std::size_t i = 0; i < step.schema.size(); i++)
      for (const StepId from : step.inputs)
        step.schema[i].nullable |= steps[from].schema[i].nullable;
    return;
  }
  if (step.kind == StepKind::unnest) {
    for (std::size_t i = 0; i < step.unnesting.kept.size(); i++)
      step.schema[i].nullable = input[step.unnesting.kept[i]].nullable;
    return;
  }
  if (step.graph) rebuild_graph(step, input);
  for (std::size_t i = 0; i < step.projections.size(); i++)
    step.schema[i].nullable = step.graph->at(step.projections[i].root).nullable;
  if (step.kind == StepKind::map || step.kind == StepKind::group_by ||
      step.kind == StepKind::reduce)
    return;
  const bool is_join = step.kind == StepKind::join;
  const std::size_t kept = is_join ? step.left_columns : input.size();
  for (std::size_t i = 0; i < kept; i++) step.schema[i].nullable = input[i].nullable;
  for (std::size_t i = kept; is_join && i < step.schema.size(); i++)
    step.schema[i].nullable =
        step.join_kind == JoinKind::left || steps[step.inputs[1]].schema[i - kept].nullable;
}

}  // namespace

std::optional<Plan> Plan::with_nulls_found() const {
  std::vector<std::shared_ptr<TableSource>> found;
  for (const Step& step : steps_)
    found.push_back(step.source ? step.source->with_nulls_found() : nullptr);
  if (std::ranges::none_of(found, [](const auto& source) { return source != nullptr; }))
    return std::nullopt;
  Plan plan = *this;
  for (StepId id = 0; id < plan.size(); id++) {
    Step& step = plan.steps_[id];
    if (found[id]) {
      step.schema = found[id]->schema();
      step.source = std::move(found[id]);
    }
    set_nullable(step, plan.steps_);
  }
  return plan;
}

}  // namespace penstock
