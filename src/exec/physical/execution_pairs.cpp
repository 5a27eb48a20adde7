// Joins whose keys repeat on the right, where both sides are in device memory: pairs are made
// there, and a chain begins with them.
#include "exec/physical/execution.hpp"

namespace penstock::plan {

// Validation joins on the host.
bool Execution::may_make_pairs(StepId join) const {
  const Step& step = plan_.step(join);
  return yields_right_columns(step.join_kind) && !options_.validate &&
         step.inputs[0] != step.inputs[1];
}

// Fuses a chain again from a join that has its right side on the device, or on the host by buckets,
// and makes its pairs the chain's rows. Returns false where the host joins, to which the right side
// has come then.
Result<bool> Execution::pair_rows(Chain& chain, StepId join) {
  if (!sides_.at(join)->on_device && !is_in_buckets(join)) return false;
  paired_.insert(plan_.step(join).inputs[0]);
  PENSTOCK_TRY(fuse(chain, join));
  PENSTOCK_ASSIGN(const bool paired, pair_with_left(chain, join));
  if (paired) return true;
  const std::string why = "pairs are not made on " + device_.name() +
                          ": its left side does not stay there, or memory or parameters are short";
  PENSTOCK_TRY(is_in_buckets(join) ? move_buckets(join, why) : move_right_side(join, why));
  return false;
}

// Half of what is left is for the left side, where the right one takes partitions of the rest.
Result<bool> Execution::pair_with_left(Chain& chain, StepId join) {
  const Step& step = plan_.step(join);
  std::vector<TileProgram> programs = chain.programs;
  for (TileProgram& program : programs)
    if (!read_pairs(program)) return false;
  const Columns columns = columns_of_left(step, columns_scanned(programs));
  PENSTOCK_ASSIGN(
      auto left,
      left_on_device(join, columns, bytes_left_for_sides() / (is_in_buckets(join) ? 2 : 1)));
  if (!left) return false;
  Columns keys;
  for (const JoinKey& key : step.join_keys) keys.push_back(key.left);
  PENSTOCK_ASSIGN(auto pairs, pairs_of(join, {*left, std::move(keys), step.join_kind}));
  if (!pairs) {
    PENSTOCK_TRY(download_right_side(plan_.step(step.inputs[0]), *left, columns,
                                     done_[step.inputs[0]]));  // for the host's join
    return false;
  }
  pair_bytes_ += pairs->bytes();
  chain.programs = std::move(programs);
  chain.pairs = std::move(pairs);
  return true;
}

// Reports the pairs that a chain has read, and frees them with the right side, which no other chain
// reads.
void Execution::end_pairs(Chain& chain) {
  chain.pairs->add_to(report_);
  pair_bytes_ -= chain.pairs->bytes();
  sides_.erase(chain.base);
  chain.pairs.reset();
}

// Returns null where memory is too small.
Result<std::shared_ptr<PairedRows>> Execution::pairs_of(StepId join, PairedLeft left) {
  const HostSpan span(recording_.get(), "pairs of a join on the device");
  const Step& step = plan_.step(join);
  const std::uint64_t left_bytes = bytes_on_device(left.rows);
  if (!is_in_buckets(join)) {
    PENSTOCK_ASSIGN(auto pairs, DevicePairs::count(std::move(left.rows), left.keys, sides_.at(join),
                                                   left.kind, bytes_left_for_sides(left_bytes)));
    if (!pairs) return std::shared_ptr<PairedRows>();
    return std::make_shared<PairedRows>(std::move(*pairs), step);
  }
  const std::uint64_t counted_bytes =
      left.rows.row_count * DevicePairs::bytes_per_left_row(left.keys.size());
  auto partitions = JoinPartitions::choose(join, sides_.at(join), plan_.step(step.inputs[1]).schema,
                                           bytes_left_for_sides(left_bytes + counted_bytes), true);
  if (!partitions) return std::shared_ptr<PairedRows>();
  note_partitions(*partitions);
  return std::make_shared<PairedRows>(std::move(left), std::move(*partitions), step);
}

// Returns the rows of a left side with a place for each of its columns; nothing where they do not
// stay in device memory.
Result<std::optional<DeviceRows>> Execution::left_on_device(StepId join, const Columns& columns,
                                                            std::uint64_t limit_bytes) {
  const StepId left = plan_.step(join).inputs[0];
  if (!may_stay(left)) return std::optional<DeviceRows>();
  const Columns asked = columns_asked_for(left, columns);
  PENSTOCK_ASSIGN(Chain* const chain, chain_of(left, asked));
  if (!chain->stays) return std::optional<DeviceRows>();
  RowsOnDevice stay;
  stay.kernels = join_kernels();
  stay.limit_bytes = limit_bytes;
  PENSTOCK_ASSIGN(Table here, run_chain(*chain, ~std::uint64_t{0}, &stay));
  if (stay.are_there)
    return std::optional(spread_rows(plan_.step(left).schema,
                                     asked.empty() ? every_column(plan_.step(left).schema) : asked,
                                     std::move(stay.rows)));
  done_[left] = std::move(here);  // for the host's join
  return std::optional<DeviceRows>();
}

}  // namespace penstock::plan
