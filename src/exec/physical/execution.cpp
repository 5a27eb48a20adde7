#include "exec/physical/execution.hpp"

#include "base/clock.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "exec/scan/selected_source.hpp"
#include "exec/validate/validate.hpp"
#include "fuse/program/source_answers.hpp"
#include "kernel/tuned_policies.hpp"

namespace penstock::plan {

Execution::Execution(const Plan& plan, const std::vector<StepId>& results,
                     const RunOptions& options, std::shared_ptr<Device> device)
    : plan_(plan),
      results_(results),
      options_(options),
      consumers_(count_consumers(plan, results)),
      recording_(options.profile || options.stalls ? std::make_shared<Recording>() : nullptr),
      device_(options, recording_, std::move(device)) {}

Result<QueryResult> Execution::run(StepId result) {
  const double start = now_seconds();
  const kernel::TunedFilesOfRun tuned;
  report_ = {};
  QueryResult outcome;
  PENSTOCK_ASSIGN(const bool without_device, needs_no_device(result));
  PENSTOCK_TRY(without_device ? run_without_device(result, outcome)
                              : run_on_device(result, outcome));
  report_.rows_out = outcome.table.row_count;
  report_.total_seconds = now_seconds() - start;
  if (!without_device) PENSTOCK_TRY(device_.finish(report_));
  outcome.report = std::move(report_);
  return outcome;
}

Status Execution::run_on_device(StepId result, QueryResult& outcome) {
  if (recording_) recording_->begin(report_);
  PENSTOCK_TRY(device_.begin());
  auto table = materialise(result, ~std::uint64_t{0});
  PENSTOCK_TRY(begin_compiling());
  PENSTOCK_ASSIGN(outcome.table, std::move(table));
  report_.device_id = device_.get()->traits().id;
  report_.device_name = device_.get()->traits().name;
  return {};
}

// A device that is named must be there, though nothing runs on it.
Status Execution::run_without_device(StepId result, QueryResult& outcome) {
  if (!options_.device.empty()) {
    PENSTOCK_ASSIGN(const Traits traits, find_device(options_.device));
    report_.device_id = traits.id;
    report_.device_name = traits.name;
  }
  PENSTOCK_ASSIGN(outcome.table, materialise(result, ~std::uint64_t{0}));
  return {};
}

Result<Table> Execution::materialise(StepId id, std::uint64_t row_limit, const Columns& wanted) {
  if (const auto done = done_.find(id); done != done_.end()) return done->second;
  const bool is_shared = consumers_[id] > 1;
  PENSTOCK_ASSIGN(Table table, compute(id, is_shared ? ~std::uint64_t{0} : row_limit,
                                       columns_asked_for(id, wanted)));
  if (is_shared) done_[id] = table;
  return table;
}

// Validation looks at every column.
Columns Execution::columns_asked_for(StepId id, const Columns& wanted) const {
  return options_.validate ? Columns() : columns_kept(plan_, id, wanted, consumers_);
}

Result<Table> Execution::compute(StepId id, std::uint64_t row_limit, const Columns& wanted) {
  const Step& step = plan_.step(id);
  if (step.kind == StepKind::limit) {
    PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], rows_needed(step, row_limit)));
    const HostSpan span(recording_.get(), "limit");
    return limit_rows(input, step.limit, step.offset);
  }
  PENSTOCK_ASSIGN(const std::optional<Table>* const answer, answer_of_source(id));
  if (answer->has_value()) {
    report_.notes.push_back("answered from " + answered_from(plan_, id) + "; no kernel ran");
    return **answer;
  }
  if (step.kind == StepKind::order_by) return ordered_rows(id, row_limit);
  if (step.kind == StepKind::window) return windowed_rows(step);
  if (finishes_on_host(plan_, id)) {
    PENSTOCK_ASSIGN(const Table input, materialise(step.inputs[0], rows_needed(step, row_limit)));
    const HostSpan span(recording_.get(), "step on the host");
    return apply_on_host(plan_, id, input);
  }
  if (step.kind == StepKind::source && !wanted.empty()) {
    PENSTOCK_ASSIGN(const Table table, read_columns(*step.source, wanted));
    report_.rows_read += table.row_count;
    return spread_columns(step.schema, wanted, table);
  }
  PENSTOCK_ASSIGN(Chain* const chain, chain_of(id, wanted));
  return chain->stays && are_joined(id) ? joined_rows(*chain, row_limit)
                                        : run_chain(*chain, row_limit);
}

// Validation compares kernels, and who names a variant wants its kernel to run.
Result<const std::optional<Table>*> Execution::answer_of_source(StepId id) {
  const auto [at, inserted] = answers_.try_emplace(id);
  if (inserted && !options_.validate && options_.variant.empty() && !is_share(id)) {
    PENSTOCK_ASSIGN(at->second, source_answer(plan_, id));
  }
  return &at->second;
}

// A profile has the device's times.
Result<bool> Execution::needs_no_device(StepId id) {
  if (recording_ || device_.get()) return false;
  if (done_.contains(id)) return true;
  const StepKind kind = plan_.step(id).kind;
  if (kind == StepKind::limit ||
      ((kind == StepKind::filter || kind == StepKind::map) && finishes_on_host(plan_, id)))
    return needs_no_device(plan_.step(id).inputs[0]);
  PENSTOCK_ASSIGN(const std::optional<Table>* const answer, answer_of_source(id));
  return answer->has_value();
}

Result<Table> Execution::run_chain(Chain& chain, std::uint64_t row_limit, RowsOnDevice* stay) {
  // Fuse: done by chain_of(). A join whose keys stand several times on the right is not a lookup:
  // it becomes a step of its own, pairs on the device or a table of the host, and the chain is
  // fused again from there.
  PENSTOCK_TRY(read_ahead(chain, row_limit));
  PENSTOCK_ASSIGN(const StepId repeated, read_right_sides(chain, row_limit));
  if (repeated != no_step) {
    PENSTOCK_ASSIGN(const bool paired, pair_rows(chain, repeated));
    if (!paired && repeated == chain.last) return join_rows(repeated, chain.wanted);
    if (!paired) PENSTOCK_TRY(fuse(chain, repeated));
  }
  // Read.
  std::shared_ptr<TableSource> rows = chain.pairs;
  if (!rows) { PENSTOCK_ASSIGN(rows, read_base(chain)); }
  PENSTOCK_TRY(choose_partitions(chain));
  std::shared_ptr<TableSource> source = std::move(chain.scanned);
  if (!source) { PENSTOCK_ASSIGN(source, leave_out_rows(chain, rows)); }
  PENSTOCK_ASSIGN(BegunReading begun, begin_reading(chain, *source, row_limit));
  // Compile.
  PENSTOCK_TRY(begin_compiling());
  // Run.
  auto table = run_programs(chain, *source, row_limit, std::move(begun), stay);
  if (chain.pairs && table.ok()) end_pairs(chain);
  if (!options_.validate) return table;
  if (stay && stay->are_there) PENSTOCK_TRY(download_to_check(chain, *stay, table));
  chain.source = rows;
  if (!chain.programs[0].lookups.empty()) PENSTOCK_TRY(join_for_reference(chain));
  if (!table.ok() || !chain.programs[0].top_k)
    PENSTOCK_TRY(check_chain(to_check(chain, row_limit), table));
  return table;
}

// Returns what is scanned where `selected` may leave rows out. Pages are read by whole row groups.
const TableSource& Execution::rows_to_scan(const Chain& chain, const TableSource& selected) {
  if (!chain.selected) return selected;
  if (chain.programs[0].paged.empty()) {
    report_.skipped += chain.selected->counts;
    return selected;
  }
  const TableSource& all = *plan_.step(chain.base).source;
  const SkipCounts counts = counted_by_groups(*chain.selected, all);
  report_.skipped += counts;
  return counts.rows_skipped == 0 ? all : selected;
}

Result<Table> Execution::run_programs(Chain& chain, const TableSource& selected,
                                      std::uint64_t row_limit, BegunReading begun,
                                      RowsOnDevice* stay) {
  PENSTOCK_TRY(begin_kernels(chain));  // of a chain that was fused again
  const TableSource& source = rows_to_scan(chain, selected);
  TileRun run{device_.get(), &options_,        &strings_, &report_,
              row_limit,     recording_.get(), &sides_,   page_decoder_};
  if (!chain.stays) stay = nullptr;  // it was fused again, in another way
  run.stay = stay;
  run.leaves_partials = is_share(chain.last);
  if (options_.intermediate_rows == IntermediateRows::device) run.merges = MergeLocation::device;
  // A page of a later program may begin the run anew, which an exchange before it does not.
  const bool may_exchange =
      chain.programs.size() == 1 ||
      std::ranges::all_of(chain.programs, [](const TileProgram& p) { return p.paged.empty(); });
  const auto begin_program = [&](std::size_t number) {
    group_share_.program = number, group_share_.has_range = false;
  };
  if (run.leaves_partials && group_share_.exchanges && may_exchange) run.share = &group_share_;
  if (run.share) {
    begin_program(0);
    group_share_.base = chain.base;
  }
  run.pairs = chain.pairs.get();
  run.partitions = partitions_of(chain);
  if (chain.base != no_step) run.paged_source = plan_.step(chain.base).source.get();
  if (chain.selected) run.selected = &*chain.selected;
  run.refusal = &refusal_;
  run.kept = options_.kept_programs;
  const std::optional<TopK>& first = run.leaves_partials ? first_groups_ : chain.first_groups;
  if (first && chain.programs.size() == 1) run.first_groups = &*first;
  PENSTOCK_ASSIGN(Table table, run_tiles(run, std::move(chain.kernels[0]), chain.programs[0],
                                         source, std::move(begun)));
  if (stay && (stay->are_there || stay->buckets)) {
    if (run.partitions) run.partitions->add_to(report_);
    chain.kernels.clear();
    return table;
  }
  const std::uint64_t rows_read = report_.rows_read;
  const SkipCounts skipped = report_.skipped;
  std::vector<Table> parts;
  parts.push_back(std::move(table));
  std::vector<bool> have_range = {run.share && group_share_.has_range};
  for (std::size_t i = 1; i < chain.programs.size(); i++) {
    if (run.share) begin_program(i);
    PENSTOCK_ASSIGN(Table part,
                    run_tiles(run, std::move(chain.kernels[i]), chain.programs[i], source));
    parts.push_back(std::move(part));
    have_range.push_back(run.share && group_share_.has_range);
  }
  report_.rows_read = rows_read;  // the same rows again
  report_.skipped = skipped;
  if (run.partitions) run.partitions->add_to(report_);
  chain.kernels.clear();
  if (run.leaves_partials) {
    for (std::size_t i = 0; i < parts.size(); i++)
      partials_.push_back(
          {chain.programs[i].step_columns, std::move(parts[i]), have_range[i], chain.base});
    return Table();
  }
  Table rows = parts.size() == 1 ? std::move(parts[0]) : beside(chain.programs, std::move(parts));
  if (chain.wanted.empty()) return rows;
  if (chain.programs.size() > 1) rows = pick_columns(rows, chain.wanted);
  return spread_columns(plan_.step(chain.last).schema, chain.wanted, rows);
}

}  // namespace penstock::plan
