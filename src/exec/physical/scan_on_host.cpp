// Scans of few rows that another step has computed. The host computes them in less time than a
// kernel takes to begin, and on a GPU a kernel compiles for a second.
#include <utility>

#include "exec/aggregate/host_steps.hpp"
#include "exec/physical/scan_operator.hpp"

namespace penstock::plan {

// The host's steps yield all rows and groups. Validation and named variants are about kernels.
bool ScanOperator::may_run_on_host() const {
  return inputs_.base && !inputs_.base_makes_pairs && inputs_.builds.empty() &&
         shape_.base != shape_.last && !is_validated() && run_.options.variant.empty() &&
         run_.options.intermediate_rows != IntermediateRows::device && !run_.recording &&
         !run_.leaves_partials(shape_.last);
}

Result<Rows> ScanOperator::run_on_host(Table rows) {
  run_.report.rows_read += rows.row_count;
  for (const StepId step : chain(run_.plan, shape_.base, shape_.last)) {
    PENSTOCK_ASSIGN(rows, apply_on_host(run_.plan, step, rows));
  }
  return Rows(std::move(rows));
}

}  // namespace penstock::plan
