#include "exec/physical/operator.hpp"

#include "exec/kernel/device_columns.hpp"
#include "table/rows/appended_rows.hpp"
#include "table/rows/device_memory.hpp"

namespace penstock::plan {
namespace {

Columns columns_with_values(const DeviceRows& rows) {
  Columns columns;
  for (std::uint32_t i = 0; i < rows.columns.size(); i++)
    if (rows.columns[i].values) columns.push_back(i);
  return columns;
}

// Columns that nothing reads have no values there.
Result<Table> download(RunState& run, const Step& step, const ResidentRows& rows) {
  std::vector<std::shared_ptr<TableSource>> parts;
  for (const DeviceRows& part : rows.parts()) {
    PENSTOCK_ASSIGN(Table table, run.download(step, part, columns_with_values(part)));
    parts.push_back(table_source(std::move(table), std::string(name_of(step.kind))));
  }
  return read_columns(*appended_rows(step.schema, std::move(parts)), every_column(step.schema));
}

}  // namespace

std::shared_ptr<ResidentRows> resident_rows(RunState& run, StepId step, Rows& rows) {
  if (auto* const parts = std::get_if<std::shared_ptr<ResidentRows>>(&rows))
    return std::move(*parts);
  auto* const there = std::get_if<DeviceTable>(&rows);
  if (!there) return nullptr;
  const Schema& schema = run.plan.step(step).schema;
  return std::make_shared<ResidentRows>(
      run.row_kernels(), schema,
      std::vector{spread_rows(schema, there->columns, std::move(there->rows))});
}

Result<Table> rows_here(RunState& run, StepId step, Rows rows) {
  if (auto* const here = std::get_if<Table>(&rows)) return std::move(*here);
  const Step& of = run.plan.step(step);
  if (const auto there = resident_rows(run, step, rows)) return download(run, of, *there);
  if (auto* const source = std::get_if<std::shared_ptr<TableSource>>(&rows))
    return read_columns(**source, every_column(of.schema));
  return Status(Code::internal, "rows by buckets are no table");
}

Result<std::shared_ptr<ResidentRows>> rows_there(RunState& run, StepId step, const Table& rows) {
  PENSTOCK_TRY(run.row_kernels()->wait());
  PENSTOCK_ASSIGN(const auto queue, run.device()->queue());
  DeviceRows there{rows.row_count, {}};
  for (const Column& column : rows.columns) {
    there.columns.push_back({column.type, nullptr, nullptr});
    if (column.row_count != rows.row_count) continue;
    PENSTOCK_ASSIGN(there.columns.back(),
                    upload_column(*run.row_kernels(), *queue, column, run.strings));
    run.report.bytes_uploaded += rows.row_count * width_bytes(column.type);
  }
  return std::make_shared<ResidentRows>(run.row_kernels(), run.plan.step(step).schema,
                                        std::vector{std::move(there)});
}

Result<std::optional<DeviceTable>> device_table(RunState& run, StepId step, Rows& rows,
                                                std::uint64_t limit_bytes) {
  if (auto* const one = std::get_if<DeviceTable>(&rows)) return std::optional(std::move(*one));
  auto* const parts = std::get_if<std::shared_ptr<ResidentRows>>(&rows);
  if (!parts) return std::optional<DeviceTable>();
  PENSTOCK_ASSIGN(auto joined, (*parts)->joined(limit_bytes));
  if (joined) {
    Columns columns = columns_with_values(*joined);
    DeviceTable table{{joined->row_count, {}}, columns};
    for (const std::uint32_t column : columns)
      table.rows.columns.push_back(std::move(joined->columns[column]));
    return std::optional(std::move(table));
  }
  PENSTOCK_ASSIGN(rows, rows_here(run, step, std::move(rows)));
  return std::optional<DeviceTable>();
}

}  // namespace penstock::plan
