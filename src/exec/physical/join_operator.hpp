// A join with keys that repeat on the right. If both sides fit device memory, pairs are made there.
// If only the left side fits, they are made by partitions. Else the host joins, with a note.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/physical/build_operator.hpp"

namespace penstock::plan {

class JoinOperator final : public Operator {
 public:
  struct Inputs {
    OperatorPointer left;
    // The left side where its rows can be left in device memory, for pairs; null: the host joins.
    OperatorPointer left_there = {};
    Columns wanted = {};  // of the join; empty: all
  };
  JoinOperator(RunState& run, std::shared_ptr<BuildOperator> build, Inputs inputs)
      : Operator(run), build_(std::move(build)), inputs_(std::move(inputs)) {}
  std::string name() const override;
  std::vector<OperatorInput> inputs() const override;
  Status compile() override { return inputs_.left->compile(); }
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  StepId join() const { return build_->join(); }
  const Step& step() const { return run_.plan.step(join()); }
  const Step& left_step() const { return run_.plan.step(step().inputs[0]); }
  Result<std::shared_ptr<PairedRows>> make_pairs(std::optional<Table>& left_here);
  Result<std::shared_ptr<PairedRows>> pairs_of(PairedLeft left);

  std::shared_ptr<BuildOperator> build_;
  Inputs inputs_;
};

}  // namespace penstock::plan
