// Right sides that do not fit device memory: their rows are on the host by buckets of their keys,
// and joins run on the device by partitions of them.
#include "exec/physical/build_operator.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

// Makes the table on the host.
Status take_from_buckets(RunState& run, StepId join, BuildSide& side, std::string_view why) {
  const Step& right = run.plan.step(run.plan.step(join).inputs[1]);
  side.rows =
      spread_columns(right.schema, side.bucketed_columns, side.buckets->on_host(run.strings));
  side.buckets.reset();
  note_on_host(run.report, "table of a join", side.rows.row_count, why);
  return hash_right_side(run, join, side);
}

}  // namespace

// The first partition runs only when it is known whether a key repeats.
Status keep_buckets(RunState& run, StepId join, BucketedTable rows, BuildSide& side) {
  const HostSpan span(run.recorder(), "keys of a join by partitions");
  side.rows.row_count = rows.rows->row_count();
  side.bucketed_columns = std::move(rows.columns);
  side.buckets = std::move(rows.rows);
  if (!yields_right_columns(run.plan.step(join).join_kind)) return {};
  PENSTOCK_ASSIGN(const std::optional<bool> repeat,
                  keys_repeat(*side.buckets, run.bytes_left_for_sides()));
  if (!repeat) return take_from_buckets(run, join, side, too_many_of_one_key(run));
  side.repeats = *repeat;
  return {};
}

Status leave_by_buckets(RunState& run, StepId join, const Columns& columns, DeviceSide there,
                        BuildSide& side) {
  const Step& step = run.plan.step(join);
  Schema schema;
  DeviceRows rows;
  rows.row_count = there.rows.row_count;
  for (const std::uint32_t column : columns) {
    schema.push_back(run.plan.step(step.inputs[1]).schema[column]);
    DeviceColumn& from = there.rows.columns[column];
    schema.back().nullable = from.validity != nullptr;
    rows.columns.push_back(std::move(from));
  }
  const auto buckets = std::make_shared<BucketedRows>(there.kernels, std::move(schema),
                                                      places_in(columns, right_keys(step)));
  PENSTOCK_ASSIGN(const auto queue, run.device()->queue());
  PENSTOCK_TRY(buckets->append(*queue, rows));
  PENSTOCK_TRY(queue->finish());
  rows = {};  // before keys take memory
  run.report.bytes_downloaded += buckets->bytes();
  return keep_buckets(run, join, {buckets, columns}, side);
}

std::string too_many_of_one_key(const RunState& run) {
  return run.limit_of_right_sides() + ", which rows with one key exceed";
}

Status move_buckets(RunState& run, StepId join, std::string_view why) {
  BuildSide side = *run.sides.at(join);
  run.sides[join] = nullptr;
  PENSTOCK_TRY(take_from_buckets(run, join, side, why));
  run.sides[join] = std::make_shared<const BuildSide>(std::move(side));
  return {};
}

void note_partitions(RunState& run, const JoinPartitions& partitions) {
  run.report.notes.push_back("join in " + std::to_string(partitions.count()) +
                             " partitions, and as many readings of its left side: its right one "
                             "has " +
                             count_text(partitions.row_count()) + " rows, and " +
                             run.limit_of_right_sides());
}

}  // namespace penstock::plan
