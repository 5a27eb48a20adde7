#include "exec/validate/validate.hpp"

#include <algorithm>
#include <numeric>

#include "exec/aggregate/host_steps.hpp"
#include "exec/validate/compare_tables.hpp"
#include "exec/validate/host_reference.hpp"
#include "expr/value.hpp"

namespace penstock::plan {
namespace {

bool is_fault(const Status& status) {
  return status.code() == Code::overflow || status.code() == Code::invalid;
}

Status differs(const std::string& text) { return {Code::internal, "validate: " + text}; }

// A source's rows again, with the schema of a step.
class RowsWithSchema : public TableSource {
 public:
  RowsWithSchema(Table table, Schema schema)
      : rows_(table_source(std::move(table))), schema_(std::move(schema)) {}
  const Schema& schema() const override { return schema_; }
  std::optional<std::uint64_t> row_count() const override { return rows_->row_count(); }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return rows_->scan(columns, options);
  }
  std::string describe() const override { return rows_->describe(); }

 private:
  std::shared_ptr<TableSource> rows_;
  Schema schema_;
};

class ChainCheck {
 public:
  ChainCheck(const ChainToCheck& chain, const Result<Table>& device)
      : chain_(chain),
        plan_(chain.plan),
        steps_(plan::chain(chain.plan, chain.base, chain.last)),
        device_(device) {
    const StepKind kind = plan_.step(chain.last).kind;
    aggregates_ =
        chain.base != chain.last && (kind == StepKind::reduce || kind == StepKind::group_by);
    if (aggregates_) steps_.pop_back();
    tolerances_.resize(plan_.step(chain.base).schema.size());
    for (const StepId id : steps_) tolerances_ = tolerances_after(plan_.step(id), tolerances_);
  }

  Status check() {
    PENSTOCK_TRY(aggregates_ ? check_aggregate() : check_rows());
    if (device_.ok()) return {};
    return reference_faults_
               ? Status()
               : differs(chain_.device_id + " reports '" + device_.status().message() +
                         "', the reference computes a result");
  }

 private:
  // ---- rows ----

  Status check_rows() {
    std::uint64_t compared = 0;
    Status found;
    const bool stopped = device_.ok() && device_->row_count >= chain_.row_limit;
    PENSTOCK_TRY(each_batch(chain_.source, chain_.columns,
                            [&](const Table& batch, std::uint64_t first) -> Result<bool> {
                              const auto reference =
                                  reference_rows(plan_, chain_.base, chain_.last, steps_, batch);
                              if (!reference.ok()) {
                                reference_faults_ = true;
                                if (device_.ok() && !stopped) found = reports(reference.status());
                                return false;
                              }
                              if (device_.ok())
                                found = compare_batch(batch, first, *reference, compared, stopped);
                              compared += reference->table.row_count;
                              return found.ok() && compared < chain_.row_limit;
                            }));
    if (found.ok() && device_.ok() && !reference_faults_ && !stopped &&
        compared < device_->row_count)
      found =
          differs(names() + ": " + chain_.device_id + " has " + std::to_string(device_->row_count) +
                  " rows, the reference " + std::to_string(compared));
    return found;
  }

  Status compare_batch(const Table& batch, std::uint64_t first, const ReferenceRows& reference,
                       std::uint64_t compared, bool stopped) const {
    const auto difference = first_difference(*device_, compared, reference.table, tolerances_);
    const bool is_short = !stopped && device_->row_count < compared + reference.table.row_count;
    if (!difference && !is_short) return {};
    if (Status step = differing_step(batch, first); !step.ok()) return step;
    const std::uint64_t row = difference ? difference->row : device_->row_count - compared;
    const std::uint64_t number = reference.numbers[row];
    const std::string of = "; the inputs of row " + std::to_string(first + number) + ": " +
                           row_text(batch, number, batch.columns.size());
    const std::string where = names() + ": row " + std::to_string(compared + row);
    if (!difference)
      return differs(where + ": " + chain_.device_id + " does not have it, the reference has" + of);
    return differs(where + value_text(*device_, compared + row, reference.table, *difference) + of);
  }

  std::string value_text(const Table& device, std::uint64_t device_row, const Table& reference,
                         const Difference& difference) const {
    return ", column '" + reference.names[difference.column] + "': " + chain_.device_id + " has " +
           cell_text(device, difference.column, device_row) + ", the reference " +
           cell_text(reference, difference.column, difference.row);
  }

  Status reports(const Status& fault) const {
    return differs(names() + ": the reference reports '" + fault.message() + "', " +
                   chain_.device_id + " computes a result");
  }

  // ---- which step it is ----

  // Finds the first step that, run alone over the reference's rows, differs.
  Status differing_step(const Table& batch, std::uint64_t first) const {
    ReferenceRows rows = all_rows(batch);
    std::vector<Tolerance> tolerances(rows.table.columns.size());
    for (const StepId id : steps_) {
      auto next = after_step(plan_, id, rows);
      if (!next.ok()) return {};
      tolerances = tolerances_after(plan_.step(id), tolerances);
      const Status found = plan_.step(id).kind == StepKind::filter
                               ? check_filter(id, rows, first)
                               : check_map(id, rows, next->table, first, tolerances);
      if (!found.ok()) return found;
      rows = std::move(*next);
    }
    return {};
  }

  std::string inputs_text(const ReferenceRows& rows, std::uint64_t row, std::uint64_t first) const {
    return "; its inputs (row " + std::to_string(first + rows.numbers[row]) +
           " of the source): " + row_text(rows.table, row, rows.table.columns.size());
  }

  Status check_map(StepId id, const ReferenceRows& rows, const Table& reference,
                   std::uint64_t first, std::span<const Tolerance> tolerances) const {
    const auto device = chain_.run(plan_, plan_.step(id).inputs[0], id, *table_source(rows.table));
    if (!device.ok()) return {};
    const auto difference = first_difference(*device, 0, reference, tolerances);
    if (!difference) return {};
    return differs(step_name(id) + ": row " + std::to_string(difference->row) +
                   value_text(*device, difference->row, reference, *difference) +
                   inputs_text(rows, difference->row, first));
  }

  // Runs the filter over the same rows with their numbers, so that rows are compared, not only
  // values.
  Status check_filter(StepId id, const ReferenceRows& rows, std::uint64_t first) const {
    Schema schema = plan_.step(plan_.step(id).inputs[0]).schema;
    schema.push_back({"row", {Kind::int64}, false});
    Plan alone;
    const ReferenceRows positions = all_rows(rows.table);
    const StepId base =
        alone.source(std::make_shared<RowsWithSchema>(numbered(positions), std::move(schema)));
    const auto filter = alone.filter(base, plan_.step(id).graph, plan_.step(id).predicate);
    if (!filter.ok()) return {};
    auto device = chain_.run(alone, base, *filter, *alone.step(base).source);
    auto kept = after_step(plan_, id, positions);
    if (!device.ok() || !kept.ok()) return {};
    const std::vector<std::uint64_t> device_rows = take_numbers(*device);
    const auto [mine, other] = std::mismatch(device_rows.begin(), device_rows.end(),
                                             kept->numbers.begin(), kept->numbers.end());
    const bool device_ends = mine == device_rows.end(),
               reference_ends = other == kept->numbers.end();
    if (device_ends && reference_ends) return {};
    const bool device_keeps = reference_ends || (!device_ends && *mine < *other);
    const std::uint64_t row = device_keeps ? *mine : *other;
    if (row >= rows.table.row_count) return {};
    return differs(step_name(id) + ": row " + std::to_string(row) + ": " +
                   (device_keeps ? chain_.device_id + " keeps it, the reference does not"
                                 : "the reference keeps it, " + chain_.device_id + " does not") +
                   inputs_text(rows, row, first));
  }

  // ---- aggregates ----

  Status check_aggregate() {
    const StepId last = chain_.last;
    PENSTOCK_ASSIGN(const Table input, aggregated_rows());
    const auto reference = fused_ ? aggregate_on_host(plan_, chain_.base, last, input)
                                  : aggregate_on_host(plan_, last, input);
    if (!reference.ok()) {
      reference_faults_ = true;
      return device_.ok() ? reports(reference.status()) : Status();
    }
    if (!device_.ok()) return Status();
    PENSTOCK_ASSIGN(const std::vector<Tolerance> tolerances, aggregate_tolerances(input));
    const Status found = compare_groups(names(), *device_, *reference, tolerances);
    if (found.ok() || fused_) return found;
    Status step;
    PENSTOCK_TRY(each_batch(chain_.source, chain_.columns,
                            [&](const Table& batch, std::uint64_t first) -> Result<bool> {
                              step = differing_step(batch, first);
                              return step.ok();
                            }));
    if (!step.ok()) return step;
    const auto alone = chain_.run(plan_, plan_.step(last).inputs[0], last, *table_source(input));
    if (alone.ok()) step = compare_groups(step_name(last), *alone, *reference, tolerances);
    return step.ok() ? found : step;
  }

  // Returns the rows that the aggregate takes; if a step faults alone, all rows of the chain's
  // base.
  Result<Table> aggregated_rows() {
    std::vector<Table> parts;
    PENSTOCK_TRY(each_batch(chain_.source, chain_.columns,
                            [&](const Table& batch, std::uint64_t) -> Result<bool> {
                              auto rows = rows_by_steps(plan_, steps_, batch);
                              fused_ = !rows.ok();
                              if (rows.ok()) parts.push_back(std::move(rows->table));
                              return !fused_;
                            }));
    if (!fused_) return joined(plan_.step(plan_.step(chain_.last).inputs[0]).schema, parts);
    parts.clear();
    PENSTOCK_TRY(each_batch(chain_.source, chain_.columns,
                            [&](const Table& batch, std::uint64_t) -> Result<bool> {
                              parts.push_back(batch);
                              return true;
                            }));
    return joined(plan_.step(chain_.base).schema, parts);
  }

  // Computes the sums and averages of floats again, of absolute values: the bound of the loss by
  // rounding.
  Result<std::vector<Tolerance>> aggregate_tolerances(const Table& input) const {
    const Step& step = plan_.step(chain_.last);
    std::vector<Tolerance> tolerances = tolerances_after(step, tolerances_);
    Plan copy = plan_;
    Builder b(plan_.step(step.inputs[0]).schema, std::make_shared<Graph>(*step.graph));
    std::vector<AggregateCall> calls;
    std::vector<std::size_t> columns_added;
    for (std::size_t i = 0; i < step.aggregates.size(); i++) {
      AggregateCall call = step.aggregates[i];
      if (!adds_values(call.function) || !is_float(step.graph->at(call.argument).type)) continue;
      PENSTOCK_ASSIGN(call.argument, b.unary(Op::absolute, call.argument));
      calls.push_back(std::move(call));
      columns_added.push_back(step.projections.size() + i);
    }
    if (calls.empty()) return tolerances;
    const StepId rows = step.inputs[0];
    PENSTOCK_ASSIGN(const StepId absolute,
                    step.kind == StepKind::reduce
                        ? copy.reduce(rows, b.graph(), calls)
                        : copy.group_by(rows, b.graph(), step.projections, calls));
    PENSTOCK_ASSIGN(const Table sums, fused_ ? aggregate_on_host(copy, chain_.base, absolute, input)
                                             : aggregate_on_host(copy, absolute, input));
    for (std::size_t i = 0; i < columns_added.size(); i++)
      tolerances[columns_added[i]].magnitude = sums.columns[step.projections.size() + i];
    return tolerances;
  }

  Status compare_groups(const std::string& name, const Table& device, const Table& reference,
                        std::span<const Tolerance> tolerances) const {
    const std::size_t keys = plan_.step(chain_.last).projections.size();
    if (const auto difference = first_difference(device, 0, reference, tolerances)) {
      const std::uint64_t row = difference->row;
      return differs(
          name + ": row " + std::to_string(row) + value_text(device, row, reference, *difference) +
          (keys > 0 ? "; the reference's group: " + row_text(reference, row, keys) : ""));
    }
    if (device.row_count == reference.row_count) return {};
    return differs(name + ": " + chain_.device_id + " has " + std::to_string(device.row_count) +
                   " groups, the reference " + std::to_string(reference.row_count));
  }

  // ---- names ----

  std::string step_name(StepId id) const {
    return "step " + std::to_string(id) + " (" + std::string(name_of(plan_.step(id).kind)) + ")";
  }

  std::string names() const {
    if (steps_.empty()) return step_name(chain_.last);
    std::string text;
    for (const StepId id : steps_) text += (text.empty() ? "" : ", ") + step_name(id);
    if (aggregates_) text += ", " + step_name(chain_.last);
    return text;
  }

  const ChainToCheck& chain_;
  const Plan& plan_;
  std::vector<StepId> steps_;  // without the aggregate at the end
  const Result<Table>& device_;
  bool aggregates_ = false;
  bool fused_ = false;  // the aggregate's reference is of the fused expressions
  bool reference_faults_ = false;
  std::vector<Tolerance> tolerances_;  // after steps_
};

}  // namespace

Status check_chain(const ChainToCheck& chain, const Result<Table>& device) {
  if (!device.ok() && !is_fault(device.status())) return {};
  return ChainCheck(chain, device).check();
}

}  // namespace penstock::plan
