#include "exec/physical/build_operator.hpp"

#include <algorithm>
#include <utility>

#include "exec/physical/scan_operator.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {

void BuildOperator::set_input(OperatorPointer input, std::shared_ptr<ScanOperator> scan) {
  input_ = std::move(input);
  scan_ = std::move(scan);
}

std::string BuildOperator::role() const {
  return std::string(stays() ? "right side in device memory: " : "right side on the host: ");
}

// A plan that is made anew may gather more columns. The host gathers none of buckets.
bool BuildOperator::is_done() const {
  const auto known = run_.sides.find(join_);
  if (known == run_.sides.end()) return false;
  const BuildSide& side = *known->second;
  return side.buckets || std::ranges::all_of(gathered_, [&](std::uint32_t column) {
           return side.rows.columns[column].row_count == side.rows.row_count;
         });
}

bool BuildOperator::is_shared_out() const {
  return run_.share.right_sides && run_.share.right_sides->takes(join_);
}

Status BuildOperator::compile() {
  if (is_done()) return {};
  if (stays()) run_.row_kernels();
  return input_->compile();
}

Status BuildOperator::read_ahead() { return scan_ && !is_done() ? scan_->read_ahead() : Status(); }

Status BuildOperator::run() {
  if (is_done()) return {};
  run_.sides.erase(join_);
  BuildSide side;
  if (stays()) {
    PENSTOCK_TRY(take(side));
  } else if (is_shared_out()) {
    return run_.share.right_sides->all_rows(run_.share.number, run_.device(), {}, run_.report)
        .status();
  } else {
    PENSTOCK_ASSIGN(side.rows, input_->run_to_host());
    PENSTOCK_TRY(hash_right_side(run_, join_, side));
  }
  run_.sides[join_] = std::make_shared<const BuildSide>(std::move(side));
  // Repeated keys change the plan, so that all devices have to know. They wait for one another at
  // each join: a fault in any right side comes before one in a later step, as on one device.
  const auto& others = run_.share.right_sides;
  return others && others->is_by_key(join_)
             ? others->agree_on_keys(run_.share.number, join_, run_.has_repeated_keys(join_))
             : Status();
}

// Runs the right side, and makes the table at the place of its rows.
Status BuildOperator::take(BuildSide& side) {
  RowsWanted wanted{run_.bytes_left_for_sides(), is_shared_out()};
  if (!is_shared_out() && !run_.options.validate) wanted.bucket_keys = right_keys(step());
  PENSTOCK_ASSIGN(Rows rows, is_shared_out() ? rows_of_all(wanted) : input_->run(wanted));
  PENSTOCK_ASSIGN(auto there, device_table(run_, step().inputs[1], rows, wanted.device_bytes));
  if (there) return keep_on_device(std::move(*there), wanted.device_bytes, side);
  if (auto* const buckets = std::get_if<BucketedTable>(&rows))
    return keep_buckets(run_, join_, std::move(*buckets), side);
  side.rows = std::get<Table>(std::move(rows));
  // Few rows of groups come to the host though they fit.
  if (side.rows.row_count * device_bytes_per_row(right().schema) > wanted.device_bytes)
    note_on_host(run_.report, "table of a join", side.rows.row_count, run_.limit_of_right_sides());
  return hash_right_side(run_, join_, side);
}

// Puts the rows of all devices into the memory of each.
Result<Rows> BuildOperator::rows_of_all(const RowsWanted& wanted) {
  auto rows = scan_->run(wanted);
  const bool do_not_fit = rows.status().code() == Code::no_memory;
  if (!do_not_fit) PENSTOCK_TRY(rows);
  std::optional<RightSideExchange::Rows> own;
  const Columns columns = scan_->columns();
  if (auto* const there = do_not_fit ? nullptr : std::get_if<DeviceTable>(&*rows))
    own = {join_, columns, std::move(there->rows), wanted.device_bytes};
  PENSTOCK_ASSIGN(DeviceRows all, run_.share.right_sides->all_rows(run_.share.number, run_.device(),
                                                                   std::move(own), run_.report));
  return Rows(DeviceTable{std::move(all), columns});
}

// Rows go to the host by buckets where the table, or the order that pairs need, does not fit.
// Validation needs all rows on the host.
Status BuildOperator::keep_on_device(DeviceTable rows, std::uint64_t limit_bytes, BuildSide& side) {
  const HostSpan span(run_.recorder(), "table of a join on the device");
  const bool is_validated = run_.options.validate;
  DeviceSide there{
      run_.row_kernels(), spread_rows(right().schema, rows.columns, std::move(rows.rows)), {}};
  const std::uint64_t held = std::min(bytes_on_device(there.rows), limit_bytes);
  PENSTOCK_ASSIGN(
      auto table,
      build_join_table(*there.kernels, there.rows,
                       {right_keys(step()), limit_bytes - held, may_make_pairs(run_, join_), {}}));
  const bool is_lookup =
      table && (table->repeated_rows == 0 || !yields_right_columns(step().join_kind));
  const bool makes_pairs = table && !is_lookup && table->order;
  const bool stays = is_lookup || makes_pairs;
  if (!stays && !is_validated) {
    table.reset();  // memory is short
    return leave_by_buckets(run_, join_, rows.columns, std::move(there), side);
  }
  const bool is_on_host = !stays || is_validated;
  PENSTOCK_ASSIGN(side.rows, run_.download(right(), there.rows,
                                           is_on_host    ? rows.columns
                                           : makes_pairs ? Columns()
                                                         : gathered_));
  if (is_on_host) PENSTOCK_TRY(hash_right_side(run_, join_, side));
  if (!stays) {
    note_on_host(run_.report, "table of a join", there.rows.row_count,
                 table ? "keys of its right side repeat" : run_.limit_of_right_sides());
    return {};
  }
  there.kernels->add_to(run_.report, "join_table",
                        {table->launches, table->bytes, table->device_seconds});
  there.table = std::move(*table);
  side.on_device = std::move(there);
  return {};
}

bool may_make_pairs(const RunState& run, StepId join) {
  const Step& step = run.plan.step(join);
  return yields_right_columns(step.join_kind) && !run.options.validate &&
         step.inputs[0] != step.inputs[1];
}

Status hash_right_side(RunState& run, StepId join, BuildSide& side) {
  const HostSpan span(run.recorder(), "table of a join");
  const Step& step = run.plan.step(join);
  std::vector<Column> keys;
  for (const std::uint32_t key : right_keys(step)) keys.push_back(side.rows.columns[key]);
  PENSTOCK_ASSIGN(side.table,
                  JoinTable::build(keys, run.strings, yields_right_columns(step.join_kind)));
  return {};
}

Status move_right_side(RunState& run, StepId join, std::string_view why) {
  const std::shared_ptr<const BuildSide> there = std::exchange(run.sides[join], nullptr);
  const DeviceRows& rows = there->on_device->rows;
  Columns columns;
  for (std::uint32_t i = 0; i < rows.columns.size(); i++)
    if (rows.columns[i].values) columns.push_back(i);
  BuildSide here;
  PENSTOCK_ASSIGN(here.rows,
                  run.download(run.plan.step(run.plan.step(join).inputs[1]), rows, columns));
  PENSTOCK_TRY(hash_right_side(run, join, here));
  note_on_host(run.report, "pairs of a join", rows.row_count, why);
  run.sides[join] = std::make_shared<const BuildSide>(std::move(here));
  return {};
}

}  // namespace penstock::plan
