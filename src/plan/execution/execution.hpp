// run(): walks a plan from the wanted steps up, one tile program a fused chain, each shared step
// once.
#pragma once
#include <map>
#include <set>

#include "plan/execution/device_opener.hpp"
#include "plan/execution/run_tiles.hpp"
#include "plan/fusion/columns_read.hpp"
#include "plan/validate/validate.hpp"

namespace penstock::plan {

// The kernels that yield a step from the rows of `base`.
struct Chain {
  StepId base = no_step, last = no_step;
  Columns wanted;  // of its rows; none: all
  std::optional<TopK> top_k;
  std::vector<TileProgram> programs;
  std::vector<std::unique_ptr<TileKernel>> kernels;  // begun, until they run
  std::shared_ptr<TableSource> source;               // what it read, where that is validated
};

class Execution {
 public:
  // All of these outlive it.
  Execution(const Plan& plan, const std::vector<StepId>& results, const RunOptions& options);
  // One of the results.
  Result<Outcome> run(StepId result);

 private:
  // The rows of a step as a table on the host; at least `row_limit` of them if there are as many.
  // Columns that are not wanted may be without values; none is wanted: all are.
  Result<Table> materialise(StepId id, std::uint64_t row_limit, const Columns& wanted = {});
  Columns columns_asked_for(StepId id, const Columns& wanted) const;
  Result<Table> compute(StepId id, std::uint64_t row_limit, const Columns& wanted);
  bool needs_no_scan(StepId id) const;
  Table counted_rows(const Step& step);
  Result<Table> ordered_rows(StepId id, std::uint64_t row_limit);
  Result<Table> windowed_rows(const Step& step);
  Result<Table> rows_to_order(StepId order, std::uint64_t row_limit);
  Result<Table> run_chain(Chain& chain, std::uint64_t row_limit);
  Result<Table> run_slices(Chain& chain, const TableSource& source, std::uint64_t row_limit,
                           BegunScan begun);
  Result<std::shared_ptr<TableSource>> rows_of(StepId base,
                                               const std::vector<TileProgram>& programs);
  Result<BegunScan> begin_scan(const TileProgram& program, const TableSource& source,
                               std::uint64_t row_limit) const;
  Status wait_for_device();

  // execution_chains.cpp
  Result<Chain*> chain_of(StepId id, const Columns& wanted, StepId order = no_step,
                          const std::optional<TopK>& top_k = {});
  Status fuse_from(Chain& chain, StepId base);
  Status begin_kernels(Chain& chain);
  Status begin_chains(StepId id, std::uint64_t row_limit = ~std::uint64_t{0},
                      const Columns& wanted = {});
  Status begin_chain(Chain& chain);
  Result<StepId> build_sides(const Chain& chain);
  Status build_side(StepId join, const Columns& columns);
  bool is_multiple(StepId join) const;
  Result<Table> join_rows(StepId id, Columns wanted);

  // execution_checks.cpp
  Status join_for_reference(Chain& chain);
  ChainToCheck to_check(const Chain& chain, std::uint64_t row_limit);
  Status validate_order(StepId id, const Table& input, std::uint64_t row_limit,
                        const Table& ordered);
  Status validate_window_order(const Table& input, const Window& window);

  const Plan& plan_;
  const std::vector<StepId>& results_;
  const RunOptions& options_;
  std::vector<std::uint32_t> consumers_;
  std::shared_ptr<Recording> recording_;  // where a profile is asked for
  RunDevice device_;
  std::map<std::pair<StepId, StepId>, Chain>
      chains_;              // by step, and by the order that takes its first rows
  std::set<StepId> begun_;  // steps whose chains are compiled or being compiled
  StringPool strings_;
  std::map<StepId, Table> done_;
  BuildSides sides_;  // the right sides of joins
  std::map<StepId, std::shared_ptr<TableSource>>
      held_;  // the rows of sources that cannot be scanned again
  RunReport report_;
};

}  // namespace penstock::plan
