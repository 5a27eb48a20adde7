#include "exec/devices/cuts.hpp"

#include <algorithm>

#include "fuse/program/source_answers.hpp"

namespace penstock::plan {
namespace {

// With more groups the devices make rows of all, which is faster than some on the host.
constexpr std::uint64_t max_first_groups = 1 << 16;

class CutFinder {
 public:
  CutFinder(const Plan& plan, const std::vector<StepId>& results)
      : plan_(plan), consumers_(count_consumers(plan, results)), is_visited_(plan.size()) {}

  Status visit(StepId id, std::uint64_t row_limit) {
    if (is_visited_[id]) return {};
    is_visited_[id] = true;
    if (consumers_[id] > 1) row_limit = ~std::uint64_t{0};
    PENSTOCK_ASSIGN(const std::optional<Table> answer, source_answer(plan_, id));
    if (answer) return {};
    const Step& step = plan_.step(id);
    if (const StepId base = base_of(id); base != no_step) {
      PENSTOCK_TRY(visit_right_sides(id));
      cuts_.push_back({id, base, row_limit});
      // Without an order any groups will do.
      if (step.kind == StepKind::group_by && row_limit <= max_first_groups)
        cuts_.back().first_groups = TopK{{}, row_limit};
      return {};
    }
    for (const StepId input : step.inputs) PENSTOCK_TRY(visit(input, rows_needed(step, row_limit)));
    if (step.kind == StepKind::order_by) ask_for_first_groups(id, row_limit);
    return {};
  }
  std::vector<Cut> take() { return std::move(cuts_); }

 private:
  // Returns the source that a step's kernels can read in shares of rows, or no_step.
  StepId base_of(StepId id) const {
    const Step& step = plan_.step(id);
    if (step.kind == StepKind::order_by) {
      const StepId input = step.inputs[0];
      if (consumers_[input] > 1) return no_step;
      if (plan_.step(input).kind == StepKind::source) return can_be_split(input) ? input : no_step;
      // Shares of an order of ordered rows would be merged by its keys alone.
      const bool is_ordered = plan_.step(input).kind == StepKind::order_by;
      return is_ordered || is_aggregate(plan_, input) ? no_step : base_of(input);
    }
    if (step.kind == StepKind::source || has_no_kernel(plan_, id)) return no_step;
    const StepId base = chain_base(plan_, id, consumers_);
    return can_be_split(base) && !is_read_besides(id, base) ? base : no_step;
  }

  bool can_be_split(StepId base) const {
    const std::shared_ptr<TableSource>& source = plan_.step(base).source;
    return source && source->can_be_scanned_again() && source->row_count().value_or(0) > 0;
  }

  // Returns whether a right side of a join also reads the base.
  bool is_read_besides(StepId id, StepId base) const {
    for (; id != base; id = plan_.step(id).inputs[0])
      if (plan_.step(id).kind == StepKind::join && reads(plan_.step(id).inputs[1], base))
        return true;
    return false;
  }
  bool reads(StepId id, StepId base) const {
    return id == base || std::ranges::any_of(plan_.step(id).inputs,
                                             [&](StepId input) { return reads(input, base); });
  }

  void ask_for_first_groups(StepId order, std::uint64_t row_limit) {
    auto ordered = ordered_groups(plan_, order, row_limit, consumers_);
    if (!ordered || row_limit > max_first_groups) return;
    const auto cut = std::ranges::find(cuts_, ordered->groups, &Cut::step);
    if (cut != cuts_.end()) cut->first_groups = std::move(ordered->first);
  }

  // Each device reads the right sides, except ones that begin with an aggregate.
  Status visit_right_sides(StepId id) {
    for (; !plan_.step(id).inputs.empty(); id = plan_.step(id).inputs[0])
      if (plan_.step(id).kind == StepKind::join)
        PENSTOCK_TRY(visit_aggregates(plan_.step(id).inputs[1]));
    return {};
  }
  Status visit_aggregates(StepId id) {
    if (is_aggregate(plan_, id)) return visit(id, ~std::uint64_t{0});
    for (const StepId input : plan_.step(id).inputs) PENSTOCK_TRY(visit_aggregates(input));
    return {};
  }

  const Plan& plan_;
  const std::vector<std::uint32_t> consumers_;
  std::vector<bool> is_visited_;
  std::vector<Cut> cuts_;
};

}  // namespace

bool is_aggregate(const Plan& plan, StepId id) {
  return plan.step(id).kind == StepKind::reduce || plan.step(id).kind == StepKind::group_by;
}

Result<std::vector<Cut>> find_cuts(const Plan& plan, const std::vector<StepId>& results) {
  CutFinder finder(plan, results);
  for (const StepId result : results) PENSTOCK_TRY(finder.visit(result, ~std::uint64_t{0}));
  return finder.take();
}

}  // namespace penstock::plan
