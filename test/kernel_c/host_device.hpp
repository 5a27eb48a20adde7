// A device with HostPrograms: whatever runs on devices runs here under sanitizers, its barriers and
// races checked. Slow (one process per launch), in order, and every call is done when it returns.
#pragma once
#include "kernel_c/host_program.hpp"

namespace penstock::kernel {

struct HostDeviceOptions {
  bool is_cpu = false;  // variants and policies are chosen by it
  std::uint32_t max_group_size = 32;
  ThreadOrder order = ThreadOrder::forward;
  std::uint32_t subgroup_size = 0;  // 0: none
  Target target = Target::host;     // or Target::metal: its texts, on the same executor
};
// PENSTOCK_HOST_TARGET=metal in the environment: Target::metal, whatever the options say.
std::shared_ptr<Device> make_host_device(HostDeviceOptions options);

}  // namespace penstock::kernel
