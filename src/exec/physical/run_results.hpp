// An execution of a plan, and another one where that could not go on as it began.
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "exec/physical/execution.hpp"

namespace penstock::plan {

// What a run has already.
struct Given {
  std::shared_ptr<Device> device;     // null: opened as the options say
  std::map<StepId, Table> rows = {};  // of steps, which are not computed then
  // Of a share of an order: the other shares, and which of them it is. Null: rows are not
  // exchanged.
  std::shared_ptr<RowExchange> exchange = {};
  std::shared_ptr<GroupExchanges> groups = {};  // the same of a group-by
  std::shared_ptr<JointRows> rows_of_all = {};  // the same of rows in the order of the source
  std::shared_ptr<RightSideExchange> right_sides = {};  // of those that are read in shares
  std::size_t share = 0;
  // Of a group-by: those that are asked for, where the share gets all rows of its groups.
  std::optional<TopK> first_groups = {};
};

// Computes several results; steps that they share run once.
Result<std::vector<QueryResult>> run_results(const Plan& plan, const std::vector<StepId>& results,
                                             const RunOptions& options, const Given& given);
// Computes a step as the share of a larger plan; see Execution::run_share().
Result<Execution::Share> run_share(const Plan& plan, StepId step, std::uint64_t row_limit,
                                   const RunOptions& options, const Given& given);
bool can_run_again(const Plan& plan);

}  // namespace penstock::plan
