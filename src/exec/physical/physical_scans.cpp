// Scans of a physical plan: which steps one scan yields, and what it reads.
#include <algorithm>
#include <utility>

#include "exec/physical/join_operator.hpp"
#include "exec/physical/physical_plan.hpp"
#include "exec/window/window_there.hpp"
#include "fuse/program/fuse_chain.hpp"
#include "fuse/program/kernel_parameters.hpp"
#include "fuse/variants/variants.hpp"
#include "penstock/session_device.hpp"

namespace penstock::plan {
namespace {

bool is_right_side(const Plan& plan, StepId id) {  // of a join
  for (StepId at = 0; at < plan.size(); at++)
    if (const Step& step = plan.step(at);
        step.kind == StepKind::join && step.inputs[1] == id && step.inputs[0] != id)
      return true;
  return false;
}

bool is_sorted(const Plan& plan, StepId id) {  // by an ORDER BY
  for (StepId at = 0; at < plan.size(); at++)
    if (plan.step(at).kind == StepKind::order_by && plan.step(at).inputs[0] == id) return true;
  return false;
}

// Returns the columns of a right side that the host gathers by the rows that a lookup found. The
// kernel may read them too.
Columns columns_gathered(const std::vector<TileProgram>& programs, std::size_t lookup) {
  Columns columns;
  for (const TileProgram& program : programs)
    for (const Output& output : program.outputs) {
      const auto column = static_cast<std::uint32_t>(output.late_column);
      if (output.late_column >= 0 && program.lookup_of(column) == static_cast<int>(lookup))
        add_once(columns, column - program.lookups[lookup].first_column);
    }
  return columns;
}

}  // namespace

bool Planner::makes_pairs_of(StepId left) const {
  return std::ranges::any_of(
      repeated_, [&](const auto& join) { return run_.plan.step(join.first).inputs[0] == left; });
}

// Returns whether a step yields this share of the result, which is downloaded to its place among
// the rows of all shares.
bool Planner::is_joined(StepId id) const {
  const auto is_string = [](const Field& field) { return field.type.kind == Kind::string; };
  const Step& step = run_.plan.step(id);
  return run_.share.joint_rows && id == run_.results[0] && keeps_columns(step.kind) &&
         std::ranges::none_of(step.schema, is_string);
}

// Returns whether rows of several consumers may stay on the device, which each reads there.
bool Planner::is_shared_there(StepId id) const {
  return run_.consumers[id] > 1 && !run_.options.validate && !run_.share.right_sides &&
         !run_.share.groups && !run_.known.contains(id);
}

bool Planner::is_wanted_on_device(StepId id) const {
  return is_right_side(run_.plan, id) || makes_pairs_of(id) ||
         (is_sorted(run_.plan, id) && !run_.options.validate) || is_joined(id) ||
         read_there_.contains(id) || is_shared_there(id) || kept_there_.contains(id);
}

// Returns whether a step's rows may be left in device memory for its one consumer.
bool Planner::may_stay(StepId id) { return run_.consumers[id] <= 1 && may_be_left(id); }

// Groups are left for kernels that read them there. Several devices exchange theirs.
bool Planner::may_be_left(StepId id) {
  if (has_no_kernel(run_.plan, id)) return false;
  const Step& step = run_.plan.step(id);
  const bool is_group = step.kind == StepKind::group_by,
             is_read_there = read_there_.contains(id) || is_right_side(run_.plan, id) ||
                             makes_pairs_of(id) || run_.consumers[id] > 1;
  if (is_group && (!is_read_there || run_.options.validate || run_.share.groups)) return false;
  if (step.kind == StepKind::source) {
    const std::uint64_t rows = step.source->row_count().value_or(min_device_join_rows);
    if (run_.options.intermediate_rows != IntermediateRows::device && rows < min_device_join_rows &&
        !makes_pairs_of(id))
      return false;
  } else if (!is_group && !keeps_columns(step.kind)) {
    return false;
  }
  asks_for_traits_ = true;
  return keeps_rows(planned_for_);
}

// Returns whether a window's rows may be left in device memory, where a kernel reads them.
bool Planner::takes_window(StepId id) {
  if (!is_wanted_on_device(id) || run_.options.validate) return false;
  asks_for_traits_ = true;
  const Step& step = run_.plan.step(id);
  return keeps_rows(planned_for_) &&
         takes_window_there(*planned_for_, run_.plan.step(step.inputs[0]).schema, step.window);
}

// Returns whether the rows of a join's right side are those of a source with few rows.
bool Planner::has_few_rows(StepId join) const {
  constexpr std::uint64_t few_rows = 1 << 20;
  const StepId right = run_.plan.step(join).inputs[1];
  const auto& source = run_.plan.step(chain_base(run_.plan, right, run_.consumers)).source;
  return source && source->row_count().value_or(few_rows + 1) <= few_rows;
}

// Returns whether strings of a base are ordered by ranks. A session numbers all of them once; what
// other devices are to merge has no ranks in common.
bool Planner::may_rank_strings(StepId base, StepId last) const {
  const TableSource* const source = run_.plan.step(base).source.get();
  return source && source->can_be_scanned_again() && !source->identity().empty() &&
         run_.options.session && run_.options.session->cache().limit_bytes() > 0 &&
         !run_.leaves_partials(last);
}

// Returns the step at which a scan that yields `last` begins. A join that makes pairs begins one.
StepId Planner::base_of(StepId last) const {
  const StepId base = chain_base(run_.plan, last, run_.consumers);
  for (StepId at = last; at != base; at = run_.plan.step(at).inputs[0])
    if (repeated_.contains(at)) return at;
  return base;
}

// A kernel has a limited number of parameters, and each lookup takes some. Returns the join in the
// middle of a chain, at which a shorter one begins; no_step where there is none.
StepId Planner::nearer_base(const ScanOperator::Shape& shape) const {
  std::vector<StepId> joins;
  for (StepId at = shape.last; at != shape.base; at = run_.plan.step(at).inputs[0])
    if (at != shape.last && run_.plan.step(at).kind == StepKind::join) joins.push_back(at);
  return joins.empty() ? no_step : joins[joins.size() / 2];
}

Result<std::shared_ptr<ScanOperator>> Planner::scan_of(StepId id, const Columns& wanted,
                                                       std::uint64_t row_limit,
                                                       const std::optional<TopK>& top_k) {
  ScanOperator::Shape shape{base_of(id), id, wanted, top_k, {}};
  const bool may_be_read_there =
      run_.consumers[id] <= 1 || (run_.plan.step(id).kind != StepKind::source);
  if (may_be_read_there && is_wanted_on_device(id) && may_be_left(id))
    shape.may_stay_on = planned_for_->target;
  PENSTOCK_ASSIGN(auto scan, scan_of_shape(shape));
  PENSTOCK_ASSIGN(ScanOperator::Inputs inputs, inputs_of(*scan));
  inputs.row_limit = row_limit;
  inputs.is_right_side = is_right_side(run_.plan, id);
  scan->set_inputs(std::move(inputs));
  return scan;
}

Result<std::shared_ptr<ScanOperator>> Planner::scan_of_shape(const ScanOperator::Shape& shape) {
  const auto has_shape = [&](const auto& scan) { return scan->shape() == shape; };
  const auto here = std::ranges::find_if(scans_, has_shape);
  if (here != scans_.end()) return *here;
  const auto before = std::ranges::find_if(scans_before_, has_shape);
  if (before != scans_before_.end()) return scans_.emplace_back(*before);
  bool was_fused = false;
  PENSTOCK_ASSIGN(auto programs,
                  programs_of_chain(run_.plan,
                                    {shape.base, shape.last, shape.wanted, shape.top_k, false,
                                     may_rank_strings(shape.base, shape.last)},
                                    run_.options.kept_programs.get(), was_fused));
  if (const StepId nearer = nearer_base(shape);
      nearer != no_step && !std::ranges::all_of(programs, fits_parameters)) {
    ScanOperator::Shape shorter = shape;
    shorter.base = nearer;
    return scan_of_shape(shorter);
  }
  run_.report.chains_fused += was_fused;
  const auto is_small = [&](int lookup) {
    return has_few_rows(programs[0].lookups[static_cast<std::size_t>(lookup)].step);
  };
  const bool stays = shape.may_stay_on && programs.size() == 1 &&
                     write_rows_on_device(programs[0], *planned_for_, is_small);
  scans_.push_back(std::make_shared<ScanOperator>(run_, shape, std::move(programs), stays));
  return scans_.back();
}

Result<ScanOperator::Inputs> Planner::inputs_of(const ScanOperator& scan) {
  const auto& [base, last, wanted, top_k, may_stay_on] = scan.shape();
  const std::vector<TileProgram>& programs = scan.programs();
  ScanOperator::Inputs inputs;
  for (std::size_t i = 0; i < programs[0].lookups.size(); i++) {
    PENSTOCK_ASSIGN(inputs.builds.emplace_back(), build_of(programs, i));
  }
  if (inputs.base_makes_pairs = repeated_.contains(base); inputs.base_makes_pairs) {
    PENSTOCK_ASSIGN(inputs.base, join_of(scan));
  } else if (!run_.plan.step(base).source) {
    ask_for_resident(base, programs);
    PENSTOCK_ASSIGN(inputs.base, rows(base, ~std::uint64_t{0}, columns_scanned(programs)));
  }
  if (run_.options.validate && !programs[0].lookups.empty()) {
    const Step& join = run_.plan.step(programs[0].lookups.back().step);
    PENSTOCK_ASSIGN(inputs.reference_left,
                    rows(join.inputs[0], ~std::uint64_t{0}, columns_of_left(join, {})));
  }
  return inputs;
}

// Asks for the rows of a base, or of its appended inputs, to be left in device memory where
// programs can read them there.
void Planner::ask_for_resident(StepId base, std::vector<TileProgram> programs) {
  if (run_.options.validate || run_.known.contains(base)) return;
  if (!std::ranges::all_of(programs, [](TileProgram& program) { return read_pairs(program); }))
    return;
  read_there_.insert(base);
}

// Asks for the rows of inputs to be left in device memory, for a step that is wanted there.
void Planner::ask_for_inputs_of(StepId id) {
  const Columns& inputs = run_.plan.step(id).inputs;
  if (is_wanted_on_device(id)) read_there_.insert(inputs.begin(), inputs.end());
}

Result<std::shared_ptr<BuildOperator>> Planner::build_of(const std::vector<TileProgram>& programs,
                                                         std::size_t lookup) {
  const StepId join = programs[0].lookups[lookup].step;
  const StepId right = run_.plan.step(join).inputs[1];
  const Columns columns = columns_looked_up(run_.plan.step(join), programs, lookup);
  auto build =
      std::make_shared<BuildOperator>(run_, join, columns, columns_gathered(programs, lookup));
  std::shared_ptr<ScanOperator> scan;
  PENSTOCK_ASSIGN(auto input, side_of_join(right, columns, scan));
  build->set_input(std::move(input), std::move(scan));
  return builds_[join] = build;
}

// Returns a side of a join. Its rows are left in device memory if they may be. `scan`: the side, if
// it is a scan that nothing else reads.
Result<OperatorPointer> Planner::side_of_join(StepId id, const Columns& columns,
                                              std::shared_ptr<ScanOperator>& scan) {
  if (may_stay(id) && !passes_columns(run_.plan, id)) {
    PENSTOCK_ASSIGN(scan, scan_of(id, columns_asked_for(id, columns)));
    if (scan->stays()) return OperatorPointer(scan);
    scan.reset();
  }
  return rows(id, ~std::uint64_t{0}, columns);
}

// Returns the join that a scan begins with. Its right side has been built.
Result<OperatorPointer> Planner::join_of(const ScanOperator& scan) {
  const StepId id = scan.shape().base;
  const Step& step = run_.plan.step(id);
  JoinOperator::Inputs inputs;
  inputs.wanted = id == scan.shape().last ? scan.shape().wanted
                                          : columns_asked_for(id, columns_scanned(scan.programs()));
  PENSTOCK_ASSIGN(inputs.left_there, left_for_pairs(id, scan.programs()));
  PENSTOCK_ASSIGN(inputs.left,
                  rows(step.inputs[0], ~std::uint64_t{0}, columns_of_left(step, inputs.wanted)));
  return OperatorPointer(std::make_shared<JoinOperator>(run_, repeated_.at(id), std::move(inputs)));
}

// Returns the left side where its rows may be left in device memory, or null.
Result<OperatorPointer> Planner::left_for_pairs(StepId join, std::vector<TileProgram> programs) {
  const OperatorPointer none;
  const Step& step = run_.plan.step(join);
  const auto side = run_.sides.find(join);
  if (side == run_.sides.end() || !(side->second->on_device || side->second->buckets)) return none;
  if (!std::ranges::all_of(programs, [](TileProgram& program) { return read_pairs(program); }))
    return none;
  std::shared_ptr<ScanOperator> scan;
  PENSTOCK_ASSIGN(
      OperatorPointer there,
      side_of_join(step.inputs[0], columns_of_left(step, columns_scanned(programs)), scan));
  return there->stays() ? there : none;
}

}  // namespace penstock::plan
