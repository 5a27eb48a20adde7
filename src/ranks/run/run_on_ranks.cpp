#include <algorithm>

#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "exec/devices/share_report.hpp"
#include "plan/recursion.hpp"
#include "ranks/run/agreement.hpp"
#include "ranks/run/cut_on_ranks.hpp"
#include "ranks/run/rank_device.hpp"

namespace penstock {
namespace ranks {
namespace {

Status check_options(const RunOptions& options) {
  const char* const what = options.validate  ? "validate"
                           : options.profile ? "a profile"
                           : options.stalls  ? "sampling of stalls"
                           : options.session ? "a session"
                                             : nullptr;
  return what ? Status(Code::unsupported, std::string(what) + " takes one process, not several")
              : Status();
}

class RunOnRanks {
 public:
  RunOnRanks(Communicator& communicator, const RunOptions& options)
      : communicator_(communicator), options_(options) {}

  Result<std::optional<QueryResult>> run(const PlanBinder& bind) {
    const double start = now_seconds();
    PENSTOCK_TRY(meet(catch_exceptions([&] { return bind_and_cut(bind); })));
    if (!cuts_.empty()) PENSTOCK_TRY(open_device_of_rank());
    RankRun run{communicator_, plan_, options_, device_, hosts_, weights_};
    for (std::size_t i = 0; i < cuts_.size(); i++)
      PENSTOCK_TRY(run_cut_on_ranks(run, cuts_[i], is_read_by_later_cut(i), take_report()));
    return finish(run.known, start);
  }

 private:
  Result<MessageBytes> bind_and_cut(const PlanBinder& bind) {
    PENSTOCK_TRY(check_options(options_));
    PENSTOCK_ASSIGN(const StepId result, bind(plan_));
    plan_ = plan_.without_preferences();
    results_ = {result};
    PENSTOCK_TRY(plan::check_result(plan_, result));
    if (plan::has_recursion(plan_))
      return Status(Code::unsupported, "WITH RECURSIVE takes one process, not several");
    PENSTOCK_ASSIGN(cuts_, plan::find_cuts(plan_, results_));
    return bytes_to_agree_on(plan_, cuts_, options_);
  }

  // Learns all ranks' hosts, and checks that all have the same plan over the same tables.
  Status meet(const Result<MessageBytes>& bound) {
    PENSTOCK_ASSIGN(const auto all, exchange_bytes(communicator_, bound));
    for (std::uint32_t rank = 0; rank < all.size(); rank++) {
      if (rank < communicator_.rank() && all[rank].host == all[communicator_.rank()].host)
        local_rank_++;
      hosts_.push_back(all[rank].host);
      const Status differs = compare_with_first(all[rank].bytes, all[0].bytes);
      if (differs.ok()) continue;
      communicator_.set_in_step(true);  // every rank finds the same difference
      return differs.with(place_of(communicator_, rank, all[rank].host));
    }
    return {};
  }

  bool is_read_by_later_cut(std::size_t cut) const {
    for (std::size_t later = cut + 1; later < cuts_.size(); later++)
      if (reads(cuts_[later].step, cuts_[cut].step)) return true;
    return false;
  }
  bool reads(StepId step, StepId read) const {
    return std::ranges::any_of(plan_.step(step).inputs,
                               [&](StepId input) { return input == read || reads(input, read); });
  }

  Status open_device_of_rank() {
    const auto open = [&]() -> Result<std::shared_ptr<Device>> {
      PENSTOCK_ASSIGN(options_.device, device_of_rank(options_.device, local_rank_));
      return open_device(options_.device);
    };
    const auto opened = catch_exceptions(open);
    PENSTOCK_ASSIGN(weights_, weights_of_ranks(communicator_, opened));
    device_ = *opened;
    return {};
  }

  TakeReport take_report() {
    return [this](std::uint32_t rank, plan::SharePart& parts, RunReport& report) {
      shares_.resize(communicator_.size());
      DeviceShareReport& share = shares_[rank];
      share.device_id = report.device_id, share.device_name = report.device_name;
      share.rows_read += report.rows_read, share.seconds += report.total_seconds;
      share.bytes_uploaded += report.bytes_uploaded;
      share.bytes_downloaded += report.bytes_downloaded;
      report_.bytes_exchanged += rank == 0 ? 0 : plan::bytes_of(parts);
      plan::add_report(report_, report);
    };
  }

  // The steps after all cuts. The others wait for their end, asleep: MPI's own end spins.
  Result<std::optional<QueryResult>> finish(const std::map<StepId, Table>& known, double start) {
    std::optional<QueryResult> result;
    Status status;
    if (communicator_.rank() == 0) {
      auto outcomes = catch_exceptions([&] { return run_rest(known); });
      status = outcomes.status();
      if (outcomes.ok()) result = std::move(outcomes->front());
    }
    WireWriter to;
    put_status(to, status);
    PENSTOCK_ASSIGN(const MessageBytes told, communicator_.broadcast(to.take()));
    WireReader from(told);
    PENSTOCK_TRY(told_status(communicator_, from));
    PENSTOCK_TRY(from.status());
    communicator_.set_in_step(true);
    if (result) end_report(result->report, now_seconds() - start);
    return result;
  }

  // If no rank needed a device for a share, rank 0 only now takes its own device of a list.
  Result<std::vector<QueryResult>> run_rest(const std::map<StepId, Table>& known) {
    if (cuts_.empty()) { PENSTOCK_ASSIGN(options_.device, device_of_rank(options_.device, 0)); }
    return plan::run_results(plan_, results_, options_, {device_, known});
  }

  void end_report(RunReport& report, double seconds) {
    plan::add_report(report_, report);
    report_.rows_out = report.rows_out;
    report_.total_seconds = seconds;
    report_.device_id = report.device_id, report_.device_name = report.device_name;
    if (cuts_.empty()) {
      report_.notes.push_back("rank 0 ran all: the query has no rows that ranks could share");
    } else {
      report_.device_id = std::to_string(communicator_.size()) + " ranks of";
      report_.device_name = device_->traits().name;
    }
    for (std::uint32_t rank = 0; rank < shares_.size(); rank++) {
      DeviceShareReport& share = shares_[rank];
      const std::string device = share.device_id.empty() ? "no rows" : share.device_id;
      share.device_id = "rank " + std::to_string(rank) + " (" + hosts_[rank] + ", " + device + ")";
    }
    report_.shares = std::move(shares_);
    report = std::move(report_);
  }

  Communicator& communicator_;
  RunOptions options_;
  Plan plan_;
  std::vector<StepId> results_;
  std::vector<plan::Cut> cuts_;
  std::vector<std::string> hosts_;
  std::uint32_t local_rank_ = 0;
  std::shared_ptr<Device> device_;  // null where no rank needs one for a share
  std::vector<double> weights_;
  RunReport report_;
  std::vector<DeviceShareReport> shares_;  // by rank
};

}  // namespace
}  // namespace ranks

Result<std::optional<QueryResult>> run_on_ranks(Communicator& communicator, const PlanBinder& bind,
                                                const RunOptions& options) {
  communicator.set_in_step(false);
  return catch_exceptions([&] { return ranks::RunOnRanks(communicator, options).run(bind); });
}

}  // namespace penstock
