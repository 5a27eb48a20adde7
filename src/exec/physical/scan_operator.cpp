#include "exec/physical/scan_operator.hpp"

#include <algorithm>
#include <utility>

#include "exec/aggregate/host_steps.hpp"
#include "table/rows/appended_rows.hpp"

namespace penstock::plan {

Columns ScanOperator::columns() const {
  return shape_.wanted.empty() ? every_column(last().schema) : shape_.wanted;
}

const TableSource* ScanOperator::base_source() const {
  return shape_.base == no_step ? nullptr : run_.plan.step(shape_.base).source.get();
}

// Rows that stay in device memory are read there.
void ScanOperator::set_inputs(Inputs inputs) {
  inputs_ = std::move(inputs);
  if (!inputs_.base || inputs_.base_makes_pairs || !inputs_.base->stays() || reads_resident_)
    return;
  std::vector<TileProgram> programs = programs_;
  if (!std::ranges::all_of(programs, read_pairs)) return;
  programs_ = std::move(programs);
  kernels_.clear();
  reads_resident_ = true;
}

// Returns what a program's rows are ordered by; nothing if other programs have a key of the order.
static std::optional<TopK> first_of_program(const TileProgram& program, TopK first) {
  const auto keys = static_cast<std::uint32_t>(program.schema.size() - program.step_columns.size());
  for (SortKey& key : first.keys) {
    if (key.column < keys) continue;
    const auto at = std::ranges::find(program.step_columns, key.column - keys);
    if (at == program.step_columns.end()) return std::nullopt;
    key.column = keys + static_cast<std::uint32_t>(at - program.step_columns.begin());
  }
  return first;
}

// The program that finds the first groups runs before the others, which need no other groups then.
void ScanOperator::ask_for_groups(TopK first) {
  first_groups_ = std::move(first);
  const auto finds = std::ranges::find_if(programs_, [&](const TileProgram& program) {
    return first_of_program(program, *first_groups_).has_value();
  });
  if (finds != programs_.end()) std::iter_swap(programs_.begin(), finds);
}

std::string ScanOperator::name() const {
  std::string text = "scan";
  for (const TileProgram& program : programs_)
    if (program.epilogue != Epilogue::compact)
      text = program.epilogue == Epilogue::reduce ? "scan and reduce" : "scan and group";
  if (shape_.top_k) text += ", keeping the first " + std::to_string(shape_.top_k->count);
  if (programs_.size() > 1) text += ", " + std::to_string(programs_.size()) + " kernels";
  if (const TableSource* const source = base_source()) text += " of " + source->describe();
  return text;
}

std::vector<OperatorInput> ScanOperator::inputs() const {
  std::vector<OperatorInput> inputs;
  for (std::size_t i = inputs_.builds.size(); i-- > 0;)
    inputs.push_back({inputs_.builds[i]->role(), &inputs_.builds[i]->input()});
  if (inputs_.base) inputs.push_back({inputs_.builds.empty() ? "" : "rows: ", inputs_.base.get()});
  return inputs;
}

Result<Rows> ScanOperator::run(const RowsWanted& wanted) {
  PENSTOCK_TRY(read_ahead());
  PENSTOCK_TRY(run_builds());
  if (inputs_.base_makes_pairs) {
    PENSTOCK_ASSIGN(Rows rows,
                    inputs_.base->run({.takes_pairs = true, .takes_source = takes_source()}));
    if (auto* const pairs = std::get_if<std::shared_ptr<PairedRows>>(&rows)) {
      for (TileProgram& program : programs_) read_pairs(program);
      kernels_.clear();
      pairs_ = *pairs;
      return run_over(pairs_, wanted);
    }
    if (shape_.base == shape_.last) return rows;
    return run_over(source_of_base(std::move(rows)), wanted);
  }
  if (reads_resident_) return run_over_base(wanted);
  if (may_run_on_host()) {
    PENSTOCK_ASSIGN(Table rows, inputs_.base->run_to_host());
    if (rows.row_count <= max_host_rows) return run_on_host(std::move(rows));
    return run_over(table_of_base(std::move(rows)), wanted);
  }
  PENSTOCK_ASSIGN(std::shared_ptr<TableSource> rows, read_base());
  return run_over(std::move(rows), wanted);
}

// Over rows that stay in device memory, unless they are few or do not fit.
Result<Rows> ScanOperator::run_over_base(const RowsWanted& wanted) {
  PENSTOCK_TRY(run_.open_device());
  PENSTOCK_ASSIGN(Rows rows, inputs_.base->run(wanted_of_base()));
  if (resident_ = resident_rows(run_, shape_.base, rows); resident_) {
    if (may_run_on_host() && resident_->row_count() <= max_host_rows) {
      PENSTOCK_ASSIGN(Table few, take_resident());
      return run_on_host(std::move(few));
    }
    if (!results_fit(*resident_)) {
      PENSTOCK_ASSIGN(Table here, take_resident());
      return run_over(table_of_base(std::move(here)), wanted);
    }
    run_.pair_bytes += own_resident_bytes();
    return run_over(resident_, wanted);
  }
  const std::shared_ptr<TableSource> here = source_of_base(std::move(rows));
  if (may_run_on_host() && here->row_count().value_or(max_host_rows + 1) <= max_host_rows) {
    PENSTOCK_ASSIGN(Table few, read_columns(*here, every_column(here->schema())));
    return run_on_host(std::move(few));
  }
  return run_over(here, wanted);
}

Result<Table> ScanOperator::take_resident() {
  return rows_here(run_, shape_.base, Rows(std::exchange(resident_, nullptr)));
}

Result<Rows> ScanOperator::run_over(std::shared_ptr<TableSource> rows, const RowsWanted& wanted) {
  PENSTOCK_TRY(choose_partitions());
  std::shared_ptr<TableSource> source = std::move(scanned_);
  if (!source) { PENSTOCK_ASSIGN(source, leave_out_rows(rows)); }
  PENSTOCK_ASSIGN(BegunReading begun, begin_reading(*source));
  PENSTOCK_TRY(run_.open_device());
  auto found = run_programs(*source, std::move(begun), wanted);
  has_run_ = true;
  if (pairs_ && found.ok()) end_pairs();
  if (resident_) end_resident();
  if (is_validated()) PENSTOCK_TRY(check(rows, found));
  return found;
}

// A page of a later program may begin the run anew, which an exchange before it does not.
bool ScanOperator::may_exchange_groups() const {
  return run_.leaves_partials(shape_.last) && run_.group_share.exchanges &&
         (programs_.size() == 1 || std::ranges::all_of(programs_, [](const TileProgram& program) {
            return program.paged.empty();
          }));
}

Result<RunContext> ScanOperator::context() {
  RunContext run{
      run_.device(), &run_.options, &run_.strings, &run_.report, run_.recorder(), &run_.sides, {},
      &run_.refusal};
  if (std::ranges::any_of(programs_, [](const TileProgram& one) { return !one.paged.empty(); })) {
    PENSTOCK_ASSIGN(run.decoder, run_.page_decoder());
  }
  return run;
}

TileInput ScanOperator::tile_input(const TableSource& rows) {
  return {.rows = rows,
          .row_limit = inputs_.row_limit,
          .pairs = pairs_.get(),
          .resident = resident_.get(),
          .partitions = partitions(),
          .paged_source = base_source(),
          .selected = selected_ ? &*selected_ : nullptr};
}

TileResults ScanOperator::tile_results(const RowsWanted& wanted) {
  TileResults results;
  if (run_.options.intermediate_rows == IntermediateRows::device)
    results.merges = MergeLocation::device;
  results.leaves_partials = run_.leaves_partials(shape_.last);
  const std::optional<TopK>& first =
      results.leaves_partials ? run_.share.first_groups : first_groups_;
  first_of_rows_.reset();
  if (first && (programs_.size() == 1 || !results.leaves_partials))
    first_of_rows_ = first_of_program(programs_[0], *first);
  if (first_of_rows_) results.first_groups = &*first_of_rows_;
  if (may_exchange_groups()) {
    results.share = &run_.group_share;
    run_.group_share.base = shape_.base;
  }
  results.takes_parts = wanted.takes_source && programs_.size() == 1 && !is_validated() &&
                        !results.leaves_partials && inputs_.row_limit == ~std::uint64_t{0};
  if (stays_ && wanted.device_bytes > 0)
    results.stay = {run_.row_kernels(), wanted.device_bytes, wanted.must_fit,
                    places_in(columns(), wanted.bucket_keys)};
  return results;
}

void ScanOperator::begin_program(const TileResults& results, std::size_t number) const {
  if (results.share) run_.group_share.program = number, run_.group_share.has_range = false;
}

Result<Rows> ScanOperator::run_programs(const TableSource& selected, BegunReading begun,
                                        const RowsWanted& wanted) {
  PENSTOCK_TRY(begin_kernels());
  const TileInput input = tile_input(rows_to_scan(selected));
  PENSTOCK_ASSIGN(const RunContext run, context());
  const TileResults results = tile_results(wanted);
  begin_program(results, 0);
  PENSTOCK_ASSIGN(CollectedRows first, run_tiles(run, std::move(kernels_[0]), programs_[0], input,
                                                 results, std::move(begun)));
  Result<Rows> rows = Rows();
  if (auto* const there = std::get_if<DeviceRows>(&first))
    rows = Rows(DeviceTable{std::move(*there), columns()});
  else if (auto* const parts = std::get_if<std::vector<Table>>(&first))
    rows = Rows(source_of_parts(std::move(*parts)));
  else if (auto* const buckets = std::get_if<std::shared_ptr<BucketedRows>>(&first))
    rows = Rows(BucketedTable{std::move(*buckets), columns()});
  else
    rows = run_rest(run, input, results, std::get<Table>(std::move(first)));
  PENSTOCK_TRY(rows);
  if (input.partitions) input.partitions->add_to(run_.report);
  kernels_.clear();
  return rows;
}

// Runs the programs after the first one, over the same rows. Partials of all of them go to the
// share.
Result<Rows> ScanOperator::run_rest(const RunContext& run, const TileInput& input,
                                    const TileResults& results, Table first) {
  const std::uint64_t rows_read = run_.report.rows_read;
  const SkipCounts skipped = run_.report.skipped;
  std::vector<Table> parts;
  std::vector<bool> have_range;
  const auto add = [&](Table part) {
    parts.push_back(std::move(part));
    have_range.push_back(results.share && run_.group_share.has_range);
  };
  TileResults of_rest = results;
  const Table found = first;  // shares its columns
  if (results.first_groups) of_rest.wanted_groups = &found;
  of_rest.first_groups = nullptr;
  add(std::move(first));
  for (std::size_t i = 1; i < programs_.size(); i++) {
    begin_program(results, i);
    PENSTOCK_ASSIGN(CollectedRows part,
                    run_tiles(run, std::move(kernels_[i]), programs_[i], input, of_rest));
    add(std::get<Table>(std::move(part)));
  }
  run_.report.rows_read = rows_read;  // the same rows again
  run_.report.skipped = skipped;
  if (!results.leaves_partials) return table_of(std::move(parts));
  for (std::size_t i = 0; i < parts.size(); i++)
    run_.partials.push_back(
        {programs_[i].step_columns, std::move(parts[i]), have_range[i], shape_.base});
  return Rows();
}

std::shared_ptr<TableSource> ScanOperator::source_of_parts(std::vector<Table> parts) const {
  std::vector<std::shared_ptr<TableSource>> sources;
  for (Table& part : parts)
    sources.push_back(table_of_base(std::get<Table>(table_of({std::move(part)}))));
  return appended_rows(last().schema, std::move(sources));
}

Rows ScanOperator::table_of(std::vector<Table> parts) const {
  Table rows = parts.size() == 1 ? std::move(parts[0]) : beside(programs_, std::move(parts));
  if (shape_.wanted.empty()) return rows;
  if (programs_.size() > 1) rows = pick_columns(rows, shape_.wanted);
  return spread_columns(last().schema, shape_.wanted, rows);
}

// Reports the pairs that were read, and frees them with the right side, which no other scan reads.
void ScanOperator::end_pairs() {
  pairs_->add_to(run_.report);
  run_.pair_bytes -= pairs_->bytes();
  run_.sides.erase(shape_.base);
  pairs_.reset();
}

// Shared rows are counted as long as they are shared.
std::uint64_t ScanOperator::own_resident_bytes() const {
  return run_.known_there.contains(shape_.base) ? 0 : resident_->bytes();
}

void ScanOperator::end_resident() {
  run_.pair_bytes -= own_resident_bytes();
  resident_.reset();
}

}  // namespace penstock::plan
