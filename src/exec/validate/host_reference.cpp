#include "exec/validate/host_reference.hpp"

#include <numeric>

#include "column/bits.hpp"
#include "column/concatenate.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "fuse/program/derived_columns.hpp"
#include "table/rows/gather.hpp"

namespace penstock::plan {
namespace {

std::vector<NodeId> roots_of(const TileProgram& program) {
  std::vector<NodeId> roots = program.predicates;
  for (const Output& output : program.outputs)
    if (output.late_column < 0) roots.push_back(output.root);
  return roots;
}

Column nulls_of(Type type, std::uint64_t row_count) {
  Column nulls;
  nulls.type = type;
  nulls.row_count = row_count;
  nulls.values = Bytes::own(std::vector<std::byte>((row_count + 1) * width_bytes(type)));
  nulls.validity = Bytes::own(std::vector<std::byte>(column::bytes_of_bits(row_count)));
  if (type.kind == Kind::string)
    nulls.offsets = Bytes::own(std::vector<std::int32_t>(row_count + 1));
  return nulls;
}

// Spreads a batch among all columns of its source.
Table with_columns_not_read(const Schema& schema, const std::vector<std::uint32_t>& columns,
                            const Table& batch) {
  Table table;
  table.row_count = batch.row_count;
  for (const Field& field : schema) {
    table.names.emplace_back();
    table.columns.push_back(nulls_of(field.type, batch.row_count));
  }
  for (std::size_t i = 0; i < columns.size(); i++) {
    table.names[columns[i]] = schema[columns[i]].name;
    table.columns[columns[i]] = batch.columns[i];
  }
  return table;
}

}  // namespace

ReferenceRows all_rows(const Table& batch) {
  ReferenceRows rows{batch, std::vector<std::uint64_t>(batch.row_count)};
  std::iota(rows.numbers.begin(), rows.numbers.end(), std::uint64_t{0});
  return rows;
}

Table numbered(const ReferenceRows& rows) {
  Table table = rows.table;
  table.names.push_back("row");
  table.columns.push_back(
      Column::from(std::vector<std::int64_t>(rows.numbers.begin(), rows.numbers.end())));
  return table;
}

std::vector<std::uint64_t> take_numbers(Table& table) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    numbers.push_back(static_cast<std::uint64_t>(scalar_at(table.columns.back(), row).integer));
  table.names.pop_back();
  table.columns.pop_back();
  return numbers;
}

Result<ReferenceRows> after_step(const Plan& plan, StepId id, const ReferenceRows& rows) {
  const bool filters = plan.step(id).kind == StepKind::filter;
  PENSTOCK_ASSIGN(Table table, apply_on_host(plan, id, filters ? numbered(rows) : rows.table));
  std::vector<std::uint64_t> numbers = filters ? take_numbers(table) : rows.numbers;
  return ReferenceRows{std::move(table), std::move(numbers)};
}

Result<ReferenceRows> rows_by_steps(const Plan& plan, const std::vector<StepId>& steps,
                                    const Table& batch) {
  ReferenceRows rows = all_rows(batch);
  for (const StepId id : steps) { PENSTOCK_ASSIGN(rows, after_step(plan, id, rows)); }
  return rows;
}

Result<ReferenceRows> rows_by_program(const TileProgram& program, const Table& batch) {
  PENSTOCK_ASSIGN(const Table input, with_derived(program, batch));
  const std::vector<NodeId> roots = roots_of(program);
  std::vector<std::vector<Scalar>> values(program.outputs.size());
  ReferenceRows rows;
  for (std::uint64_t row = 0; row < input.row_count; row++) {
    PENSTOCK_ASSIGN(const std::vector<Scalar> results, values_of_row(program, roots, input, row));
    if (results.size() < roots.size()) continue;
    std::size_t next = program.predicates.size();
    for (std::size_t i = 0; i < program.outputs.size(); i++)
      if (program.outputs[i].late_column < 0) values[i].push_back(results[next++]);
    rows.numbers.push_back(row);
  }
  rows.table.row_count = rows.numbers.size();
  for (std::size_t i = 0; i < program.outputs.size(); i++) {
    const int late = program.outputs[i].late_column;
    rows.table.names.push_back(program.outputs[i].name);
    rows.table.columns.push_back(
        late >= 0 ? gather(input.columns[static_cast<std::size_t>(late)], rows.numbers)
                  : column_of(program.schema[i].type, values[i]));
  }
  return rows;
}

Result<ReferenceRows> reference_rows(const Plan& plan, StepId base, StepId last,
                                     const std::vector<StepId>& steps, const Table& batch) {
  auto rows = rows_by_steps(plan, steps, batch);
  if (rows.ok()) return rows;
  PENSTOCK_ASSIGN(const TileProgram program, fuse(plan, base, last));
  return rows_by_program(program, batch);
}

Status each_batch(const TableSource& source, const std::vector<std::uint32_t>& columns,
                  const BatchVisitor& visit) {
  ScanOptions options;
  options.batch_rows = 1 << 16;
  PENSTOCK_ASSIGN(const auto stream, source.scan(columns, options));
  for (std::uint64_t first_row = 0;;) {
    PENSTOCK_ASSIGN(const std::optional<Table> batch, stream->next());
    if (!batch) return {};
    for (const Column& column : batch->columns)
      if (column.device_values && column.values.empty())
        return Status(
            Code::unsupported,
            "validate: the reference needs rows on the host, and these live on a device alone");
    PENSTOCK_ASSIGN(const bool more,
                    visit(with_columns_not_read(source.schema(), columns, *batch), first_row));
    if (!more) return {};
    first_row += batch->row_count;
  }
}

Table joined(const Schema& schema, const std::vector<Table>& parts) {
  Table table;
  for (const Table& part : parts) table.row_count += part.row_count;
  for (std::size_t i = 0; i < schema.size(); i++) {
    std::vector<Column> columns;
    for (const Table& part : parts) columns.push_back(part.columns[i]);
    table.names.push_back(schema[i].name);
    table.columns.push_back(column::concatenate(schema[i].type, columns));
  }
  return table;
}

}  // namespace penstock::plan
