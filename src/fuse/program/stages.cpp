#include "fuse/program/stages.hpp"

#include <algorithm>

#include "expr/operation.hpp"
#include "expr/string_functions.hpp"

namespace penstock::plan {
namespace {

bool is_aggregate(StepKind kind) { return kind == StepKind::reduce || kind == StepKind::group_by; }

bool yields_small_result(StepKind kind) {
  return is_aggregate(kind) || kind == StepKind::order_by || kind == StepKind::limit;
}

bool is_filter_or_map(const Plan& plan, StepId id) {
  return plan.step(id).kind == StepKind::filter || plan.step(id).kind == StepKind::map;
}

// Returns the roots that a step computes of its input's rows. A column that a map passes through is
// not among them: the host gathers it by row number.
std::vector<NodeId> computed_roots(const Step& step) {
  std::vector<NodeId> roots;
  if (step.kind == StepKind::filter) roots.push_back(step.predicate);
  for (const Projection& p : step.projections)
    if (step.kind != StepKind::map || step.graph->at(p.root).op != Op::column)
      roots.push_back(p.root);
  for (const AggregateCall& call : step.aggregates)
    if (takes_argument(call.function)) roots.push_back(call.argument);
  return roots;
}

// Groups have keys of 64-bit words, and sums of 128 bits are sums of halves. Front ends make these
// of such keys and sums: see relation/lower_wide.cpp.
bool aggregates_128_bits(const Step& step) {
  if (!is_aggregate(step.kind)) return false;
  const auto is_wide = [&](NodeId root) { return expr::is_wide(step.graph->at(root).type); };
  for (const Projection& key : step.projections)
    if (is_wide(key.root)) return true;
  return std::ranges::any_of(step.aggregates, [&](const AggregateCall& call) {
    const bool is_extreme =
        call.function == Aggregate::minimum || call.function == Aggregate::maximum;
    return takes_argument(call.function) && !is_extreme && is_wide(call.argument);
  });
}

// Returns the node that computes a column of a step's rows, as maps below make it; null where it is
// a column of other rows.
const Node* node_below(const Plan& plan, StepId at, std::uint32_t column) {
  for (; is_filter_or_map(plan, at); at = plan.step(at).inputs[0]) {
    const Step& step = plan.step(at);
    if (step.kind == StepKind::filter) continue;
    const Node& node = step.graph->at(step.projections[column].root);
    if (node.op != Op::column) return &node;
    column = node.payload;
  }
  return nullptr;
}

// Returns whether a step calls a function of a string that a map below chooses among others. One
// program of both would have no column to compute it of.
bool calls_function_of_choice(const Plan& plan, const Step& step) {
  if (!step.graph || step.inputs.size() != 1) return false;
  const std::vector<bool> needed = expr::reachable(*step.graph, computed_roots(step));
  for (NodeId id = 0; id < step.graph->size(); id++) {
    const Node& node = step.graph->at(id);
    if (!needed[id] || node.op != Op::custom ||
        !expr::is_string_function(*step.graph->custom_functions[node.payload]))
      continue;
    for (const NodeId input : node.inputs) {
      const Node& from = step.graph->at(input);
      if (from.op != Op::column || from.type.kind != Kind::string) continue;
      const Node* const made = node_below(plan, step.inputs[0], from.payload);
      if (made != nullptr && made->op != Op::custom) return true;
    }
  }
  return false;
}

// Returns whether only the interpreter computes a step.
bool needs_interpreter(const Plan& plan, const Step& step) {
  return aggregates_128_bits(step) || calls_function_of_choice(plan, step) ||
         (step.graph && expr::needs_string_rows(*step.graph, computed_roots(step)));
}

}  // namespace

Status check_result(const Plan& plan, StepId result) {
  return result < plan.size() ? Status()
                              : Status(Code::invalid, "the result is not a step of this plan");
}

std::vector<std::uint32_t> count_consumers(const Plan& plan, const std::vector<StepId>& results) {
  std::vector<std::uint32_t> consumers(plan.size(), 0);
  std::vector<bool> reached(plan.size(), false);
  for (StepId result : results) {
    consumers[result]++;
    reached[result] = true;
  }
  for (std::size_t id = plan.size(); id-- > 0;) {  // inputs have smaller numbers
    if (!reached[id]) continue;
    for (StepId input : plan.step(static_cast<StepId>(id)).inputs) {
      consumers[input]++;
      reached[input] = true;
    }
  }
  return consumers;
}

// Returns the kind of the step that has the rows of filters and maps.
static StepKind kind_below(const Plan& plan, StepId at) {
  while (is_filter_or_map(plan, at)) at = plan.step(at).inputs[0];
  return plan.step(at).kind;
}

// Returns whether a kernel of a later step reads the rows of one, through filters and maps. A
// filter or map over a window is itself a kernel.
static bool is_read_by_kernels(const Plan& plan, StepId id) {
  for (StepId reader = id + 1; reader < plan.size(); reader++) {
    const Step& step = plan.step(reader);
    if (std::ranges::find(step.inputs, id) == step.inputs.end()) continue;
    if (step.kind == StepKind::join || step.kind == StepKind::append || is_aggregate(step.kind))
      return true;
    if (!is_filter_or_map(plan, reader)) continue;
    const bool is_kernel = kind_below(plan, reader) == StepKind::window &&
                           !computed_roots(step).empty() && !needs_interpreter(plan, step);
    if (is_kernel || is_read_by_kernels(plan, reader)) return true;
  }
  return false;
}

// Groups may be many, and lie in device memory. They stay for a kernel that reads them there.
bool finishes_on_host(const Plan& plan, StepId id) {
  if (plan.step(id).kind == StepKind::map &&
      plan.step(plan.step(id).inputs[0]).kind == StepKind::window &&
      computed_roots(plan.step(id)).empty())
    return !is_read_by_kernels(plan, id);
  if (needs_interpreter(plan, plan.step(id))) return true;
  for (StepId at = id; is_filter_or_map(plan, at);) {
    at = plan.step(at).inputs[0];
    if (needs_interpreter(plan, plan.step(at))) return true;
    if (plan.step(at).kind == StepKind::group_by) return !is_read_by_kernels(plan, id);
    if (yields_small_result(plan.step(at).kind)) return true;
  }
  return false;
}

bool passes_columns(const Plan& plan, StepId id) {
  StepId at = id;
  while (plan.step(at).kind == StepKind::map && computed_roots(plan.step(at)).empty())
    at = plan.step(at).inputs[0];
  const StepKind kind = plan.step(at).kind;
  return at != id && (kind == StepKind::group_by || kind == StepKind::window) &&
         is_read_by_kernels(plan, id);
}

bool has_no_kernel(const Plan& plan, StepId id) {
  const StepKind kind = plan.step(id).kind;
  return kind == StepKind::limit || kind == StepKind::order_by || kind == StepKind::window ||
         kind == StepKind::append || kind == StepKind::unnest || finishes_on_host(plan, id);
}

std::optional<std::uint64_t> known_row_count(const Plan& plan, StepId id) {
  while (plan.step(id).kind == StepKind::map) id = plan.step(id).inputs[0];
  const std::shared_ptr<TableSource>& source = plan.step(id).source;
  return source ? source->row_count() : std::nullopt;
}

std::uint64_t rows_needed(const Step& step, std::uint64_t row_limit) {
  if (step.kind == StepKind::map) return row_limit;
  if (step.kind != StepKind::limit) return ~std::uint64_t{0};
  const std::uint64_t wanted = std::min(row_limit, step.limit);
  return step.offset > ~std::uint64_t{0} - wanted ? ~std::uint64_t{0} : step.offset + wanted;
}

std::optional<TopK> top_k_of(const Plan& plan, StepId order, std::uint64_t row_limit,
                             const std::vector<std::uint32_t>& consumers) {
  constexpr std::uint64_t max_rows = 1
                                     << 16;  // more are sorted once, and not again with every chunk
  const Step& step = plan.step(order);
  const StepId input = step.inputs[0];
  const bool is_chain =
      (is_filter_or_map(plan, input) && consumers[input] <= 1 && !finishes_on_host(plan, input)) ||
      plan.step(input).kind == StepKind::source;
  if (!is_chain || row_limit > max_rows) return std::nullopt;
  return TopK{step.sort_keys, row_limit};
}

// Returns the keys of an order as columns of the input of a map; nothing if the map computes one.
static std::optional<std::vector<SortKey>> keys_before_map(const Step& map,
                                                           std::vector<SortKey> keys) {
  for (SortKey& key : keys) {
    const Node& node = map.graph->at(map.projections[key.column].root);
    if (node.op != Op::column) return {};
    key.column = static_cast<std::uint32_t>(node.payload);
  }
  return keys;
}

std::optional<OrderedGroups> ordered_groups(const Plan& plan, StepId order, std::uint64_t row_limit,
                                            const std::vector<std::uint32_t>& consumers) {
  const StepId input = plan.step(order).inputs[0];
  const Step& before = plan.step(input);
  const bool is_mapped =
      before.kind == StepKind::map && consumers[input] == 1 && finishes_on_host(plan, input);
  const StepId groups = is_mapped ? before.inputs[0] : input;
  if (plan.step(groups).kind != StepKind::group_by || consumers[groups] > 1 ||
      finishes_on_host(plan, groups))
    return std::nullopt;
  std::optional<std::vector<SortKey>> keys = plan.step(order).sort_keys;
  if (is_mapped) keys = keys_before_map(before, std::move(*keys));
  if (!keys) return std::nullopt;
  return OrderedGroups{groups, {std::move(*keys), row_limit}};
}

// Returns whether a step calls functions of strings, which take columns alone.
static bool calls_string_functions(const Step& step) {
  if (!step.graph) return false;
  const std::vector<bool> needed = expr::reachable(*step.graph, computed_roots(step));
  for (NodeId id = 0; id < step.graph->size(); id++) {
    const Node& node = step.graph->at(id);
    if (needed[id] && node.op == Op::custom &&
        expr::is_string_function(*step.graph->custom_functions[node.payload]))
      return true;
  }
  return false;
}

// Returns whether a map has strings that are neither columns nor such calls: choices among them.
static bool chooses_strings(const Step& step) {
  return step.kind == StepKind::map &&
         std::ranges::any_of(step.projections, [&](const Projection& projection) {
           const Node& node = step.graph->at(projection.root);
           return node.type.kind == Kind::string && node.op != Op::column &&
                  node.op != Op::custom && node.op != Op::parameter;
         });
}

StepId chain_base(const Plan& plan, StepId last, const std::vector<std::uint32_t>& consumers) {
  if (plan.step(last).kind == StepKind::source) return last;
  StepId at = plan.step(last).inputs[0];
  bool are_strings_read = calls_string_functions(plan.step(last));
  const auto is_fused = [&] {
    return is_filter_or_map(plan, at) || plan.step(at).kind == StepKind::join;
  };
  while (is_fused() && consumers[at] <= 1 && !finishes_on_host(plan, at) &&
         !(are_strings_read && chooses_strings(plan.step(at)))) {
    are_strings_read = are_strings_read || calls_string_functions(plan.step(at));
    at = plan.step(at).inputs[0];
  }
  return at;
}

}  // namespace penstock::plan
