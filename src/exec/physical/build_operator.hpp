// The right side of a join: its rows and their table, in device memory where they fit, else on the
// host by buckets of their keys, else on the host with a note.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/physical/operator.hpp"

namespace penstock::plan {

class ScanOperator;

class BuildOperator final {
 public:
  // `columns`: of the right side, those that are looked up. `gathered`: of these, those that the
  // host gathers.
  BuildOperator(RunState& run, StepId join, Columns columns, Columns gathered)
      : run_(run), join_(join), columns_(std::move(columns)), gathered_(std::move(gathered)) {}
  // `scan`: the input, if it is one whose rows may stay in device memory; else null.
  void set_input(OperatorPointer input, std::shared_ptr<ScanOperator> scan);
  StepId join() const { return join_; }
  const Columns& columns() const { return columns_; }
  const Columns& gathered() const { return gathered_; }
  const Operator& input() const { return *input_; }
  std::string role() const;  // as --explain prints it
  bool is_done() const;
  bool stays() const { return input_->stays(); }

  Status compile();
  Status read_ahead();
  // Computes RunState::sides of the join, if it is not there.
  Status run();

 private:
  const Step& step() const { return run_.plan.step(join_); }
  const Step& right() const { return run_.plan.step(step().inputs[1]); }
  bool is_shared_out() const;  // between devices

  Status take(BuildSide& side);
  Result<Rows> rows_of_all(const RowsWanted& wanted);
  Status keep_on_device(DeviceTable rows, std::uint64_t limit_bytes, BuildSide& side);

  RunState& run_;
  StepId join_;
  Columns columns_, gathered_;
  OperatorPointer input_;
  std::shared_ptr<ScanOperator> scan_;
};

// ---- right sides on the host, for operators that read them there ----

// Validation joins on the host.
bool may_make_pairs(const RunState& run, StepId join);
Status hash_right_side(RunState& run, StepId join, BuildSide& side);
// Bring a right side to the host that has stayed on the device, or is there by buckets, with a
// note.
Status move_right_side(RunState& run, StepId join, std::string_view why);
Status move_buckets(RunState& run, StepId join, std::string_view why);
std::string too_many_of_one_key(const RunState& run);

// build_buckets.cpp
Status keep_buckets(RunState& run, StepId join, BucketedTable rows, BuildSide& side);
Status leave_by_buckets(RunState& run, StepId join, const Columns& columns, DeviceSide there,
                        BuildSide& side);
void note_partitions(RunState& run, const JoinPartitions& partitions);

}  // namespace penstock::plan
