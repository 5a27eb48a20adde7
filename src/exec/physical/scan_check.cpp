// Validation of a scan: what it gives to validate.hpp.
#include "exec/physical/scan_operator.hpp"
#include "fuse/program/row_condition.hpp"
#include "fuse/program/source_answers.hpp"
#include "table/join/join_on_host.hpp"

namespace penstock::plan {
namespace {

// Returns what the reference reads of a scan's rows: what programs read. Behind joins it is all
// that these yield.
Columns columns_to_check(const std::vector<TileProgram>& programs, const Schema& schema) {
  Columns columns;
  for (const TileProgram& program : programs) {
    if (!program.lookups.empty()) return every_column(schema);
    for (const std::uint32_t column : program.scanned_columns()) add_once(columns, column);
  }
  return columns;
}

}  // namespace

// Checks what the source's records say of columns by which rows are left out, or that they answer
// an aggregate of. The reference reads every row.
Status ScanOperator::check_records(const TableSource& source, const RowCondition* needed) const {
  std::vector<std::uint32_t> columns = columns_asked(run_.plan, shape_.last);
  if (needed) add_columns(*needed, columns);
  return columns.empty() ? Status() : source.check_statistics(columns);
}

// Rows of a scan that keeps the first ones are checked in their order, by check_first().
Status ScanOperator::check(const std::shared_ptr<TableSource>& rows, const Result<Rows>& found) {
  checked_base_ = shape_.base;
  checked_source_ = rows;
  const Result<Table> table = table_to_check(found);
  if (found.ok()) PENSTOCK_TRY(table);
  if (!programs_[0].lookups.empty()) PENSTOCK_TRY(join_for_reference());
  return table.ok() && programs_[0].top_k ? Status()
                                          : check_chain(to_check(inputs_.row_limit), table);
}

Result<Table> ScanOperator::table_to_check(const Result<Rows>& found) {
  if (!found.ok()) return found.status();
  if (const auto* const there = std::get_if<DeviceTable>(&*found))
    return run_.download(last(), spread_rows(last().schema, there->columns, there->rows),
                         every_column(last().schema));
  return std::get<Table>(*found);
}

// The reference has no lookups: it begins at the last join, and the host joins its rows again.
Status ScanOperator::join_for_reference() {
  checked_base_ = programs_[0].lookups.back().step;
  PENSTOCK_ASSIGN(Table left, inputs_.reference_left->run_to_host());
  const HostSpan span(run_.recorder(), "join on the host");
  PENSTOCK_ASSIGN(checked_source_, join_on_host(run_.plan.step(checked_base_), std::move(left),
                                                run_.sides.at(checked_base_), run_.strings));
  return {};
}

ChainToCheck ScanOperator::to_check(std::uint64_t row_limit) const {
  const auto run_alone = [&run = run_](const Plan& plan, StepId base, StepId last,
                                       const TableSource& rows) -> Result<Table> {
    PENSTOCK_ASSIGN(auto programs, fuse_slices(plan, base, last));
    ScanOperator alone(run, {}, std::move(programs), false);
    PENSTOCK_ASSIGN(Rows found, alone.run_programs(rows, {}, {}));
    return std::get<Table>(std::move(found));
  };
  return {run_.plan,
          checked_base_,
          shape_.last,
          *checked_source_,
          columns_to_check(programs_, checked_source_->schema()),
          row_limit,
          run_.device()->traits().id,
          run_alone};
}

Status ScanOperator::check_first(const std::vector<SortKey>& keys, std::uint64_t row_limit,
                                 const Table& ordered) const {
  return check_first_rows(to_check(row_limit), keys, ordered);
}

}  // namespace penstock::plan
