// Runs a plan: fuses its steps into kernels, compiles these for a device, and streams rows through.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/plan.hpp"
#include "penstock/report.hpp"
#include "penstock/run_options.hpp"

namespace penstock {

struct QueryResult {
  Table table;
  RunReport report;
};

Result<QueryResult> run(const Plan& plan, StepId result, const RunOptions& options = {});
// Computes several results of one plan; steps that they share run once (see above).
Result<std::vector<QueryResult>> run(const Plan& plan, const std::vector<StepId>& results,
                                     const RunOptions& options = {});

// Describes the graph before and after fusion, the bytes moved with and without it, and whether the
// cache would hit on `options.device`. Without a device the last part is left out.
Result<std::string> explain(const Plan& plan, StepId result, const RunOptions& options = {});
// Returns the complete source of the plan's kernels for a target, with a comment on each parameter:
// sizes, and what memory holds before. `variant` and `page_decoding` as in RunOptions. Needs no
// device.
Result<std::string> source(const Plan& plan, StepId result, Target target,
                           std::string_view variant = {},
                           PageDecoding page_decoding = PageDecoding::automatic);

// A plan compiled for a device, with its tables on the device: for programs that run it again and
// again, and for benches.
class Prepared {
 public:
  virtual ~Prepared() = default;
  // Runs once; results stay on the device. Returns the device's own seconds between first and last
  // kernel.
  virtual Result<double> run_seconds() = 0;
  virtual Result<QueryResult> fetch() = 0;  // the last run's result, downloaded
};
Result<std::unique_ptr<Prepared>> prepare(const Plan& plan, StepId result,
                                          const RunOptions& options = {});

}  // namespace penstock
