#include "exec/physical/run_results.hpp"

#include "base/clock.hpp"
#include "fuse/program/stages.hpp"

namespace penstock::plan {
namespace {

// `refusal` gets why kernels cannot read some pages, where that ended the run.
Result<std::vector<QueryResult>> run_once(const Plan& plan, const std::vector<StepId>& results,
                                          const RunOptions& options, const Given& given,
                                          Status& refusal) {
  for (StepId result : results) PENSTOCK_TRY(check_result(plan, result));
  if (options.validate && options.fast_math)
    return Status(Code::invalid,
                  "validate compares exact values, which fast math does not compute: leave one of "
                  "the two out");
  Execution execution(plan, results, options, given.device);
  for (const auto& [step, rows] : given.rows) execution.give(step, rows);
  std::vector<QueryResult> outcomes;
  for (StepId result : results) {
    auto outcome = execution.run(result);
    refusal = execution.refusal();
    if (!outcome.ok()) return outcome.status();
    outcomes.push_back(std::move(outcome).value());
  }
  return outcomes;
}

RunReport& first_report(std::vector<QueryResult>& outcomes) { return outcomes.front().report; }
RunReport& first_report(Execution::Share& share) { return share.report; }
void add_note(std::vector<QueryResult>& outcomes, const std::string& note) {
  for (QueryResult& outcome : outcomes) outcome.report.notes.push_back(note);
}
void add_note(Execution::Share& share, const std::string& note) {
  share.report.notes.push_back(note);
}

// Some pages show only when they are decoded that kernels cannot read them. Where the choice is not
// the user's, the host decodes all pages then. `run` takes the options and a refusal.
template <class Run>
auto run_by_either_decoder(const Plan& plan, const RunOptions& options, const Run& run) {
  const double start = now_seconds();
  Status refusal;
  auto outcome = run(options, refusal);
  if (outcome.ok() || refusal.ok() || options.page_decoding != PageDecoding::automatic ||
      options.direct_reads == DirectReads::on || !can_run_again(plan))
    return outcome;
  RunOptions by_host = options;
  by_host.page_decoding = PageDecoding::host;
  const double spent_seconds = now_seconds() - start;
  const std::string note = "begun anew, and the host decodes all pages: " + refusal.text();
  outcome = run(by_host, refusal);
  if (!outcome.ok()) return outcome;
  first_report(*outcome).total_seconds += spent_seconds;
  add_note(*outcome, note);
  return outcome;
}

}  // namespace

bool can_run_again(const Plan& plan) {
  for (StepId id = 0; id < plan.size(); id++)
    if (const auto& source = plan.step(id).source; source && !source->can_be_scanned_again())
      return false;
  return true;
}

Result<std::vector<QueryResult>> run_results(const Plan& plan, const std::vector<StepId>& results,
                                             const RunOptions& options, const Given& given) {
  return run_by_either_decoder(plan, options, [&](const RunOptions& by, Status& refusal) {
    return run_once(plan, results, by, given, refusal);
  });
}

Result<Execution::Share> run_share(const Plan& plan, StepId step, std::uint64_t row_limit,
                                   const RunOptions& options, const Given& given) {
  const std::vector<StepId> results{step};
  return run_by_either_decoder(
      plan, options, [&](const RunOptions& by, Status& refusal) -> Result<Execution::Share> {
        if (given.right_sides) PENSTOCK_TRY(given.right_sides->begin(given.share));
        Execution execution(plan, results, by, given.device);
        for (const auto& [known, rows] : given.rows) execution.give(known, rows);
        if (given.exchange) execution.exchange_with(given.exchange, given.share);
        if (given.rows_of_all) execution.exchange_with(given.rows_of_all, given.share);
        if (given.right_sides) execution.exchange_with(given.right_sides, given.share);
        if (given.groups) execution.exchange_with(given.groups, given.share);
        execution.ask_for(given.first_groups);
        auto share = execution.run_share(step, row_limit);
        refusal = execution.refusal();
        return share;
      });
}

}  // namespace penstock::plan
