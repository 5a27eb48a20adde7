#include "exec/physical/run_results.hpp"

#include <memory>
#include <span>
#include <utility>

#include "base/cancellation.hpp"
#include "base/clock.hpp"
#include "base/large_blocks.hpp"
#include "exec/physical/physical_plan.hpp"
#include "exec/physical/plan_anew.hpp"
#include "exec/physical/result_on_device.hpp"
#include "fuse/program/stages.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::plan {
namespace {

class Driver {
 public:
  // `plan` outlives it.
  Driver(const Plan& plan, std::vector<StepId> results, const RunOptions& options,
         const RunInputs& inputs)
      : plan_(plan), results_(std::move(results)), options_(options), inputs_(inputs) {
    if (!options.progress) return;
    options_.progress = [this, report = options.progress](const Progress& progress) {
      progress_ = progress;
      return report(progress);
    };
  }

  Result<std::vector<QueryResult>> run() {
    const CancellationScope scope(question());
    return run_until_planned([&] { return run_rest(); },
                             [&](const Status& failed) { return plan_anew(failed); });
  }
  Result<ShareResult> run_share(std::uint64_t row_limit) {
    const CancellationScope scope(question());
    row_limit_ = row_limit;
    return run_until_planned([&] { return share(); },
                             [&](const Status& failed) { return plan_anew(failed); });
  }

 private:
  // Between chunks, the caller hears of the last one again.
  std::function<bool()> question() const {
    if (!options_.progress) return {};
    return [this] { return options_.progress(progress_); };
  }

  // Operators refer to the state of their run, so they end first.
  void begin_anew() {
    roots_.clear();
    planner_.reset();
    run_ = std::make_unique<RunState>(plan_, results_, options_, inputs_);
    planner_ = std::make_unique<Planner>(*run_);
    run_->when_open = [this] { return begin_on_device(); };
    outcomes_.clear();
    has_begun_ = false;
  }

  Result<std::vector<QueryResult>> run_rest() {
    if (!run_) begin_anew();
    while (outcomes_.size() < results_.size()) {
      PENSTOCK_ASSIGN(outcomes_.emplace_back(), run_next());
    }
    for (QueryResult& outcome : outcomes_) add_notes(outcome.report);
    return std::move(outcomes_);
  }

  Result<QueryResult> run_next() {
    const kernel::TunedFilesOfRun tuned;
    if (!has_begun_) PENSTOCK_TRY(begin_result());
    QueryResult outcome;
    PENSTOCK_ASSIGN(outcome.table, rows());
    run_->report.rows_out = outcome.table.row_count;
    PENSTOCK_TRY(end_report(run_->report));
    outcome.report = std::move(run_->report);
    has_begun_ = false;
    return outcome;
  }

  // Shares are merged on the host.
  Result<ShareResult> share() {
    options_.results_on_device = false;
    const kernel::TunedFilesOfRun tuned;
    if (!run_) begin_anew();
    if (!has_begun_) PENSTOCK_TRY(begin_share());
    PENSTOCK_ASSIGN(Table table, rows());
    if (run_->partial_step == no_step)
      run_->partials.push_back({{}, std::move(table), run_->is_next_in_order});
    PENSTOCK_TRY(end_report(run_->report));
    add_notes(run_->report);
    return ShareResult{std::move(run_->partials), std::move(run_->report), start_};
  }

  // The first result's time has all that was given up.
  Status begin_result() {
    if (!outcomes_.empty()) start_ = now_seconds();
    run_->report = {};
    PENSTOCK_ASSIGN(is_on_host_, planner_->needs_no_device(results_[outcomes_.size()]));
    return is_on_host_ ? plan_rest() : begin_device();
  }

  Status begin_share() {
    if (const auto& right_sides = run_->share.right_sides)
      PENSTOCK_TRY(right_sides->begin(run_->share.number));
    const StepKind kind = plan_.step(results_[0]).kind;
    if (kind == StepKind::reduce || kind == StepKind::group_by) run_->partial_step = results_[0];
    return begin_device();
  }

  // A device that is open already is taken at once, so that the plan knows it.
  Status begin_device() {
    if (run_->recording) run_->recording->begin(run_->report);
    PENSTOCK_TRY(run_->opener.begin());
    roots_.clear();
    if (!run_->opener.is_opening()) PENSTOCK_TRY(run_->open_device());
    return plan_rest();
  }

  // Plans all results that are left, so that their kernels compile at once.
  Status plan_rest() {
    has_begun_ = true;
    const auto rest = std::span(results_).subspan(outcomes_.size());
    PENSTOCK_ASSIGN(roots_, planner_->plan(rest, row_limit_));
    return run_->device() ? compile() : Status();
  }

  Status begin_on_device() {
    run_->pin_read_ahead();
    if (roots_.empty()) return {};
    if (!planner_->holds_on(run_->device()->traits()))
      return run_->ask_for_new_plan({"rows stay elsewhere on the device that has opened"});
    return compile();
  }

  Status compile() {
    for (const OperatorPointer& root : roots_) PENSTOCK_TRY(root->compile());
    return {};
  }

  // A device that cannot be opened is the error, though nothing ran on it.
  Result<Table> rows() {
    auto table = options_.results_on_device && roots_[0]->stays()
                     ? result_on_device(*run_, results_[outcomes_.size()], *roots_[0])
                     : roots_[0]->run_to_host();
    if (!is_on_host_ && !run_->replan) PENSTOCK_TRY(run_->opener.wait());
    return table;
  }

  // A device that is named must be there, though nothing runs on it. A profile looks at the report
  // that it began with.
  Status end_report(RunReport& report) {
    Traits traits;
    if (!is_on_host_) {
      traits = run_->device()->traits();
    } else if (!options_.device.empty()) {
      PENSTOCK_ASSIGN(traits, find_device(options_.device));
    }
    report.device_id = traits.id;
    report.device_name = traits.name;
    report.total_seconds = now_seconds() - start_;
    return is_on_host_ ? Status() : run_->opener.finish(report);
  }

  void add_notes(RunReport& report) const {
    report.notes.insert(report.notes.end(), notes_.begin(), notes_.end());
  }

  Result<bool> plan_anew(const Status&) {
    if (!run_->replan) return decode_pages_on_host();
    const Replan why = *std::exchange(run_->replan, {});
    if (why.repeated != no_step) planner_->note_repeated_keys(why.repeated);
    PENSTOCK_TRY(plan_rest());
    return true;
  }

  // Some pages show only when they are decoded that kernels cannot read them. The host then decodes
  // all pages, unless the user has chosen.
  bool decode_pages_on_host() {
    if (run_->refusal.ok() || options_.page_decoding != PageDecoding::automatic ||
        options_.direct_reads == DirectReads::on || !can_run_again(plan_))
      return false;
    options_.page_decoding = PageDecoding::host;
    notes_.push_back("begun anew, and the host decodes all pages: " + run_->refusal.text());
    begin_anew();
    return true;
  }

  const LargeBlocksOfRun blocks_;
  const Plan& plan_;
  const std::vector<StepId> results_;
  RunOptions options_;
  const RunInputs inputs_;
  std::uint64_t row_limit_ = ~std::uint64_t{0};
  Progress progress_;  // of the last chunk
  std::unique_ptr<RunState> run_;
  std::unique_ptr<Planner> planner_;
  std::vector<OperatorPointer> roots_;  // of the results that are left
  std::vector<QueryResult> outcomes_;
  std::vector<std::string> notes_;  // of all outcomes
  double start_ = now_seconds();    // of the result that runs
  bool has_begun_ = false;          // the result that runs
  bool is_on_host_ = false;         // it needs no device
};

}  // namespace

bool can_run_again(const Plan& plan) {
  for (StepId id = 0; id < plan.size(); id++)
    if (const auto& source = plan.step(id).source; source && !source->can_be_scanned_again())
      return false;
  return true;
}

Result<std::vector<QueryResult>> run_results(const Plan& plan, const std::vector<StepId>& results,
                                             const RunOptions& options, const RunInputs& inputs) {
  for (const StepId result : results) PENSTOCK_TRY(check_result(plan, result));
  if (options.validate && options.fast_math)
    return Status(Code::invalid,
                  "validate compares exact values, which fast math does not compute: leave one of "
                  "the two out");
  return Driver(plan, results, options, inputs).run();
}

Result<ShareResult> run_share(const Plan& plan, StepId step, std::uint64_t row_limit,
                              const RunOptions& options, const RunInputs& inputs) {
  return Driver(plan, {step}, options, inputs).run_share(row_limit);
}

}  // namespace penstock::plan
