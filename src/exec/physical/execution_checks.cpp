// Validation: what an execution gives to validate.hpp.
#include "exec/physical/execution.hpp"
#include "exec/validate/validate.hpp"
#include "fuse/program/columns_read.hpp"
#include "fuse/program/row_condition.hpp"
#include "fuse/program/source_answers.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {
namespace {

// Returns what the reference reads of a chain's source: what programs read. Behind joins it is all
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
Status Execution::check_records(StepId last, const TableSource& source,
                                const RowCondition* needed) {
  std::vector<std::uint32_t> columns = columns_asked(plan_, last);
  if (needed) add_columns(*needed, columns);
  return columns.empty() ? Status() : source.check_statistics(columns);
}

// The reference has no lookups: it begins at the last join, whose rows the host joins again.
Status Execution::join_for_reference(Chain& chain) {
  chain.base = chain.programs[0].lookups.back().step;
  PENSTOCK_ASSIGN(Table joined, join_rows(chain.base, {}));
  chain.source = table_source(std::move(joined), std::string(name_of(StepKind::join)));
  return {};
}

// Validation looks at rows that stay on the device, too.
Status Execution::download_to_check(const Chain& chain, const RowsOnDevice& stay,
                                    Result<Table>& table) {
  if (!table.ok()) return {};
  const Step& step = plan_.step(chain.last);
  return download_right_side(step, stay.rows, every_column(step.schema), table.value());
}

ChainToCheck Execution::to_check(const Chain& chain, std::uint64_t row_limit) {
  const auto run_alone = [this](const Plan& plan, StepId base, StepId last,
                                const TableSource& rows) -> Result<Table> {
    Chain alone;
    PENSTOCK_ASSIGN(alone.programs, fuse_slices(plan, base, last));
    return run_programs(alone, rows, ~std::uint64_t{0}, {});
  };
  return {plan_,
          chain.base,
          chain.last,
          *chain.source,
          columns_to_check(chain.programs, chain.source->schema()),
          row_limit,
          device_.get()->traits().id,
          run_alone};
}

// Checks the order of a step. Rows that top-k leaves of a chain are checked in their order;
// otherwise the chain's rows were checked before.
Status Execution::validate_order(StepId id, const Table& input, std::uint64_t row_limit,
                                 const Table& ordered) {
  const Step& step = plan_.step(id);
  const auto chain = chains_.find({step.inputs[0], id});
  if (chain == chains_.end()) return check_order(input, step.sort_keys, ordered, device_.name());
  return check_first_rows(to_check(chain->second, row_limit), step.sort_keys, ordered);
}

// The order of its partitions and keys is what a window takes from the device.
Status Execution::validate_window_order(const Table& input, const Window& window) {
  std::vector<SortKey> keys;
  for (const std::uint32_t column : window.partition) keys.push_back({column});
  keys.insert(keys.end(), window.order.begin(), window.order.end());
  if (keys.empty()) return {};
  PENSTOCK_ASSIGN(const Table ordered, order_rows(device_.get(), input, keys, input.row_count,
                                                  report_, options_.memory_limit_bytes));
  return check_order(input, keys, ordered, device_.name());
}

}  // namespace penstock::plan
