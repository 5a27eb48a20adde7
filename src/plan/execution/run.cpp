// run(): an execution of a plan, and another one where that could not go on as it began.
#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "plan/execution/execution.hpp"
#include "plan/fusion/stages.hpp"

namespace penstock {
namespace {

// `refusal` gets why kernels cannot read some pages, where that ended the run.
Result<std::vector<QueryResult>> run_all(const Plan& plan, const std::vector<StepId>& results,
                                         const RunOptions& options, Status& refusal) {
  for (StepId result : results) PENSTOCK_TRY(plan::check_result(plan, result));
  if (options.validate && options.fast_math)
    return Status(Code::invalid,
                  "validate compares exact values, which fast math does not compute: leave one of "
                  "the two out");
  plan::Execution execution(plan, results, options);
  std::vector<QueryResult> outcomes;
  for (StepId result : results) {
    auto outcome = execution.run(result);
    refusal = execution.refusal();
    if (!outcome.ok()) return outcome.status();
    outcomes.push_back(std::move(outcome).value());
  }
  return outcomes;
}

bool can_run_again(const Plan& plan) {
  for (StepId id = 0; id < plan.size(); id++)
    if (const auto& source = plan.step(id).source; source && !source->can_be_scanned_again())
      return false;
  return true;
}

// Some pages show only when they are decoded that kernels cannot read them. Where the choice is not
// the user's, the host decodes all pages then.
Result<std::vector<QueryResult>> run_by_either_decoder(const Plan& plan,
                                                       const std::vector<StepId>& results,
                                                       const RunOptions& options) {
  const double start = now_seconds();
  Status refusal;
  auto outcomes = run_all(plan, results, options, refusal);
  if (outcomes.ok() || refusal.ok() || options.page_decoding != PageDecoding::automatic ||
      options.direct_reads == DirectReads::on || !can_run_again(plan))
    return outcomes;
  RunOptions by_host = options;
  by_host.page_decoding = PageDecoding::host;
  const double spent_seconds = now_seconds() - start;
  const std::string note = "begun anew, and the host decodes all pages: " + refusal.text();
  outcomes = run_all(plan, results, by_host, refusal);
  if (!outcomes.ok()) return outcomes;
  outcomes->front().report.total_seconds += spent_seconds;
  for (QueryResult& outcome : *outcomes) outcome.report.notes.push_back(note);
  return outcomes;
}

// Where memory is short, what a session keeps is dropped, and the run begins anew.
Result<std::vector<QueryResult>> run_in_session(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options) {
  auto outcomes = run_by_either_decoder(plan, results, options);
  if (outcomes.ok() || outcomes.status().code() != Code::no_memory || !options.session ||
      options.session->cache().counters().bytes == 0 || !can_run_again(plan))
    return outcomes;
  options.session->cache().clear();
  return run_by_either_decoder(plan, results, options);
}

}  // namespace

Result<std::vector<QueryResult>> run(const Plan& plan, const std::vector<StepId>& results,
                                     const RunOptions& options) {
  return catch_exceptions([&] { return run_in_session(plan, results, options); });
}

Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options) {
  PENSTOCK_ASSIGN(std::vector<QueryResult> outcomes,
                  catch_exceptions([&] { return run_in_session(plan, {result}, options); }));
  return std::move(outcomes[0]);
}

}  // namespace penstock
