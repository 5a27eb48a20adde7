// Shares: what an execution does for one of several devices, and what it takes from them.
#include <algorithm>

#include "base/clock.hpp"
#include "exec/physical/execution.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::plan {

Result<Execution::Share> Execution::run_share(StepId step, std::uint64_t row_limit) {
  const double start = now_seconds();
  const kernel::TunedFilesOfRun tuned;
  if (recording_) recording_->begin(report_);
  const StepKind kind = plan_.step(step).kind;
  const bool leaves_partials = kind == StepKind::reduce || kind == StepKind::group_by;
  if (leaves_partials) share_ = step;
  Share share;
  PENSTOCK_TRY(device_.begin());
  if (joint_rows_) PENSTOCK_TRY(begin_compiling());  // the device tells whether rows may stay
  auto rows = materialise(step, row_limit);
  PENSTOCK_TRY(begin_compiling());
  PENSTOCK_TRY(rows);
  share.parts = std::move(partials_);
  if (!leaves_partials) share.parts.push_back({{}, std::move(*rows), is_next_in_order_});
  report_.device_id = device_.get()->traits().id;
  report_.device_name = device_.get()->traits().name;
  report_.total_seconds = now_seconds() - start;
  PENSTOCK_TRY(device_.finish(report_));
  share.report = std::move(report_);
  share.begin_seconds = start;
  return share;
}

void Execution::exchange_with(std::shared_ptr<RowExchange> others, std::size_t share) {
  exchange_ = std::move(others);
  share_number_ = share;
}

void Execution::exchange_with(std::shared_ptr<GroupExchanges> others, std::size_t share) {
  group_share_ = {std::move(others), share};
}

void Execution::exchange_with(std::shared_ptr<JointRows> others, std::size_t share) {
  joint_rows_ = std::move(others);
  share_number_ = share;
}

void Execution::exchange_with(std::shared_ptr<RightSideExchange> others, std::size_t share) {
  right_sides_ = std::move(others);
  share_number_ = share;
}

bool Execution::has_share_of_right_side(StepId join) const {
  return right_sides_ && right_sides_->takes(join);
}

// Leaves the rows of all shares in device memory.
Result<Table> Execution::right_side_of_all(StepId join, Chain& chain, const Columns& columns,
                                           RowsOnDevice& stay) {
  stay.must_fit = true;
  auto rows = run_chain(chain, ~std::uint64_t{0}, &stay);
  const bool do_not_fit = rows.status().code() == Code::no_memory;
  if (!do_not_fit) PENSTOCK_TRY(rows);
  std::optional<RightSideExchange::Rows> own;
  if (!do_not_fit && stay.are_there) own = {join, columns, std::move(stay.rows), stay.limit_bytes};
  PENSTOCK_ASSIGN(stay.rows,
                  right_sides_->all_rows(share_number_, device_.get(), std::move(own), report_));
  return rows;
}

// Returns whether a step's rows are this share's, which are downloaded to where those of all shares
// are put together.
bool Execution::are_joined(StepId id) const {
  const auto is_string = [](const Field& field) { return field.type.kind == Kind::string; };
  return joint_rows_ && id == results_[0] && keeps_columns(plan_.step(id).kind) &&
         std::ranges::none_of(plan_.step(id).schema, is_string);
}

// The rows stay on the device until all shares have theirs, so that each knows its place.
Result<Table> Execution::joined_rows(Chain& chain, std::uint64_t row_limit) {
  RowsOnDevice stay;
  stay.kernels = join_kernels();
  stay.limit_bytes = bytes_left_for_sides();
  PENSTOCK_ASSIGN(Table rows, run_chain(chain, row_limit, &stay));
  const Step& step = plan_.step(chain.last);
  const Columns columns = chain.wanted.empty() ? every_column(step.schema) : chain.wanted;
  std::optional<DeviceRows> here;
  if (stay.are_there) here = spread_rows(step.schema, columns, std::move(stay.rows));
  PENSTOCK_ASSIGN(const bool are_joint, download_range(*joint_rows_, step, here, columns, rows));
  if (are_joint || !here) return rows;
  PENSTOCK_TRY(download_right_side(step, *here, columns, rows));
  return rows;
}

// One more consumer makes it a shared step, which no chain passes through.
void Execution::give(StepId step, Table rows) {
  consumers_[step]++;
  done_[step] = std::move(rows);
}

}  // namespace penstock::plan
