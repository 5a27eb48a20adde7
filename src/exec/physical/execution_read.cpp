// The read pass: the rows that a chain begins with.
#include <algorithm>
#include <utility>

#include "exec/physical/execution.hpp"
#include "exec/scan/selected_source.hpp"
#include "fuse/program/row_condition.hpp"

namespace penstock::plan {

// Returns the rows of a chain's base, as a source that can be scanned as often as programs read it,
// once for each partition, and the host reference once more where results are validated.
Result<std::shared_ptr<TableSource>> Execution::read_base(const Chain& chain) {
  const std::vector<TileProgram>& programs = chain.programs;
  const StepId base = chain.base;
  const std::vector<Lookup>& lookups = programs[0].lookups;
  const bool is_read_once = programs.size() == 1 && !options_.validate &&
                            std::none_of(lookups.begin(), lookups.end(), [&](const Lookup& lookup) {
                              return is_in_buckets(lookup.step);
                            });
  const std::shared_ptr<TableSource>& source = plan_.step(base).source;
  if (source && (source->can_be_scanned_again() || (is_read_once && consumers_[base] == 1)))
    return source;
  if (!source) {
    PENSTOCK_ASSIGN(Table table, materialise(base, ~std::uint64_t{0}, columns_scanned(programs)));
    return table_source(std::move(table), std::string(name_of(plan_.step(base).kind)));
  }
  std::shared_ptr<TableSource>& held = held_[base];
  if (!held) {
    PENSTOCK_ASSIGN(Table table, read_columns(*source, every_column(source->schema())));
    held = table_source(std::move(table), source->describe());
  }
  return held;
}

// Returns the source without the rows that the chain's filters drop, where its records tell of
// some.
Result<std::shared_ptr<TableSource>> Execution::leave_out_rows(
    Chain& chain, std::shared_ptr<TableSource> source) {
  const std::optional<RowCondition> needed = needed_rows(chain.programs[0]);
  if (options_.validate)
    PENSTOCK_TRY(check_records(chain.last, *source, needed ? &*needed : nullptr));
  if (!needed) return source;
  PENSTOCK_ASSIGN(std::optional<RowSelection> rows, source->select_rows(*needed));
  if (!rows) return source;
  chain.selected = *rows;
  if (rows->source) return rows->source;
  if (rows->counts.rows_skipped == 0) return source;
  return selected_source(std::move(source), std::move(*rows));
}

// Takes the pages that are read ahead. For a CPU begins to decode while it is still being opened,
// which takes 25 ms for PoCL.
Result<BegunReading> Execution::begin_reading(Chain& chain, const TableSource& source,
                                              std::uint64_t row_limit) {
  BegunReading begun;
  begun.pages = std::exchange(chain.begun, {});
  if (device_.is_opening() && source.can_be_scanned_again() && !expected_traits() &&
      options_.page_decoding != PageDecoding::device) {
    PENSTOCK_ASSIGN(begun.columns, begin_scan(chain.programs[0], source, row_limit));
  }
  return begun;
}

// Begins to decode the first batches. Assumes that the device is a CPU; on another one this scan is
// given up.
Result<BegunScan> Execution::begin_scan(const TileProgram& program, const TableSource& source,
                                        std::uint64_t row_limit) const {
  Traits expected;
  expected.is_cpu = true;
  expected.global_bytes = std::uint64_t{1} << 40;
  BegunScan begun;
  begun.chunk_rows = chunk_rows(options_, expected, program, row_limit);
  PENSTOCK_ASSIGN(begun.batches, scan_columns(program, source, begun.chunk_rows));
  return begun;
}

}  // namespace penstock::plan
