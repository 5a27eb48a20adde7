#include "exec/physical/host_operators.hpp"

#include <algorithm>

#include "column/concatenate.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "exec/aggregate/unnest_rows.hpp"
#include "exec/validate/validate.hpp"
#include "exec/window/window_rows.hpp"
#include "fuse/program/source_answers.hpp"
#include "table/rows/appended_rows.hpp"
#include "table/rows/column_numbers.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {

Result<Rows> SharedOperator::run(const RowsWanted&) {
  const auto known = run_.known.find(step_);
  if (known != run_.known.end()) return Rows(known->second);
  PENSTOCK_ASSIGN(Table rows, input_->run_to_host());
  run_.known[step_] = rows;
  return Rows(std::move(rows));
}

std::string AnswerOperator::name() const {
  return "answer from " + answered_from(run_.plan, step_);
}

Result<Rows> AnswerOperator::run(const RowsWanted&) {
  run_.report.notes.push_back("answered from " + answered_from(run_.plan, step_) +
                              "; no kernel ran");
  return Rows(answer_);
}

std::string SourceOperator::name() const {
  return "read " + std::to_string(wanted_.size()) + " columns of " +
         run_.plan.step(source_).source->describe();
}

Result<Rows> SourceOperator::run(const RowsWanted&) {
  const Step& step = run_.plan.step(source_);
  PENSTOCK_ASSIGN(const Table table, read_columns(*step.source, wanted_));
  run_.report.rows_read += table.row_count;
  return Rows(spread_columns(step.schema, wanted_, table));
}

std::vector<OperatorInput> AppendOperator::inputs() const {
  std::vector<OperatorInput> inputs;
  for (const OperatorPointer& input : inputs_) inputs.push_back({"", input.get()});
  return inputs;
}

Status AppendOperator::compile() {
  for (const OperatorPointer& input : inputs_) PENSTOCK_TRY(input->compile());
  return {};
}

bool AppendOperator::stays() const {
  return std::ranges::all_of(inputs_, [](const OperatorPointer& input) { return input->stays(); });
}

// The rows of all inputs stay in device memory, or none do.
Result<Rows> AppendOperator::run_there(const RowsWanted& wanted) {
  const Schema& schema = run_.plan.step(step_).schema;
  std::vector<Rows> all;
  std::uint64_t bytes = 0;
  for (const OperatorPointer& input : inputs_) {
    const std::uint64_t left = wanted.device_bytes - std::min(bytes, wanted.device_bytes);
    PENSTOCK_ASSIGN(all.emplace_back(), input->run({.device_bytes = left, .takes_source = true}));
    if (auto* const there = std::get_if<DeviceTable>(&all.back()))
      bytes += bytes_on_device(there->rows);
  }
  const auto is_there = [](const Rows& rows) { return std::holds_alternative<DeviceTable>(rows); };
  if (std::ranges::all_of(all, is_there)) {
    std::vector<DeviceRows> parts;
    for (Rows& rows : all) {
      auto& there = std::get<DeviceTable>(rows);
      parts.push_back(spread_rows(schema, there.columns, std::move(there.rows)));
    }
    return Rows(std::make_shared<ResidentRows>(run_.row_kernels(), schema, std::move(parts)));
  }
  std::vector<std::shared_ptr<TableSource>> sources;
  for (Rows& rows : all) { PENSTOCK_ASSIGN(sources.emplace_back(), source_of(std::move(rows))); }
  return Rows(appended_rows(schema, std::move(sources)));
}

Result<std::shared_ptr<TableSource>> AppendOperator::source_of(Rows rows) const {
  if (auto* const source = std::get_if<std::shared_ptr<TableSource>>(&rows))
    return std::move(*source);
  auto* const there = std::get_if<DeviceTable>(&rows);
  if (!there) return table_source(std::get<Table>(std::move(rows)), "append");
  const Step& step = run_.plan.step(step_);
  const DeviceRows spread = spread_rows(step.schema, there->columns, std::move(there->rows));
  PENSTOCK_ASSIGN(Table table, run_.download(step, spread, there->columns));
  return table_source(std::move(table), "append");
}

Result<Rows> AppendOperator::run_as_source() {
  std::vector<std::shared_ptr<TableSource>> sources;
  for (const OperatorPointer& input : inputs_) {
    PENSTOCK_ASSIGN(Rows rows, input->run({.takes_source = true}));
    PENSTOCK_ASSIGN(sources.emplace_back(), source_of(std::move(rows)));
  }
  return Rows(appended_rows(run_.plan.step(step_).schema, std::move(sources)));
}

Result<Rows> AppendOperator::run(const RowsWanted& wanted) {
  if (wanted.device_bytes > 0 && wanted.takes_source && stays()) return run_there(wanted);
  if (wanted.takes_source) return run_as_source();
  std::vector<Table> parts;
  for (const OperatorPointer& input : inputs_) {
    PENSTOCK_ASSIGN(parts.emplace_back(), input->run_to_host());
  }
  const HostSpan span(run_.recorder(), "append");
  const Schema& schema = run_.plan.step(step_).schema;
  const Columns columns = wanted_.empty() ? every_column(schema) : wanted_;
  Table rows;
  for (const Table& part : parts) rows.row_count += part.row_count;
  for (const std::uint32_t column : columns) {
    std::vector<Column> values;
    for (const Table& part : parts) values.push_back(part.columns[column]);
    rows.names.push_back(schema[column].name);
    rows.columns.push_back(column::concatenate(schema[column].type, values));
  }
  return Rows(spread_columns(schema, columns, rows));
}

std::string LimitOperator::name() const {
  return "limit " + std::to_string(step().limit) +
         (step().offset > 0 ? " offset " + std::to_string(step().offset) : "");
}

Result<Rows> LimitOperator::run(const RowsWanted&) {
  PENSTOCK_ASSIGN(const Table input, input_->run_to_host());
  const HostSpan span(run_.recorder(), "limit");
  return Rows(limit_rows(input, step().limit, step().offset));
}

std::string InterpreterOperator::name() const {
  return std::string(name_of(step().kind)) + " on the host";
}

Result<Rows> InterpreterOperator::run(const RowsWanted&) {
  PENSTOCK_ASSIGN(const Table input, input_->run_to_host());
  const HostSpan span(run_.recorder(), "step on the host");
  PENSTOCK_ASSIGN(Table rows, apply_on_host(run_.plan, step_, input));
  return Rows(std::move(rows));
}

Result<Rows> WindowOperator::run(const RowsWanted&) {
  PENSTOCK_ASSIGN(const Table input, input_->run_to_host());
  if (sorts_on_device(input.row_count, input.row_count)) PENSTOCK_TRY(run_.open_device());
  const HostSpan span(run_.recorder(), "window");
  if (run_.options.validate) PENSTOCK_TRY(check_order_of(input));
  PENSTOCK_ASSIGN(Table rows,
                  window_rows(run_.device(), input, step(), run_.report, WindowLocation::automatic,
                              run_.options.memory_limit_bytes));
  if (run_.options.validate) PENSTOCK_TRY(check_window(input, step(), rows, run_.opener.name()));
  return Rows(std::move(rows));
}

Result<Rows> UnnestOperator::run(const RowsWanted&) {
  PENSTOCK_ASSIGN(const Table input, input_->run_to_host());
  const HostSpan span(run_.recorder(), "unnest");
  PENSTOCK_ASSIGN(Table rows, unnest_rows(step(), input));
  return Rows(std::move(rows));
}

// The order of its partitions and keys is what a window takes from the device.
Status WindowOperator::check_order_of(const Table& input) {
  std::vector<SortKey> keys;
  for (const std::uint32_t column : step().window.partition) keys.push_back({column});
  keys.insert(keys.end(), step().window.order.begin(), step().window.order.end());
  if (keys.empty()) return {};
  PENSTOCK_ASSIGN(const Table ordered, order_rows(run_.device(), input, keys, input.row_count,
                                                  run_.report, run_.options.memory_limit_bytes));
  return check_order(input, keys, ordered, run_.opener.name());
}

}  // namespace penstock::plan
