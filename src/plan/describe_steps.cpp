#include "plan/describe_steps.hpp"

#include <algorithm>

#include "plan/aggregates.hpp"
#include "plan/recursion.hpp"

namespace penstock::plan {
namespace {

std::string describe_fields(const Schema& schema, std::size_t max_fields = 6) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(schema.size(), max_fields); i++)
    parts.push_back(schema[i].name + " " + name_of(schema[i].type) +
                    (schema[i].nullable ? "?" : ""));
  if (schema.size() > max_fields)
    parts.push_back("and " + std::to_string(schema.size() - max_fields) + " more");
  return list(parts);
}

std::string describe_order(const Step& step, const std::vector<SortKey>& keys) {
  std::vector<std::string> parts;
  for (const SortKey& key : keys)
    parts.push_back(step.schema[key.column].name + (key.descending ? " desc" : ""));
  return list(parts);
}

std::string describe_window(const Step& step) {
  std::vector<std::string> calls, partition;
  for (const WindowCall& call : step.window.calls)
    calls.push_back(std::string(name_of(call.function)) + " (" + std::string(name_of(call.frame)) +
                    ") as " + call.name);
  for (const std::uint32_t column : step.window.partition)
    partition.push_back(step.schema[column].name);
  return list(calls) + (partition.empty() ? "" : " by " + list(partition)) +
         (step.window.order.empty()
              ? ""
              : " in the order of " + describe_order(step, step.window.order));
}

std::string describe(const Plan& plan, const Step& step) {
  std::vector<std::string> parts;
  const Schema& input = step.inputs.empty() ? step.schema : plan.step(step.inputs[0]).schema;
  switch (step.kind) {
    case StepKind::source:
      return step.source->describe() + " (" + describe_fields(step.schema) + ")";
    case StepKind::filter: return text_of(*step.graph, step.predicate, input);
    case StepKind::order_by: return describe_order(step, step.sort_keys);
    case StepKind::limit:
      return std::to_string(step.limit) +
             (step.offset ? " offset " + std::to_string(step.offset) : "");
    case StepKind::window: return describe_window(step);
    case StepKind::join: return describe_join(plan, step);
    case StepKind::append: return std::to_string(step.inputs.size()) + " inputs";
    case StepKind::unnest: return describe_unnesting(step.unnesting, input);
    case StepKind::map:
    case StepKind::reduce:
    case StepKind::group_by: break;
  }
  for (const Projection& p : step.projections) {
    const std::string text = text_of(*step.graph, p.root, input);
    parts.push_back(text + (step.kind == StepKind::map && text != p.name ? " as " + p.name : ""));
  }
  for (const AggregateCall& call : step.aggregates) {
    const std::string of = !takes_argument(call.function)
                               ? ""
                               : (call.distinct ? "(distinct " : "(") +
                                     text_of(*step.graph, call.argument, input) + ")";
    parts.push_back((call.custom ? call.custom->name : std::string(name_of(call.function))) + of);
  }
  return list(parts);
}

// Adds steps from the sources down; the right side of a join before its left one, as they run.
void add_path(const Plan& plan, StepId at, std::vector<StepId>& steps) {
  const std::vector<StepId>& inputs = plan.step(at).inputs;
  for (std::size_t i = inputs.size(); i-- > 0;) add_path(plan, inputs[i], steps);
  if (std::find(steps.begin(), steps.end(), at) == steps.end()) steps.push_back(at);
}
std::vector<StepId> path(const Plan& plan, StepId result) {
  std::vector<StepId> steps;
  add_path(plan, result, steps);
  return steps;
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines.substr(0, lines.size() - 1)) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text + "\n";
}

std::string describe_recursion(const RecursionParts& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.held.size(); i++)
    text += std::string(i == 0 ? "  recursion, first rows" : "  recursion, rows held") + ":\n" +
            indented(describe_steps(parts.outside, parts.held[i].rows));
  return text + "  recursion, again until there are no rows:\n" +
         indented(describe_steps(parts.step, parts.result));
}

}  // namespace

std::string list(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string describe_unnesting(const Unnesting& unnesting, const Schema& input) {
  std::vector<std::string> parts;
  for (const std::uint32_t column : unnesting.lists) parts.push_back(input[column].name);
  return list(parts) + (unnesting.is_numbered ? " with numbers" : "");
}

std::string describe_join(const Plan& plan, const Step& step) {
  std::vector<std::string> keys;
  for (const JoinKey& key : step.join_keys)
    keys.push_back(plan.step(step.inputs[0]).schema[key.left].name + " = " +
                   plan.step(step.inputs[1]).schema[key.right].name);
  return std::string(name_of(step.join_kind)) + " on " + list(keys);
}

std::string describe_steps(const Plan& plan, StepId result) {
  std::string text;
  for (StepId id : path(plan, result)) {
    const Step& step = plan.step(id);
    if (const Recursion* const recursion = recursion_of(step))
      text += describe_recursion(recursion->parts());
    text += "  " + std::string(name_of(step.kind)) + ": " + describe(plan, step) + "\n";
  }
  return text;
}

}  // namespace penstock::plan
