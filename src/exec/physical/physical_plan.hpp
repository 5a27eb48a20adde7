// The physical plan of a run: a tree of operators for each result. It is made from the steps, the
// sources, the traits of the device (or of the GPU that is expected while the device opens), and
// from what the run has found out about joins.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "exec/physical/scan_operator.hpp"

namespace penstock::plan {

class Planner {
 public:
  // `asks_sources`: whether their records answer aggregates.
  explicit Planner(RunState& run, bool asks_sources = true)
      : run_(run), asks_sources_(asks_sources) {}

  // Returns an operator for each result, which yields at least `row_limit` rows if there are as
  // many. A scan of the same shape as one of the last plan is that scan:
  // it keeps what it has begun.
  Result<std::vector<OperatorPointer>> plan(std::span<const StepId> results,
                                            std::uint64_t row_limit = ~std::uint64_t{0});
  // The join makes pairs from the next plan on, instead of lookups.
  void note_repeated_keys(StepId join) { repeated_[join] = builds_.at(join); }
  // Returns whether the plan holds on the device that has been opened.
  bool holds_on(const Traits& traits) const;
  // Returns whether the host alone yields a result: it is known, or the records of its source
  // answer it.
  Result<bool> needs_no_device(StepId result);

 private:
  Result<OperatorPointer> rows(StepId id, std::uint64_t row_limit, const Columns& wanted = {});
  Result<OperatorPointer> compute(StepId id, std::uint64_t row_limit, const Columns& wanted);
  Result<OperatorPointer> scan_for_host(StepId id, std::uint64_t row_limit, const Columns& wanted);
  Result<OperatorPointer> sort(StepId order, std::uint64_t row_limit);
  bool sorts_there(StepId order) const;
  Result<OperatorPointer> rows_to_sort(StepId order, std::uint64_t row_limit);
  Result<OperatorPointer> append(const Step& step, StepId id, std::uint64_t row_limit,
                                 const Columns& wanted);
  Result<const std::optional<Table>*> answer_of_source(StepId id);
  Columns columns_asked_for(StepId id, const Columns& wanted) const;

  // physical_scans.cpp
  Result<std::shared_ptr<ScanOperator>> scan_of(StepId id, const Columns& wanted,
                                                std::uint64_t row_limit = ~std::uint64_t{0},
                                                const std::optional<TopK>& top_k = {});
  Result<std::shared_ptr<ScanOperator>> scan_of_shape(const ScanOperator::Shape& shape);
  Result<ScanOperator::Inputs> inputs_of(const ScanOperator& scan);
  Result<std::shared_ptr<BuildOperator>> build_of(const std::vector<TileProgram>& programs,
                                                  std::size_t lookup);
  Result<OperatorPointer> side_of_join(StepId id, const Columns& columns,
                                       std::shared_ptr<ScanOperator>& scan);
  Result<OperatorPointer> join_of(const ScanOperator& scan);
  Result<OperatorPointer> left_for_pairs(StepId join, std::vector<TileProgram> programs);
  bool may_rank_strings(StepId base, StepId last) const;
  StepId nearer_base(const ScanOperator::Shape& shape) const;
  StepId base_of(StepId last) const;
  bool makes_pairs_of(StepId left) const;
  void ask_for_resident(StepId base, std::vector<TileProgram> programs);
  void ask_for_inputs_of(StepId id);
  bool has_few_rows(StepId join) const;
  bool is_joined(StepId id) const;
  bool is_shared_there(StepId id) const;
  bool is_wanted_on_device(StepId id) const;
  bool may_stay(StepId id);
  bool may_be_left(StepId id);
  bool takes_window(StepId id);
  bool keeps_rows(const std::optional<Traits>& traits) const;

  RunState& run_;
  const bool asks_sources_;
  std::vector<std::shared_ptr<ScanOperator>> scans_, scans_before_;  // of this plan and the last
  std::map<StepId, OperatorPointer> shared_;                         // steps of several consumers
  std::map<StepId, std::optional<Table>> answers_;           // of steps, by their sources' records
  std::map<StepId, std::shared_ptr<BuildOperator>> builds_;  // by join
  std::map<StepId, std::shared_ptr<BuildOperator>> repeated_;  // by join: its keys repeat
  std::set<StepId> read_there_;  // steps whose rows a kernel reads in device memory
  std::set<StepId> kept_there_;  // results that the caller takes in device memory
  std::optional<Traits> planned_for_;
  bool asks_for_traits_ = false;  // rows might stay in device memory
};

// Prints a plan, each operator below those that read it.
std::string describe_operators(const Operator& root);

}  // namespace penstock::plan
