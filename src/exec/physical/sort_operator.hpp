// An ORDER BY: in device memory where the rows are there and fit, else through the device's order
// of keys, else on the host.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/physical/scan_operator.hpp"
#include "table/sort/device_row_merge.hpp"
#include "table/sort/device_row_sort.hpp"

namespace penstock::plan {

class SortOperator final : public Operator {
 public:
  struct Inputs {
    OperatorPointer rows;
    // The same operator if its rows can be left in device memory; else null.
    std::shared_ptr<ScanOperator> in_place = {};
    // The same operator if it keeps no more than the first rows.
    std::shared_ptr<ScanOperator> first = {};
  };
  SortOperator(RunState& run, StepId order, std::uint64_t row_limit, Inputs inputs)
      : Operator(run), order_(order), row_limit_(row_limit), inputs_(std::move(inputs)) {}
  std::string name() const override;
  std::vector<OperatorInput> inputs() const override { return {{"", inputs_.rows.get()}}; }
  Status compile() override { return inputs_.rows->compile(); }
  Result<Rows> run(const RowsWanted& wanted) override;

 private:
  const Step& step() const { return run_.plan.step(order_); }
  const std::vector<SortKey>& keys() const { return step().sort_keys; }
  bool is_shared() const;  // with other devices
  bool fits_memory_of_device(std::uint64_t row_count) const;
  bool is_for_device(std::uint64_t row_count) const;
  DeviceRowSort& row_sort();
  DeviceRowMerge& row_merge();

  Result<Rows> sort_on_host(const Table& input);
  Result<Rows> sort_in_place(DeviceTable rows);
  Result<std::optional<DeviceRows>> sorted(const DeviceRows& rows, std::uint64_t row_limit);
  Result<std::optional<Table>> sort_by_ranges(const DeviceRows& rows, const Columns& columns);

  // sort_exchange.cpp
  Result<std::optional<Table>> exchange_ranges(DeviceRows& rows, const Columns& columns);
  Status exchange_runs(DeviceRows& rows, std::optional<DeviceRows>& sorted);
  Result<std::optional<DeviceRows>> merged(const RowExchange::Range& range);

  StepId order_;
  std::uint64_t row_limit_;
  Inputs inputs_;
  std::shared_ptr<DeviceRowSort> row_sort_;    // null until rows may be sorted in place
  std::shared_ptr<DeviceRowMerge> row_merge_;  // the same, of rows of several devices
};

}  // namespace penstock::plan
