// Operators that yield rows on the host: limits, steps that the interpreter computes, windows,
// columns of a source, and rows that are known already.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exec/physical/operator.hpp"

namespace penstock::plan {

// The rows of a step that are given, or that another operator has computed for several consumers.
class KnownRowsOperator final : public Operator {
 public:
  KnownRowsOperator(RunState& run, StepId step) : Operator(run), step_(step) {}
  std::string name() const override { return "rows that are known"; }
  Status compile() override { return {}; }
  Result<Rows> run(const RowsWanted&) override { return Rows(run_.known.at(step_)); }

 private:
  StepId step_;
};

// A step with several consumers. Its rows are computed once. They stay in device memory to the end
// of the run if the first consumer reads them there.
class SharedOperator final : public Operator {
 public:
  SharedOperator(RunState& run, StepId step, OperatorPointer input)
      : Operator(run), step_(step), input_(std::move(input)) {}
  std::string name() const override { return "shared"; }
  std::vector<OperatorInput> inputs() const override { return {{"", input_.get()}}; }
  bool stays() const override { return input_->stays(); }
  Status compile() override { return is_known() ? Status() : input_->compile(); }
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  bool is_known() const { return run_.known.contains(step_) || run_.known_there.contains(step_); }
  Status run_input(const RowsWanted& wanted);

  StepId step_;
  OperatorPointer input_;
};

// An aggregate that the records of a source answer.
class AnswerOperator final : public Operator {
 public:
  AnswerOperator(RunState& run, StepId step, Table answer)
      : Operator(run), step_(step), answer_(std::move(answer)) {}
  std::string name() const override;
  Status compile() override { return {}; }
  Result<Rows> run(const RowsWanted& wanted) override;
  StepId step() const { return step_; }
  const Table& answer() const { return answer_; }

 private:
  StepId step_;
  Table answer_;
};

// Columns of a source that no kernel reads.
class SourceOperator final : public Operator {
 public:
  SourceOperator(RunState& run, StepId source, Columns wanted)
      : Operator(run), source_(source), wanted_(std::move(wanted)) {}
  std::string name() const override;
  Status compile() override { return {}; }
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  StepId source_;
  Columns wanted_;
};

// The rows of several operators, one after another.
class AppendOperator final : public Operator {
 public:
  // `wanted`: the columns that have values; empty: all.
  AppendOperator(RunState& run, StepId step, std::vector<OperatorPointer> inputs, Columns wanted)
      : Operator(run), step_(step), inputs_(std::move(inputs)), wanted_(std::move(wanted)) {}
  std::string name() const override { return "append"; }
  std::vector<OperatorInput> inputs() const override;
  bool stays() const override;
  Status compile() override;
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  const Step& step() const { return run_.plan.step(step_); }
  Result<Rows> run_there(const RowsWanted& wanted);
  Result<std::shared_ptr<TableSource>> source_of(Rows rows, StepId input) const;
  Result<Rows> run_as_source();

  StepId step_;
  std::vector<OperatorPointer> inputs_;
  Columns wanted_;
};

// A step of one input that the host computes.
class HostOperator : public Operator {
 public:
  HostOperator(RunState& run, StepId step, OperatorPointer input)
      : Operator(run), step_(step), input_(std::move(input)) {}
  std::vector<OperatorInput> inputs() const override { return {{"", input_.get()}}; }
  Status compile() override { return input_->compile(); }

 protected:
  const Step& step() const { return run_.plan.step(step_); }
  const StepId step_;
  const OperatorPointer input_;
};

class LimitOperator final : public HostOperator {
 public:
  using HostOperator::HostOperator;
  std::string name() const override;
  Result<Rows> run(const RowsWanted& wanted) override;
};

// The interpreter computes filters, maps and aggregates.
class InterpreterOperator final : public HostOperator {
 public:
  using HostOperator::HostOperator;
  std::string name() const override;
  Result<Rows> run(const RowsWanted& wanted) override;
};

// Some columns of groups, which stay where they are.
class ColumnsOperator final : public HostOperator {
 public:
  using HostOperator::HostOperator;
  std::string name() const override { return "columns of groups"; }
  bool stays() const override { return input_->stays(); }
  Result<Rows> run(const RowsWanted& wanted) override;
};

// Functions over partitions in an order. Its rows are sorted on the device where they are many.
// Rows in device memory stay there if kernels compute all calls, and read the rows.
class WindowOperator final : public HostOperator {
 public:
  // `takes_there`: whether kernels compute all calls.
  WindowOperator(RunState& run, StepId step, OperatorPointer input, bool takes_there)
      : HostOperator(run, step, std::move(input)), takes_there_(takes_there) {}
  std::string name() const override { return "window"; }
  bool stays() const override { return takes_there_ && input_->stays(); }
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  Result<Rows> run_there(const RowsWanted& wanted);
  Result<Rows> run_here(const Table& input);
  Status check_order_of(const Table& input);

  bool takes_there_;
};

// Rows repeated for the elements of their lists.
class UnnestOperator final : public HostOperator {
 public:
  using HostOperator::HostOperator;
  std::string name() const override { return "unnest"; }
  Result<Rows> run(const RowsWanted& wanted) override;
};

}  // namespace penstock::plan
