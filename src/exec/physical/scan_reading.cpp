// The inputs of a scan: pages ahead, right sides, and the rows of its base.
#include <algorithm>
#include <utility>

#include "exec/collect/chunk_rows.hpp"
#include "exec/physical/scan_operator.hpp"
#include "exec/scan/selected_source.hpp"
#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/paged_columns.hpp"
#include "fuse/program/row_condition.hpp"
#include "table/rows/appended_rows.hpp"

namespace penstock::plan {

// Pages are read while the device is still being opened, and while a table is decoded. CUDA takes
// 230 ms to open. Right sides run from the last join to the first, each after its own right sides.
Status ScanOperator::read_ahead() {
  if (!run_.opener.is_opening()) PENSTOCK_TRY(run_.open_device());  // a session's may be open
  const std::optional<Traits> expected = run_.expected_traits();
  if (!expected || std::exchange(reads_ahead_, true)) return {};
  for (std::size_t i = inputs_.builds.size(); i-- > 0;)
    PENSTOCK_TRY(inputs_.builds[i]->read_ahead());
  return begin_pages(*expected);
}

// Begins to read the pages of the base, if kernels read these.
Status ScanOperator::begin_pages(const Traits& expected) {
  const TableSource* const base = base_source();
  if (!base || !base->can_be_scanned_again()) return {};
  const TileProgram* program = &programs_[0];
  if (run_.device()) {
    PENSTOCK_TRY(begin_kernels());
  } else {
    paged_ = *program;
    PENSTOCK_TRY(
        choose_page_decoding(*paged_, *base, run_.options.page_decoding, expected).status());
    if (paged_->paged.empty()) paged_.reset();
    if (paged_) program = &*paged_;
  }
  if (program->paged.empty()) return {};
  PENSTOCK_ASSIGN(scanned_, leave_out_rows(run_.plan.step(shape_.base).source));
  PagedScan::Limits limits =
      paged_limits(run_.options, *program, inputs_.row_limit, selected_ ? &*selected_ : nullptr);
  limits.may_stage = !inputs_.is_right_side;
  PENSTOCK_ASSIGN(begun_, PagedScan::begin(run_.device(), *program, *base, limits,
                                           run_.reading_order, run_.strings));
  if (!run_.device() && begun_.memory) run_.not_pinned.push_back(begun_.memory);
  return {};
}

// A plan that needs unique keys is given up. run() goes on with the plan that it was preferred to.
Status ScanOperator::check_expected_keys(StepId join) const {
  const auto& expected = run_.plan.step(join).expected_keys;
  if (!expected) return {};
  expected->repeat = true;
  return Status(Code::unsupported, "keys repeat that a plan expects to be unique");
}

// The plan is made anew where keys repeat: a lookup finds one row. Only the device tells whether a
// right side stays there; a CPU's does not, unless that is asked for.
Status ScanOperator::run_builds() {
  const IntermediateRows asked = run_.options.intermediate_rows;
  for (std::size_t i = inputs_.builds.size(); i-- > 0;) {
    BuildOperator& build = *inputs_.builds[i];
    if (asked == IntermediateRows::device ||
        (asked == IntermediateRows::automatic && run_.options.device != "cpu"))
      PENSTOCK_TRY(run_.open_device());
    PENSTOCK_TRY(read_ahead());
    PENSTOCK_TRY(build.run());
    if (run_.has_repeated_keys(build.join())) {
      PENSTOCK_TRY(check_expected_keys(build.join()));
      return run_.ask_for_new_plan({"keys of a right side repeat", build.join()});
    }
  }
  return {};
}

// Rows that are made when they are read would be made for each program.
bool ScanOperator::takes_source() const {
  return shape_.base != shape_.last && programs_.size() == 1;
}

RowsWanted ScanOperator::wanted_of_base() const {
  return {.device_bytes = run_.bytes_left_for_sides(), .takes_source = takes_source()};
}

// A part is one chunk, whose rows a kernel may keep all.
bool ScanOperator::results_fit(const ResidentRows& rows) const {
  std::uint64_t row_bytes = 0, max_rows = 0;
  for (const TileProgram& program : programs_)
    if (program.epilogue == Epilogue::compact)
      row_bytes = std::max(row_bytes, output_bytes_per_row(program));
  for (const DeviceRows& part : rows.parts()) max_rows = std::max(max_rows, part.row_count);
  return max_rows * row_bytes <= run_.bytes_left_for_sides(rows.bytes());
}

std::shared_ptr<TableSource> ScanOperator::source_of_base(Rows rows) const {
  if (auto* const made_later = std::get_if<std::shared_ptr<TableSource>>(&rows))
    return std::move(*made_later);
  return table_of_base(std::get<Table>(std::move(rows)));
}

std::shared_ptr<TableSource> ScanOperator::table_of_base(Table rows) const {
  return table_source(std::move(rows), std::string(name_of(run_.plan.step(shape_.base).kind)));
}

// Returns the rows of the base, as a source that can be scanned as often as programs read it: once
// for each partition, and once more by the host reference.
Result<std::shared_ptr<TableSource>> ScanOperator::read_base() {
  const std::shared_ptr<TableSource>& source = run_.plan.step(shape_.base).source;
  if (!source) {
    PENSTOCK_ASSIGN(Rows rows, inputs_.base->run({.takes_source = takes_source()}));
    return source_of_base(std::move(rows));
  }
  const bool is_read_once = programs_.size() == 1 && !is_validated() &&
                            std::ranges::none_of(programs_[0].lookups, [&](const Lookup& lookup) {
                              return run_.is_in_buckets(lookup.step);
                            });
  if (source->can_be_scanned_again() || (is_read_once && run_.consumers[shape_.base] == 1))
    return source;
  std::shared_ptr<TableSource>& held = run_.held[shape_.base];
  if (!held) {
    PENSTOCK_ASSIGN(Table table, read_columns(*source, every_column(source->schema())));
    held = table_source(std::move(table), source->describe());
  }
  return held;
}

// Returns the source without the rows that filters and joins drop, where its records tell of some.
Result<std::shared_ptr<TableSource>> ScanOperator::leave_out_rows(
    std::shared_ptr<TableSource> source) {
  PENSTOCK_ASSIGN(const std::vector<JoinedValues> joined, joined_values(*source));
  const std::optional<RowCondition> needed = needed_rows(programs_[0], joined);
  if (is_validated()) PENSTOCK_TRY(check_records(*source, needed ? &*needed : nullptr));
  if (!needed) return source;
  PENSTOCK_ASSIGN(std::optional<RowSelection> rows, source->select_rows(*needed));
  if (!rows) return source;
  selected_ = *rows;
  if (rows->source) return rows->source;
  if (rows->counts.rows_skipped == 0) return source;
  return selected_source(std::move(source), std::move(*rows));
}

// Returns what is scanned where `selected` may leave rows out. Pages are read by whole row groups.
const TableSource& ScanOperator::rows_to_scan(const TableSource& selected) {
  if (!selected_) return selected;
  if (programs_[0].paged.empty()) {
    run_.report.skipped += selected_->counts;
    return selected;
  }
  const TableSource& all = *base_source();
  const SkipCounts counts = counted_by_groups(*selected_, all);
  run_.report.skipped += counts;
  return counts.rows_skipped == 0 ? all : selected;
}

// Takes the pages that are read ahead. For a CPU begins to decode while it is still being opened,
// which takes 25 ms for PoCL.
Result<BegunReading> ScanOperator::begin_reading(const TableSource& source) {
  BegunReading begun;
  begun.pages = std::exchange(begun_, {});
  if (run_.opener.is_opening() && source.can_be_scanned_again() && !run_.expected_traits() &&
      run_.options.page_decoding != PageDecoding::device) {
    PENSTOCK_ASSIGN(begun.columns, begin_columns(source));
  }
  return begun;
}

// Begins to decode the first batches. Assumes that the device is a CPU; on another one this scan is
// given up.
Result<BegunScan> ScanOperator::begin_columns(const TableSource& source) const {
  Traits expected;
  expected.is_cpu = true;
  expected.global_bytes = std::uint64_t{1} << 40;
  BegunScan begun;
  begun.chunk_rows = chunk_rows(run_.options, expected, programs_[0], inputs_.row_limit);
  PENSTOCK_ASSIGN(begun.batches, scan_columns(programs_[0], source, begun.chunk_rows));
  return begun;
}

}  // namespace penstock::plan
