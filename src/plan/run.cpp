// run(): on one device, in a session, or on several devices.
#include "base/exception_boundary.hpp"
#include "device/device_list.hpp"
#include "penstock/session_device.hpp"
#include "plan/devices/run_on_devices.hpp"
#include "plan/execution/run_results.hpp"

namespace penstock {
namespace {

// Where memory is short, what a session keeps is dropped, and the run begins anew.
Result<std::vector<QueryResult>> run_in_session(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options) {
  auto outcomes = plan::run_results(plan, results, options, {});
  if (outcomes.ok() || outcomes.status().code() != Code::no_memory || !options.session ||
      options.session->cache().counters().bytes == 0 || !plan::can_run_again(plan))
    return outcomes;
  options.session->cache().clear();
  return plan::run_results(plan, results, options, {});
}

Result<std::vector<QueryResult>> run_anywhere(const Plan& plan, const std::vector<StepId>& results,
                                              const RunOptions& options) {
  return !options.session && device::names_several(options.device)
             ? plan::run_on_devices(plan, results, options)
             : run_in_session(plan, results, options);
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
