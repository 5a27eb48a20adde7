#include "exec/physical/physical_plan.hpp"

#include <algorithm>
#include <utility>

#include "exec/physical/host_operators.hpp"
#include "exec/physical/joint_rows_operator.hpp"
#include "exec/physical/sort_operator.hpp"
#include "fuse/program/fuse_chain.hpp"
#include "fuse/program/source_answers.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {

Result<std::vector<OperatorPointer>> Planner::plan(std::span<const StepId> results,
                                                   std::uint64_t row_limit) {
  scans_before_ = std::exchange(scans_, {});
  shared_.clear();
  builds_.clear();
  asks_for_traits_ = false;
  planned_for_ = run_.expected_traits();
  kept_there_.clear();
  if (run_.options.results_on_device) kept_there_.insert(results.begin(), results.end());
  std::vector<OperatorPointer> roots;
  for (const StepId result : results) {
    PENSTOCK_ASSIGN(roots.emplace_back(), rows(result, row_limit));
  }
  scans_before_.clear();
  return roots;
}

bool Planner::keeps_rows(const std::optional<Traits>& traits) const {
  return traits && keeps_rows_on_device(*traits, run_.options.intermediate_rows);
}

bool Planner::holds_on(const Traits& traits) const {
  if (!asks_for_traits_) return true;
  return keeps_rows(traits) ? keeps_rows(planned_for_) && planned_for_->target == traits.target
                            : !keeps_rows(planned_for_);
}

// A profile has the device's times.
Result<bool> Planner::needs_no_device(StepId id) {
  if (run_.recording || run_.device()) return false;
  if (run_.known.contains(id)) return true;
  const StepKind kind = run_.plan.step(id).kind;
  if (kind == StepKind::limit || kind == StepKind::unnest ||
      ((kind == StepKind::filter || kind == StepKind::map) && finishes_on_host(run_.plan, id)))
    return needs_no_device(run_.plan.step(id).inputs[0]);
  PENSTOCK_ASSIGN(const std::optional<Table>* const answer, answer_of_source(id));
  return answer->has_value();
}

// Validation compares kernels. A variant that is named has to run.
Result<const std::optional<Table>*> Planner::answer_of_source(StepId id) {
  const auto [at, is_new] = answers_.try_emplace(id);
  if (is_new && asks_sources_ && !run_.options.validate && run_.options.variant.empty() &&
      !run_.leaves_partials(id)) {
    PENSTOCK_ASSIGN(at->second, source_answer(run_.plan, id));
  }
  return &at->second;
}

// Validation looks at every column.
Columns Planner::columns_asked_for(StepId id, const Columns& wanted) const {
  return run_.options.validate ? Columns() : columns_kept(run_.plan, id, wanted, run_.consumers);
}

Result<OperatorPointer> Planner::rows(StepId id, std::uint64_t row_limit, const Columns& wanted) {
  if (run_.known.contains(id))
    return OperatorPointer(std::make_shared<KnownRowsOperator>(run_, id));
  if (run_.consumers[id] <= 1) return compute(id, row_limit, columns_asked_for(id, wanted));
  if (const auto shared = shared_.find(id); shared != shared_.end()) return shared->second;
  PENSTOCK_ASSIGN(OperatorPointer input,
                  compute(id, ~std::uint64_t{0}, columns_asked_for(id, wanted)));
  shared_[id] = std::make_shared<SharedOperator>(run_, id, std::move(input));
  return shared_[id];
}

Result<OperatorPointer> Planner::compute(StepId id, std::uint64_t row_limit,
                                         const Columns& wanted) {
  const Step& step = run_.plan.step(id);
  const auto input = [&](std::uint64_t limit) { return rows(step.inputs[0], limit); };
  if (step.kind == StepKind::limit) {
    PENSTOCK_ASSIGN(OperatorPointer from, input(rows_needed(step, row_limit)));
    return OperatorPointer(std::make_shared<LimitOperator>(run_, id, std::move(from)));
  }
  PENSTOCK_ASSIGN(const std::optional<Table>* const answer, answer_of_source(id));
  if (answer->has_value())
    return OperatorPointer(std::make_shared<AnswerOperator>(run_, id, **answer));
  if (step.kind == StepKind::order_by) return sort(id, row_limit);
  if (step.kind == StepKind::window) {
    const bool takes_there = takes_window(id);
    if (takes_there) ask_for_inputs_of(id);
    PENSTOCK_ASSIGN(OperatorPointer from, input(~std::uint64_t{0}));
    return OperatorPointer(
        std::make_shared<WindowOperator>(run_, id, std::move(from), takes_there));
  }
  if (step.kind == StepKind::unnest) {
    PENSTOCK_ASSIGN(OperatorPointer from, input(~std::uint64_t{0}));
    return OperatorPointer(std::make_shared<UnnestOperator>(run_, id, std::move(from)));
  }
  if (step.kind == StepKind::append) return append(step, id, row_limit, wanted);
  if (passes_columns(run_.plan, id)) {
    ask_for_inputs_of(id);
    PENSTOCK_ASSIGN(OperatorPointer from, input(~std::uint64_t{0}));
    return OperatorPointer(std::make_shared<ColumnsOperator>(run_, id, std::move(from)));
  }
  if (finishes_on_host(run_.plan, id)) {
    PENSTOCK_ASSIGN(OperatorPointer from,
                    rows(step.inputs[0], rows_needed(step, row_limit), columns_read(step, wanted)));
    return OperatorPointer(std::make_shared<InterpreterOperator>(run_, id, std::move(from)));
  }
  if (step.kind == StepKind::source && !wanted.empty() && row_limit == ~std::uint64_t{0})
    return OperatorPointer(std::make_shared<SourceOperator>(run_, id, wanted));
  return scan_for_host(id, row_limit, wanted);
}

Result<OperatorPointer> Planner::append(const Step& step, StepId id, std::uint64_t row_limit,
                                        const Columns& wanted) {
  ask_for_inputs_of(id);
  std::vector<OperatorPointer> inputs;
  for (const StepId input : step.inputs) {
    PENSTOCK_ASSIGN(inputs.emplace_back(), rows(input, row_limit, wanted));
  }
  return OperatorPointer(std::make_shared<AppendOperator>(run_, id, std::move(inputs), wanted));
}

// Groups under a limit without an order are the first ones by their keys.
Result<OperatorPointer> Planner::scan_for_host(StepId id, std::uint64_t row_limit,
                                               const Columns& wanted) {
  PENSTOCK_ASSIGN(auto scan, scan_of(id, wanted, row_limit));
  if (run_.plan.step(id).kind == StepKind::group_by && row_limit != ~std::uint64_t{0} &&
      !run_.options.validate)
    scan->ask_for_groups({{}, row_limit});
  if (scan->stays() && is_joined(id))
    return OperatorPointer(std::make_shared<JointRowsOperator>(run_, std::move(scan)));
  return OperatorPointer(std::move(scan));
}

// Groups are cut down to the first ones by other kernels. Words of a key have 64 bits.
bool Planner::sorts_there(StepId order) const {
  const Step& input = run_.plan.step(run_.plan.step(order).inputs[0]);
  return keeps_columns(input.kind) &&
         std::ranges::all_of(run_.plan.step(order).sort_keys, [&](const SortKey& key) {
           return width_bytes(input.schema[key.column].type) <= 8;
         });
}

Result<OperatorPointer> Planner::sort(StepId order, std::uint64_t row_limit) {
  const StepId input = run_.plan.step(order).inputs[0];
  SortOperator::Inputs inputs;
  if (const auto top_k = top_k_of(run_.plan, order, row_limit, run_.consumers)) {
    PENSTOCK_ASSIGN(inputs.first, scan_of(input, {}, ~std::uint64_t{0}, top_k));
    inputs.rows = inputs.first;
  } else if (!run_.options.validate && sorts_there(order) && may_stay(input)) {
    PENSTOCK_ASSIGN(auto scan, scan_of(input, columns_asked_for(input, {})));
    if (scan->stays()) inputs.rows = inputs.in_place = std::move(scan);
  }
  if (!inputs.rows) { PENSTOCK_ASSIGN(inputs.rows, rows_to_sort(order, row_limit)); }
  return OperatorPointer(std::make_shared<SortOperator>(run_, order, row_limit, std::move(inputs)));
}

// An order with a limit over many groups: the first groups are found before columns are made of
// them, even if the host maps them in between. Validation looks at all groups.
Result<OperatorPointer> Planner::rows_to_sort(StepId order, std::uint64_t row_limit) {
  const StepId input = run_.plan.step(order).inputs[0];
  auto ordered = ordered_groups(run_.plan, order, row_limit, run_.consumers);
  if (!ordered || run_.options.validate) return rows(input, ~std::uint64_t{0});
  PENSTOCK_ASSIGN(auto scan, scan_of(ordered->groups, columns_asked_for(ordered->groups, {})));
  scan->ask_for_groups(std::move(ordered->first));
  if (ordered->groups == input) return OperatorPointer(std::move(scan));
  return OperatorPointer(std::make_shared<InterpreterOperator>(run_, input, std::move(scan)));
}

static void add_operator(const Operator& at, const std::string& role, std::size_t depth,
                         std::string& text) {
  text += std::string(2 + 2 * depth, ' ') + role + at.name() + "\n";
  for (const OperatorInput& input : at.inputs())
    add_operator(*input.from, input.role, depth + 1, text);
}

std::string describe_operators(const Operator& root) {
  std::string text;
  add_operator(root, "", 0, text);
  return text;
}

}  // namespace penstock::plan
