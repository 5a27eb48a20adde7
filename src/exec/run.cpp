// run(): on one device, in a session, or on several devices.
#include "penstock/run.hpp"
#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "device/device_list.hpp"
#include "exec/devices/run_on_devices.hpp"
#include "exec/physical/run_results.hpp"
#include "penstock/session_device.hpp"

namespace penstock {
namespace {

// Where memory is short, what a session keeps is dropped, and the run begins anew.
Result<std::vector<QueryResult>> run_in_session(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options) {
  PENSTOCK_ASSIGN(const auto shares, options.session->shares());
  const auto run_once = [&] {
    return shares.empty() ? plan::run_results(plan, results, options, {})
                          : plan::run_on_devices(plan, results, options, shares);
  };
  auto outcomes = run_once();
  if (outcomes.ok() || outcomes.status().code() != Code::no_memory || !plan::can_run_again(plan))
    return outcomes;
  std::uint64_t bytes_kept = 0;
  PENSTOCK_ASSIGN(const std::vector<DeviceCache*> caches, caches_of(*options.session));
  for (DeviceCache* const cache : caches) {
    bytes_kept += cache->counters().bytes;
    cache->clear();
  }
  return bytes_kept == 0 ? std::move(outcomes) : run_once();
}

Result<std::vector<QueryResult>> run_as_planned(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options) {
  if (options.session) return run_in_session(plan, results, options);
  return device::names_several(options.device) ? plan::run_on_devices(plan, results, options)
                                               : plan::run_results(plan, results, options, {});
}

// A file's counts of NULLs are believed until a row contradicts them. A source knows that from the
// run before, if there was one.
Result<std::vector<QueryResult>> run_anywhere(const Plan& plan, const std::vector<StepId>& results,
                                              const RunOptions& options) {
  const double start = now_seconds();
  std::optional<Plan> planned_anew = plan.with_nulls_found();
  RunOptions anew = options;
  anew.kept_programs = {};  // they are of the plan as it was
  auto outcomes = planned_anew ? run_as_planned(*planned_anew, results, anew)
                               : run_as_planned(plan, results, options);
  while (!outcomes.ok() && plan::can_run_again(plan)) {
    std::optional<Plan> next = (planned_anew ? *planned_anew : plan).with_nulls_found();
    if (!next) return outcomes;
    planned_anew = std::move(next);
    const double spent_seconds = now_seconds() - start;
    outcomes = run_as_planned(*planned_anew, results, anew);
    if (!outcomes.ok()) continue;
    RunReport& report = outcomes->front().report;
    report.total_seconds += spent_seconds;
    report.notes.push_back("begun anew: a column has NULLs where its file counts none");
  }
  return outcomes;
}

}  // namespace

Result<std::vector<QueryResult>> run(const Plan& plan, const std::vector<StepId>& results,
                                     const RunOptions& options) {
  return catch_exceptions([&] { return run_anywhere(plan, results, options); });
}

Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options) {
  PENSTOCK_ASSIGN(std::vector<QueryResult> outcomes,
                  catch_exceptions([&] { return run_anywhere(plan, {result}, options); }));
  return std::move(outcomes[0]);
}

}  // namespace penstock
