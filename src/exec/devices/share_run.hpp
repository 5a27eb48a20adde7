// One cut of a plan on several devices: who computes which rows, and who takes over where one
// fails.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exec/devices/cuts.hpp"
#include "exec/devices/merge_shares.hpp"
#include "exec/physical/run_results.hpp"

namespace penstock::plan {

// A device that takes part, in the order of the list.
struct Worker {
  std::string id;
  std::shared_ptr<Device> device;
  std::shared_ptr<SessionDevice> session = {};  // null where nothing is kept for other runs
  double weight = 1;
  Status failed = {};  // it takes no more shares
};

// Returns whether an error is of the device, so that another one may succeed. The host's memory is
// the same for all.
bool is_of_device(const Status& status);
// Clears what a worker's session keeps where memory was short, so that its device can try again
// before it counts as failed. Returns false where there was nothing.
bool clear_cache_after(const Worker& worker, const Status& failed);

// Runs a share of a plan: the steps below a cut, over some rows of its base. This and
// merge_shares() are all that a run on several devices, or by several processes, is made of.
Result<ShareResult> run_share_of_rows(Plan plan, const Cut& cut, RowRange rows,
                                      const RunOptions& options, const RunInputs& inputs);

struct FinishedShare {
  RowRange rows;
  ShareResult share;
};

// Computes the shares of a cut, a thread for each worker. `known`: rows of cuts before it. Returns
// them in the order of their rows. A worker that fails gets its status; the others take over its
// rows where the options allow it.
Result<std::vector<FinishedShare>> run_shares(const Plan& plan, const Cut& cut,
                                              const RunOptions& options,
                                              std::vector<Worker>& workers,
                                              const std::map<StepId, Table>& known);

}  // namespace penstock::plan
