// Scans with a lookup that runs by partitions: its right side is on the host by buckets.
#include "exec/physical/scan_operator.hpp"

namespace penstock::plan {

// Returns the partitions that rows are read for, of a lookup or of pairs; or null.
JoinPartitions* ScanOperator::partitions() {
  if (pairs_ && pairs_->partitions()) return pairs_->partitions();
  return partitions_ ? &*partitions_ : nullptr;
}

// Returns which lookup has the most rows by buckets, and sends the others to the host: each further
// one would multiply the passes over the left rows.
Result<std::optional<std::size_t>> ScanOperator::lookup_to_partition() {
  std::optional<std::size_t> chosen;
  const std::vector<Lookup>& lookups = programs_[0].lookups;
  const auto rows_of = [&](std::size_t i) {
    return run_.sides.at(lookups[i].step)->rows.row_count;
  };
  for (std::size_t i = 0; i < lookups.size() && !partitions(); i++)
    if (run_.is_in_buckets(lookups[i].step) && (!chosen || rows_of(i) > rows_of(*chosen)))
      chosen = i;
  for (std::size_t i = 0; i < lookups.size(); i++)
    if (i != chosen && run_.is_in_buckets(lookups[i].step))
      PENSTOCK_TRY(
          move_buckets(run_, lookups[i].step,
                       run_.limit_of_right_sides() + ", and another one runs by partitions"));
  return chosen;
}

// Makes one lookup partitioned where its right side is on the host by buckets, or has the host make
// its table.
Status ScanOperator::choose_partitions() {
  partitions_.reset();
  PENSTOCK_ASSIGN(const auto lookup, lookup_to_partition());
  if (!lookup) return {};
  const StepId join = programs_[0].lookups[*lookup].step;
  auto chosen = JoinPartitions::choose(join, run_.sides.at(join),
                                       run_.plan.step(run_.plan.step(join).inputs[1]).schema,
                                       run_.bytes_left_for_sides(), false);
  if (!chosen) return move_buckets(run_, join, too_many_of_one_key(run_));
  std::vector<TileProgram> programs = programs_;
  for (TileProgram& program : programs) {
    partition_lookup(program, *lookup);
    if (!fits_parameters(program))
      return move_buckets(run_, join, "a kernel has too few parameters");
  }
  programs_ = std::move(programs);
  if (paged_) partition_lookup(*paged_, *lookup);
  kernels_.clear();
  partitions_ = std::move(chosen);
  note_partitions(run_, *partitions_);
  return {};
}

}  // namespace penstock::plan
