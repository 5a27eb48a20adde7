// Lists the devices of the SYCL plug-in.
#include <algorithm>

#include "base/machine_memory.hpp"
#include "device/driver.hpp"
#include "device/sycl/sycl_device.hpp"

namespace penstock::sycl_plugin {
namespace {

// Runtimes report numbers near 2^64 for CPUs, as their local memory is ordinary cached memory.
void bound_by_host(Traits& traits) {
  constexpr std::uint64_t cpu_local_bytes = 1 << 20;
  traits.local_bytes = std::min(traits.local_bytes, cpu_local_bytes);
  const std::uint64_t host_bytes = machine_memory_bytes();
  if (host_bytes == 0) return;  // not known
  traits.global_bytes = std::min(traits.global_bytes, host_bytes);
  traits.max_allocation_bytes = std::min(traits.max_allocation_bytes, host_bytes);
}

Traits traits_of(const penstock_sycl_device_info& info, const Api& api, std::uint32_t index) {
  Traits traits;
  traits.id = "sycl:" + std::to_string(index);
  traits.target = Target::sycl;
  traits.name = info.name, traits.vendor = info.vendor;
  traits.driver = std::string(info.backend) + " " + info.driver;
  const std::string version = info.version;
  traits.architecture =
      (version.starts_with("sm_") ? version + ", " : "") + traits.name + ", " + info.backend;
  traits.compiler = api.compiler_version;
  traits.compute_units = std::max(info.compute_units, 1u);
  traits.max_group_size = info.max_group_size;
  traits.subgroup_size = info.subgroup_size;
  // A warp's ballot is one word (sycl.prelude).
  traits.has_subgroups = info.subgroup_size > 1 && info.subgroup_size <= 32;
  traits.global_bytes = info.global_bytes;
  traits.max_allocation_bytes = info.max_allocation_bytes;
  traits.local_bytes = info.local_bytes;
  traits.is_cpu = info.is_cpu != 0;
  traits.unified_memory = traits.is_cpu && info.uses_system_memory != 0;
  traits.has_f64 = info.has_f64 != 0;
  traits.has_atomic_u64 = info.has_atomic_u64 != 0;
  traits.forward_progress = false;  // SYCL 2020 guarantees none between groups
  if (traits.is_cpu) bound_by_host(traits);
  return traits;
}

struct DeviceList {
  std::vector<Traits> devices;
  std::vector<std::string> notes;
};

DeviceList find_devices() {
  DeviceList list;
  if (!api().ok()) return list.notes.push_back(api().status().message()), list;
  const Api& functions = **api();
  std::uint32_t count = 0;
  if (const Status counted = call("device_count", functions.device_count, &count); !counted.ok())
    list.notes.push_back(counted.message());
  for (std::uint32_t index = 0; index < count; index++) {
    penstock_sycl_device_info info{};
    const Status told = call("device_info", functions.device_info, index, &info);
    if (told.ok())
      list.devices.push_back(traits_of(info, functions, index));
    else
      list.notes.push_back(told.message());
  }
  if (list.devices.empty()) list.notes.push_back("SYCL: the plug-in finds no device");
  return list;
}

}  // namespace

// Listed once per process, as runtimes do.
std::vector<Traits> all_traits(std::vector<std::string>& notes) {
  static const DeviceList& list = *new DeviceList(find_devices());  // kept: see api()
  notes.insert(notes.end(), list.notes.begin(), list.notes.end());
  return list.devices;
}

}  // namespace penstock::sycl_plugin

namespace penstock::device {

std::vector<Traits> list_sycl_devices(std::vector<std::string>& notes) {
  return sycl_plugin::all_traits(notes);
}

Result<std::shared_ptr<Device>> open_sycl_device(unsigned index) {
  std::vector<std::string> notes;
  for (Traits& traits : sycl_plugin::all_traits(notes))
    if (traits.id == "sycl:" + std::to_string(index))
      return sycl_plugin::SyclDevice::open(std::move(traits), index);
  return Status(Code::no_device, "there is no device sycl:" + std::to_string(index));
}

Result<std::shared_ptr<Device>> open_sycl_device_of_queue(std::uint64_t handle) {
  return sycl_plugin::SyclDevice::open_of_queue(handle);
}

}  // namespace penstock::device
