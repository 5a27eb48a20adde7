// run(): on one device, in a session, or on several devices.
#include "penstock/run.hpp"

#include <utility>

#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "device/device_list.hpp"
#include "exec/devices/run_on_devices.hpp"
#include "exec/devices/share_report.hpp"
#include "exec/physical/plan_anew.hpp"
#include "exec/physical/run_results.hpp"
#include "exec/run_recursions.hpp"
#include "penstock/session_device.hpp"
#include "plan/recursion.hpp"

namespace penstock {
namespace {

// A run, planned anew with the columns that turn out to have NULLs, and once more without what a
// session keeps in memory.
class RunAnywhere {
 public:
  RunAnywhere(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options)
      : plan_(plan), results_(results), options_(options) {}

  // A source knows from the run before, if there was one, that its file's counts of NULLs are
  // wrong.
  Result<std::vector<QueryResult>> run() {
    plan_with_nulls();
    plan_with_repeats();
    auto outcomes =
        plan::run_until_planned([this] { return run_as_planned(); },
                                [this](const Status& failed) { return Result(plan_anew(failed)); });
    if (!outcomes.ok() || !has_restarted_) return outcomes;
    RunReport& report = outcomes->front().report;
    report.total_seconds = now_seconds() - start_;
    if (has_met_nulls_)
      report.notes.push_back("begun anew: a column has NULLs where its file counts none");
    if (has_met_repeats_)
      report.notes.push_back(
          "begun anew: keys of a right side repeat, by which groups would follow");
    return outcomes;
  }

 private:
  const Plan& plan() const { return planned_anew_ ? *planned_anew_ : plan_; }

  // Shares of several devices do not agree on what one of them finds out about keys.
  Result<std::vector<QueryResult>> run_as_planned() {
    if (options_.session) {
      PENSTOCK_ASSIGN(const auto shares, options_.session->shares());
      if (!shares.empty())
        return plan::run_on_devices(plan().without_preferences(), results_, options_, shares);
    } else if (device::names_several(options_.device)) {
      return plan::run_on_devices(plan().without_preferences(), results_, options_);
    }
    return plan::run_results(plan(), results_, options_, {});
  }

  bool plan_anew(const Status& failed) {
    if (!plan::can_run_again(plan_)) return false;
    has_restarted_ = true;
    if (failed.code() == Code::no_memory && options_.session && clear_session()) return true;
    if (plan_with_repeats()) return has_met_repeats_ = true;
    return has_met_nulls_ = plan_with_nulls();
  }

  // A session keeps the plan from then on, so that only one run finds out.
  bool plan_with_repeats() { return go_on_with(plan().with_repeats_found()); }

  // A file's counts of NULLs are believed until a row contradicts them.
  bool plan_with_nulls() { return go_on_with(plan().with_nulls_found()); }

  bool go_on_with(std::optional<Plan> next) {
    if (!next) return false;
    planned_anew_ = std::move(next);
    options_.kept_programs = {};  // they are of the plan as it was
    has_cleared_ = false;
    return true;
  }

  // Returns whether it has dropped anything, once a plan.
  bool clear_session() {
    const auto caches = caches_of(*options_.session);
    if (!caches.ok() || std::exchange(has_cleared_, true)) return false;
    std::uint64_t bytes_kept = 0;
    for (DeviceCache* const cache : *caches) {
      bytes_kept += cache->counters().bytes;
      cache->clear();
    }
    return bytes_kept > 0;
  }

  const Plan& plan_;
  const std::vector<StepId>& results_;
  RunOptions options_;
  std::optional<Plan> planned_anew_;
  const double start_ = now_seconds();
  bool has_restarted_ = false, has_met_nulls_ = false, has_met_repeats_ = false,
       has_cleared_ = false;
};

// The steps of a recursion are runs of their own, for which the device stays open.
Result<std::vector<QueryResult>> run_with_recursions(const Plan& plan,
                                                     const std::vector<StepId>& results,
                                                     RunOptions options) {
  const double start = now_seconds();
  if (!options.session) options.session = SessionDevice::open(options.device, 0);
  RunReport report;
  PENSTOCK_ASSIGN(const Plan known, plan::with_recursions_run(plan, results, options, report));
  PENSTOCK_ASSIGN(auto outcomes, RunAnywhere(known, results, options).run());
  plan::add_report(outcomes.front().report, report);
  outcomes.front().report.total_seconds = now_seconds() - start;
  return outcomes;
}

}  // namespace

Result<std::vector<QueryResult>> run(const Plan& plan, const std::vector<StepId>& results,
                                     const RunOptions& options) {
  return catch_exceptions([&] {
    return plan::has_recursion(plan) ? run_with_recursions(plan, results, options)
                                     : RunAnywhere(plan, results, options).run();
  });
}

Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options) {
  PENSTOCK_ASSIGN(std::vector<QueryResult> outcomes, run(plan, std::vector{result}, options));
  return std::move(outcomes[0]);
}

}  // namespace penstock
