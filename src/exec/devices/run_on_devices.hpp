// run() on several devices: each computes a share of the rows below every cut of the plan, and
// their results are merged (cuts.hpp, merge_shares.hpp). The first device finishes the plan.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/run.hpp"
#include "penstock/session_device.hpp"

namespace penstock::plan {

// A device of the list, or the reason why it is not open.
struct ListedDevice {
  std::string id;
  Result<std::shared_ptr<Device>> device;
  std::shared_ptr<SessionDevice> session = {};  // null if nothing is kept for other runs
};

// RunOptions::device is a list of devices (device/device_list.hpp).
Result<std::vector<QueryResult>> run_on_devices(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options);
Result<std::vector<QueryResult>> run_on_devices(const Plan& plan,
                                                const std::vector<StepId>& results,
                                                const RunOptions& options,
                                                std::vector<ListedDevice> devices);
// On the devices of a session, one for each share.
Result<std::vector<QueryResult>> run_on_devices(
    const Plan& plan, const std::vector<StepId>& results, const RunOptions& options,
    const std::vector<std::shared_ptr<SessionDevice>>& sessions);

}  // namespace penstock::plan
