// The rows of a share of the plan's result. They stay in device memory until all shares have
// theirs, so that each share knows the place of its rows in one table on the host.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/physical/scan_operator.hpp"

namespace penstock::plan {

class JointRowsOperator final : public Operator {
 public:
  JointRowsOperator(RunState& run, std::shared_ptr<ScanOperator> scan)
      : Operator(run), scan_(std::move(scan)) {}
  std::string name() const override { return "rows of all devices"; }
  std::vector<OperatorInput> inputs() const override { return {{"", scan_.get()}}; }
  Status compile() override { return scan_->compile(); }
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  std::shared_ptr<ScanOperator> scan_;
};

// Downloads the rows of this share to their place among the rows of all. Returns nothing where each
// share downloads a table of its own.
Result<std::optional<Table>> download_joint(RunState& run, JointRows& all, const Step& step,
                                            const std::optional<DeviceRows>& rows,
                                            const Columns& columns);

}  // namespace penstock::plan
