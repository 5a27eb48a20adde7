// Joins whose right side does not fit device memory: the rows come to the host by buckets of their
// keys, and the join runs on the device by partitions of them.
#include "exec/physical/execution.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {

// Keeps a right side whose rows are on the host by buckets. Whether a key stands twice must be
// known before the first partition runs.
Status Execution::keep_buckets(StepId join, Columns columns,
                               std::shared_ptr<const BucketedRows> rows, BuildSide& side) {
  const HostSpan span(recording_.get(), "keys of a join by partitions");
  side.rows.row_count = rows->row_count();
  side.bucketed_columns = std::move(columns);
  side.buckets = std::move(rows);
  if (!yields_right_columns(plan_.step(join).join_kind)) return {};
  PENSTOCK_ASSIGN(const std::optional<bool> repeat,
                  keys_repeat(*side.buckets, bytes_left_for_sides()));
  if (!repeat) return take_from_buckets(join, side, too_many_of_one_key());
  side.repeats = *repeat;
  return {};
}

// Brings rows to the host by buckets that fit device memory without their table.
Status Execution::leave_by_buckets(StepId join, const Columns& columns, DeviceSide there,
                                   BuildSide& side) {
  Schema schema;
  DeviceRows rows;
  rows.row_count = there.rows.row_count;
  for (const std::uint32_t column : columns) {
    schema.push_back(plan_.step(plan_.step(join).inputs[1]).schema[column]);
    DeviceColumn& from = there.rows.columns[column];
    schema.back().nullable = from.validity != nullptr;
    rows.columns.push_back(std::move(from));
  }
  const auto buckets = std::make_shared<BucketedRows>(
      there.kernels, std::move(schema), places_in(columns, right_keys(plan_.step(join))));
  PENSTOCK_ASSIGN(const auto queue, device_.get()->queue());
  PENSTOCK_TRY(buckets->append(*queue, rows));
  PENSTOCK_TRY(queue->finish());
  rows = {};  // before keys take memory
  report_.bytes_downloaded += buckets->bytes();
  return keep_buckets(join, columns, buckets, side);
}

std::string Execution::too_many_of_one_key() const {
  return limit_of_right_sides() + ", which rows with one key exceed";
}

// Makes the table on the host.
Status Execution::take_from_buckets(StepId join, BuildSide& side, std::string_view why) {
  const Step& right = plan_.step(plan_.step(join).inputs[1]);
  side.rows = spread_columns(right.schema, side.bucketed_columns, side.buckets->on_host(strings_));
  side.buckets.reset();
  note_on_host(report_, "table of a join", side.rows.row_count, why);
  return hash_right_side(join, side);
}

Status Execution::move_buckets(StepId join, std::string_view why) {
  BuildSide side = *sides_.at(join);
  sides_[join] = nullptr;
  PENSTOCK_TRY(take_from_buckets(join, side, why));
  sides_[join] = std::make_shared<const BuildSide>(std::move(side));
  return {};
}

bool Execution::is_in_buckets(StepId join) const {
  const auto side = sides_.find(join);
  return side != sides_.end() && side->second->buckets;
}

// Returns the partitions that a chain's rows are read for, of a lookup or of pairs; or null.
JoinPartitions* Execution::partitions_of(Chain& chain) {
  if (chain.pairs && chain.pairs->partitions()) return chain.pairs->partitions();
  return chain.partitions ? &*chain.partitions : nullptr;
}

// Returns which lookup of a chain has the most rows by buckets, and sends the others to the host:
// each further one would multiply the passes over the left rows.
Result<std::optional<std::size_t>> Execution::lookup_to_partition(Chain& chain) {
  std::optional<std::size_t> chosen;
  const std::vector<Lookup>& lookups = chain.programs[0].lookups;
  const auto rows_of = [&](std::size_t i) { return sides_.at(lookups[i].step)->rows.row_count; };
  for (std::size_t i = 0; i < lookups.size() && !partitions_of(chain); i++)
    if (is_in_buckets(lookups[i].step) && (!chosen || rows_of(i) > rows_of(*chosen))) chosen = i;
  for (std::size_t i = 0; i < lookups.size(); i++)
    if (i != chosen && is_in_buckets(lookups[i].step))
      PENSTOCK_TRY(move_buckets(lookups[i].step,
                                limit_of_right_sides() + ", and another one runs by partitions"));
  return chosen;
}

// Makes one lookup of a chain partitioned where its right side is on the host by buckets, or has
// the host make its table.
Status Execution::choose_partitions(Chain& chain) {
  chain.partitions.reset();
  PENSTOCK_ASSIGN(const auto lookup, lookup_to_partition(chain));
  if (!lookup) return {};
  const StepId join = chain.programs[0].lookups[*lookup].step;
  auto partitions =
      JoinPartitions::choose(join, sides_.at(join), plan_.step(plan_.step(join).inputs[1]).schema,
                             bytes_left_for_sides(), false);
  if (!partitions) return move_buckets(join, too_many_of_one_key());
  std::vector<TileProgram> programs = chain.programs;
  for (TileProgram& program : programs) {
    partition_lookup(program, *lookup);
    if (!fits_parameters(program)) return move_buckets(join, "a kernel has too few parameters");
  }
  chain.programs = std::move(programs);
  if (chain.paged) partition_lookup(*chain.paged, *lookup);
  chain.kernels.clear();
  chain.partitions = std::move(partitions);
  note_partitions(*chain.partitions);
  return {};
}

void Execution::note_partitions(const JoinPartitions& partitions) {
  report_.notes.push_back("join in " + std::to_string(partitions.count()) +
                          " partitions, and as many readings of its left side: its right one has " +
                          count_text(partitions.row_count()) + " rows, and " +
                          limit_of_right_sides());
}

}  // namespace penstock::plan
