// Validation: checks the results that a device yields of a plan against the host reference.
//
// The reference runs the chain's steps one after another in the interpreter, over the rows that the
// device read. A step alone may fault in a value that no later step uses. The reference then
// evaluates the fused expressions instead, which treat faults as kernels do. When something
// differs, each step is run on the device alone over the reference's rows, to find the step that is
// wrong.
#pragma once
#include <functional>

#include "penstock/plan.hpp"

namespace penstock::plan {

struct ChainToCheck {
  const Plan& plan;
  StepId base, last;
  const TableSource& source;                    // of the base's rows, scanned again
  std::vector<std::uint32_t> columns;           // of the base: read by the chain
  std::uint64_t row_limit = ~std::uint64_t{0};  // the device may have stopped after so many rows
  std::string device_id;
  // Runs `last` over the rows of `base` on the device.
  std::function<Result<Table>(const Plan& plan, StepId base, StepId last, const TableSource& rows)>
      run;
};

// Returns ok if the device's rows, or its fault, are the reference's. Otherwise Code::internal with
// the step, the row, the column, both values and the row's inputs.
Status check_chain(const ChainToCheck& chain, const Result<Table>& device);
// Checks the first rows of a chain in an order, if no other rows of it are kept.
Status check_first_rows(const ChainToCheck& chain, const std::vector<SortKey>& keys,
                        const Table& ordered);
Status check_window(const Table& input, const Step& step, const Table& found,
                    const std::string& device_id);
Status check_order(const Table& input, const std::vector<SortKey>& keys, const Table& ordered,
                   const std::string& device_id);

}  // namespace penstock::plan
