// A device that says of itself that it is a GPU, so that a CPU runs what GPUs run: groups of many
// threads, tables of limbs, and their next attempts.
#pragma once
#include <algorithm>

#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {

class AsGpu final : public ForwardingDevice {
 public:
  explicit AsGpu(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.is_cpu = traits_.unified_memory = false;
  }
  // So few groups that each meets many keys, whatever the device.
  void have_few_units() { traits_.compute_units = std::min(traits_.compute_units, 2u); }
  void lack_atomics_of_64_bits() { traits_.has_atomic_u64 = false; }
};

}  // namespace penstock::test
