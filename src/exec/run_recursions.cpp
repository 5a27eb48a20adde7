#include "exec/run_recursions.hpp"

#include <algorithm>
#include <utility>

#include "base/human_readable.hpp"
#include "base/machine_memory.hpp"
#include "column/concatenate.hpp"
#include "exec/devices/share_report.hpp"
#include "exec/kernel/kept_programs.hpp"
#include "plan/recursion.hpp"

namespace penstock::plan {
namespace {

std::vector<bool> steps_read(const Plan& plan, const std::vector<StepId>& results) {
  std::vector<bool> is_read(plan.size(), false);
  for (const StepId result : results)
    if (result < plan.size()) is_read[result] = true;
  for (std::size_t id = plan.size(); id-- > 0;)  // inputs have smaller numbers
    if (is_read[id])
      for (const StepId input : plan.step(static_cast<StepId>(id)).inputs) is_read[input] = true;
  return is_read;
}

Table appended(const Schema& schema, const std::vector<Table>& parts) {
  Table all;
  for (const Table& part : parts) all.row_count += part.row_count;
  for (std::size_t i = 0; i < schema.size(); i++) {
    std::vector<Column> values;
    for (const Table& part : parts) values.push_back(part.columns[i]);
    all.names.push_back(schema[i].name);
    all.columns.push_back(column::concatenate(schema[i].type, values));
  }
  return all;
}

class RecursionRun {
 public:
  RecursionRun(const Recursion& recursion, const RunOptions& options, RunReport& report)
      : schema_(recursion.schema()),
        parts_(recursion.parts()),
        options_(options),
        report_(report),
        step_(parts_.step) {
    options_.profile = options_.stalls = false;
    options_.kept_programs = {};
  }

  Result<Table> rows() {
    PENSTOCK_ASSIGN(Table working, run_outside());
    options_.kept_programs = std::make_shared<KeptPrograms>();
    take(working);
    for (; working.row_count > 0; step_count_++) {
      PENSTOCK_TRY(check_going_on());
      set(parts_.held[0].source, std::move(working));
      if (parts_.all_rows) set(parts_.all_rows, parts_so_far_[0]);
      PENSTOCK_ASSIGN(QueryResult result, penstock::run(with_sources_replaced(step_, replacements_),
                                                        parts_.result, options_));
      working = std::move(result.table);
      add_step(result.report);
      take(working);
    }
    report_.notes.push_back("a recursion took " + std::to_string(step_count_) + " steps for " +
                            std::to_string(row_count_) + " rows");
    return appended(schema_, parts_so_far_);
  }

 private:
  void set(const SourcePointer& place, Table rows) {
    replacements_[place.get()] = table_source(std::move(rows), "rows of a recursion");
  }

  // Returns the rows that it begins with.
  Result<Table> run_outside() {
    std::vector<StepId> results;
    for (const RecursionParts::Held& held : parts_.held) results.push_back(held.rows);
    PENSTOCK_ASSIGN(std::vector<QueryResult> outcomes,
                    penstock::run(parts_.outside, results, options_));
    for (std::size_t i = 0; i < outcomes.size(); i++) {
      add_report(report_, outcomes[i].report);
      if (i > 0) set(parts_.held[i].source, std::move(outcomes[i].table));
    }
    return std::move(outcomes[0].table);
  }

  // Rows that each step is compared with are one table.
  void take(const Table& rows) {
    row_count_ += rows.row_count;
    parts_so_far_.push_back(rows);
    if (parts_.all_rows) parts_so_far_ = {appended(schema_, parts_so_far_)};
  }

  // The kernels of all steps are reported as those of one.
  void add_step(RunReport& step) {
    const std::vector<KernelReport> kernels = std::exchange(step.kernels, {});
    add_report(report_, step);
    for (const KernelReport& kernel : kernels) {
      const auto same = std::ranges::find_if(report_.kernels, [&](const KernelReport& before) {
        return before.name == kernel.name && before.source == kernel.source;
      });
      if (same == report_.kernels.end()) {
        report_.kernels.push_back(kernel);
        continue;
      }
      same->device_seconds += kernel.device_seconds;
      same->launches += kernel.launches;
      same->bytes_moved += kernel.bytes_moved;
    }
  }

  // A recursion may have no end.
  Status check_going_on() const {
    if (options_.progress && !options_.progress({row_count_, std::nullopt}))
      return {Code::cancelled, "the run was cancelled"};
    std::uint64_t row_bytes = 0;
    for (const Field& field : schema_) row_bytes += width_bytes(field.type);
    const std::uint64_t bytes = row_count_ * row_bytes, memory = machine_memory_bytes();
    if (memory == 0 || bytes <= memory / 2) return {};
    return {Code::no_memory, "a recursion has " + std::to_string(row_count_) + " rows after " +
                                 std::to_string(step_count_) +
                                 " steps, which take half of the memory: does it end?"};
  }

  const Schema& schema_;
  const RecursionParts& parts_;
  RunOptions options_;
  RunReport& report_;
  const Plan& step_;
  Replacements replacements_;
  std::vector<Table> parts_so_far_;
  std::uint64_t row_count_ = 0, step_count_ = 0;
};

}  // namespace

Result<Plan> with_recursions_run(const Plan& plan, const std::vector<StepId>& results,
                                 const RunOptions& options, RunReport& report) {
  Plan replaced = plan;
  const std::vector<bool> is_read = steps_read(plan, results);
  for (StepId id = 0; id < plan.size(); id++) {
    const Recursion* const recursion = recursion_of(plan.step(id));
    if (recursion == nullptr || !is_read[id]) continue;
    PENSTOCK_ASSIGN(Table rows, RecursionRun(*recursion, options, report).rows());
    replaced.replace_source(id, table_source(std::move(rows), recursion->describe()));
  }
  return replaced;
}

}  // namespace penstock::plan
