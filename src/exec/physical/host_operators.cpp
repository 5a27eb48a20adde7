#include "exec/physical/host_operators.hpp"

#include <algorithm>

#include "column/concatenate.hpp"
#include "exec/aggregate/host_steps.hpp"
#include "exec/aggregate/unnest_rows.hpp"
#include "exec/scan/kept_columns.hpp"
#include "exec/validate/validate.hpp"
#include "exec/window/window_rows.hpp"
#include "exec/window/window_there.hpp"
#include "fuse/program/source_answers.hpp"
#include "table/rows/appended_rows.hpp"
#include "table/rows/column_numbers.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::plan {

Result<Rows> SharedOperator::run(const RowsWanted& wanted) {
  if (!is_known()) PENSTOCK_TRY(run_input(wanted));
  const auto there = run_.known_there.find(step_);
  if (there != run_.known_there.end() && wanted.device_bytes > 0) return Rows(there->second);
  if (const auto here = run_.known.find(step_); here != run_.known.end()) return Rows(here->second);
  PENSTOCK_ASSIGN(Table rows, rows_here(run_, step_, Rows(there->second)));
  run_.known[step_] = rows;
  return Rows(std::move(rows));
}

Status SharedOperator::run_input(const RowsWanted& wanted) {
  const bool may_stay = wanted.device_bytes > 0 && stays();
  PENSTOCK_ASSIGN(Rows rows, input_->run(may_stay ? RowsWanted{.device_bytes = wanted.device_bytes,
                                                               .takes_source = true}
                                                  : RowsWanted()));
  if (const auto there = resident_rows(run_, step_, rows)) {
    run_.pair_bytes += there->bytes();
    run_.known_there[step_] = there;
    return {};
  }
  PENSTOCK_ASSIGN(run_.known[step_], rows_here(run_, step_, std::move(rows)));
  return {};
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
  const auto& session = run_.options.session;
  PENSTOCK_ASSIGN(const KeptTable read,
                  read_kept_columns(session ? &session->cache() : nullptr, *step.source, wanted_));
  if (wanted_.empty() || read.columns_from_cache < wanted_.size())
    run_.report.rows_read += read.table.row_count;
  run_.report.columns_from_cache += read.columns_from_cache;
  return Rows(spread_columns(step.schema, wanted_, read.table));
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
  return std::ranges::any_of(inputs_, [](const OperatorPointer& input) { return input->stays(); });
}

// The rows of all inputs stay in device memory, or none do. Few rows of the host go there: the
// total of all groups, beside these.
Result<Rows> AppendOperator::run_there(const RowsWanted& wanted) {
  std::vector<Rows> all;
  std::vector<DeviceRows> parts;
  std::uint64_t bytes = 0;
  bool are_there = true;
  for (std::size_t i = 0; i < inputs_.size(); i++) {
    const std::uint64_t left = wanted.device_bytes - std::min(bytes, wanted.device_bytes);
    PENSTOCK_ASSIGN(Rows rows, inputs_[i]->run({.device_bytes = left, .takes_source = true}));
    if (auto* const here = std::get_if<Table>(&rows); here && here->row_count <= max_host_rows) {
      PENSTOCK_ASSIGN(rows, rows_there(run_, step().inputs[i], *here));
    }
    if (const auto there = resident_rows(run_, step().inputs[i], rows)) {
      bytes += there->bytes();
      parts.insert(parts.end(), there->parts().begin(), there->parts().end());
      rows = there;
    } else {
      are_there = false;
    }
    all.push_back(std::move(rows));
  }
  if (are_there)
    return Rows(
        std::make_shared<ResidentRows>(run_.row_kernels(), step().schema, std::move(parts)));
  std::vector<std::shared_ptr<TableSource>> sources;
  for (std::size_t i = 0; i < all.size(); i++) {
    PENSTOCK_ASSIGN(sources.emplace_back(), source_of(std::move(all[i]), step().inputs[i]));
  }
  Rows rows(appended_rows(step().schema, std::move(sources)));
  if (wanted.takes_source) return rows;
  PENSTOCK_ASSIGN(Table table, rows_here(run_, step_, std::move(rows)));
  return Rows(std::move(table));
}

Result<std::shared_ptr<TableSource>> AppendOperator::source_of(Rows rows, StepId input) const {
  if (auto* const source = std::get_if<std::shared_ptr<TableSource>>(&rows))
    return std::move(*source);
  PENSTOCK_ASSIGN(Table table, rows_here(run_, input, std::move(rows)));
  return table_source(std::move(table), "append");
}

Result<Rows> AppendOperator::run_as_source() {
  std::vector<std::shared_ptr<TableSource>> sources;
  for (std::size_t i = 0; i < inputs_.size(); i++) {
    PENSTOCK_ASSIGN(Rows rows, inputs_[i]->run({.takes_source = true}));
    PENSTOCK_ASSIGN(sources.emplace_back(), source_of(std::move(rows), step().inputs[i]));
  }
  return Rows(appended_rows(step().schema, std::move(sources)));
}

Result<Rows> AppendOperator::run(const RowsWanted& wanted) {
  if (wanted.device_bytes > 0 && stays()) return run_there(wanted);
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

Result<Rows> ColumnsOperator::run(const RowsWanted& wanted) {
  PENSTOCK_ASSIGN(Rows rows, input_->run({.device_bytes = wanted.device_bytes}));
  if (const auto there = resident_rows(run_, step().inputs[0], rows)) {
    std::vector<DeviceRows> parts;
    for (const DeviceRows& part : there->parts()) {
      DeviceRows& columns = parts.emplace_back(DeviceRows{part.row_count, {}});
      for (const Projection& projection : step().projections)
        columns.columns.push_back(part.columns[step().graph->at(projection.root).payload]);
    }
    return Rows(
        std::make_shared<ResidentRows>(run_.row_kernels(), step().schema, std::move(parts)));
  }
  PENSTOCK_ASSIGN(const Table table, rows_here(run_, step().inputs[0], std::move(rows)));
  PENSTOCK_ASSIGN(Table columns, apply_on_host(run_.plan, step_, table));
  return Rows(std::move(columns));
}

Result<Rows> WindowOperator::run(const RowsWanted& wanted) {
  if (wanted.device_bytes > 0 && stays()) return run_there(wanted);
  PENSTOCK_ASSIGN(const Table input, input_->run_to_host());
  return run_here(input);
}

Result<Rows> WindowOperator::run_there(const RowsWanted& wanted) {
  const StepId input = step().inputs[0];
  PENSTOCK_ASSIGN(Rows rows, input_->run({.device_bytes = wanted.device_bytes}));
  PENSTOCK_ASSIGN(auto there, device_table(run_, input, rows, wanted.device_bytes));
  if (there) {
    const HostSpan span(run_.recorder(), "window on the device");
    const DeviceRows all =
        spread_rows(run_.plan.step(input).schema, there->columns, std::move(there->rows));
    PENSTOCK_ASSIGN(auto made, window_there(run_.device(), all, step(), run_.strings,
                                            run_.options.memory_limit_bytes, run_.report));
    if (made)
      return Rows(std::make_shared<ResidentRows>(run_.row_kernels(), step().schema,
                                                 std::vector{std::move(*made)}));
    rows = Rows(DeviceTable{all, every_column(run_.plan.step(input).schema)});
  }
  PENSTOCK_ASSIGN(const Table table, rows_here(run_, input, std::move(rows)));
  return run_here(table);
}

Result<Rows> WindowOperator::run_here(const Table& input) {
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
