// Joins whose keys repeat on the right, where both sides are in device memory: pairs are made
// there, and a chain begins with them.
#include "plan/execution/execution.hpp"

namespace penstock::plan {

// Validation joins on the host.
bool Execution::may_make_pairs(StepId join) const {
  const Step& step = plan_.step(join);
  return yields_right_columns(step.join_kind) && !options_.validate &&
         step.inputs[0] != step.inputs[1];
}

// Fuses a chain again from a join that has its right side on the device, and makes its pairs the
// chain's rows. Returns false where the host joins, to which the right side has come then.
Result<bool> Execution::pair_rows(Chain& chain, StepId join) {
  if (!sides_.at(join)->on_device) return false;
  paired_.insert(plan_.step(join).inputs[0]);
  PENSTOCK_TRY(fuse(chain, join));
  PENSTOCK_ASSIGN(const bool paired, pair_with_left(chain, join));
  if (paired) return true;
  PENSTOCK_TRY(move_right_side(
      join, "pairs are not made on " + device_.name() +
                ": its left side does not stay there, or memory or parameters are short"));
  return false;
}

Result<bool> Execution::pair_with_left(Chain& chain, StepId join) {
  const Step& step = plan_.step(join);
  std::vector<TileProgram> programs = chain.programs;
  for (TileProgram& program : programs)
    if (!read_pairs(program)) return false;
  const Columns columns = columns_of_left(step, columns_scanned(programs));
  PENSTOCK_ASSIGN(auto left, left_on_device(join, columns));
  if (!left) return false;
  Columns keys;
  for (const JoinKey& key : step.join_keys) keys.push_back(key.left);
  const HostSpan span(recording_.get(), "pairs of a join on the device");
  const std::uint64_t left_bytes = bytes_on_device(*left);
  PENSTOCK_ASSIGN(auto pairs, DevicePairs::count(std::move(*left), keys, sides_.at(join),
                                                 step.join_kind, bytes_left_for_sides(left_bytes)));
  if (!pairs) return false;
  pair_bytes_ += pairs->bytes();
  chain.programs = std::move(programs);
  chain.pairs = std::make_shared<PairedRows>(std::move(*pairs), step.schema, step.left_columns);
  return true;
}

// Reports the pairs that a chain has read, and frees them with the right side, which no other chain
// reads.
void Execution::end_pairs(Chain& chain) {
  chain.pairs->add_to(report_);
  pair_bytes_ -= chain.pairs->pairs().bytes();
  sides_.erase(chain.base);
  chain.pairs.reset();
}

// Returns the rows of a left side with a place for each of its columns; nothing where they do not
// stay in device memory.
Result<std::optional<DeviceRows>> Execution::left_on_device(StepId join, const Columns& columns) {
  const StepId left = plan_.step(join).inputs[0];
  if (!may_stay(left)) return std::optional<DeviceRows>();
  const Columns asked = columns_asked_for(left, columns);
  PENSTOCK_ASSIGN(Chain* const chain, chain_of(left, asked));
  if (!chain->stays) return std::optional<DeviceRows>();
  RowsOnDevice stay;
  stay.kernels = join_kernels();
  stay.limit_bytes = bytes_left_for_sides();
  PENSTOCK_ASSIGN(Table here, run_chain(*chain, ~std::uint64_t{0}, &stay));
  if (stay.are_there)
    return std::optional(spread_rows(plan_.step(left).schema,
                                     asked.empty() ? every_column(plan_.step(left).schema) : asked,
                                     std::move(stay.rows)));
  done_[left] = std::move(here);  // for the host's join
  return std::optional<DeviceRows>();
}

}  // namespace penstock::plan
