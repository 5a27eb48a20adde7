// Shares: what an execution does for one of several devices, and what it takes from them.
#include "base/clock.hpp"
#include "plan/execution/execution.hpp"

namespace penstock::plan {

Result<Execution::Share> Execution::run_share(StepId step, std::uint64_t row_limit) {
  const double start = now_seconds();
  const StepKind kind = plan_.step(step).kind;
  const bool leaves_partials = kind == StepKind::reduce || kind == StepKind::group_by;
  if (leaves_partials) share_ = step;
  Share share;
  PENSTOCK_TRY(device_.begin());
  auto rows = materialise(step, row_limit);
  PENSTOCK_TRY(begin_compiling());
  PENSTOCK_TRY(rows);
  share.parts = std::move(partials_);
  if (!leaves_partials) share.parts.push_back({{}, std::move(*rows), is_next_in_order_});
  share.report = std::move(report_);
  share.report.device_id = device_.get()->traits().id;
  share.report.device_name = device_.get()->traits().name;
  share.report.total_seconds = now_seconds() - start;
  return share;
}

void Execution::exchange_with(std::shared_ptr<RowExchange> others, std::size_t share) {
  exchange_ = std::move(others);
  share_number_ = share;
}

void Execution::exchange_with(std::shared_ptr<GroupExchanges> others, std::size_t share) {
  group_share_ = {std::move(others), share};
}

// One more consumer makes it a shared step, which no chain passes through.
void Execution::give(StepId step, Table rows) {
  consumers_[step]++;
  done_[step] = std::move(rows);
}

}  // namespace penstock::plan
