// Lists the GPUs that Metal has.
#include "device/driver.hpp"
#include "device/metal/metal_device.hpp"

namespace penstock::metal {
namespace {

Traits traits_of(id<MTLDevice> device, std::size_t number) {
  Traits traits;
  traits.id = "metal:" + std::to_string(number);
  traits.target = Target::metal;
  traits.name = text_of(device.name);
  traits.vendor = "Apple";
  traits.driver = text_of(NSProcessInfo.processInfo.operatingSystemVersionString);
  traits.architecture = traits.name;
  traits.compiler = "Metal of " + traits.driver;
  traits.compute_units = 16;  // Metal does not tell; a grid has several groups for each anyway
  traits.max_group_size = static_cast<std::uint32_t>(device.maxThreadsPerThreadgroup.width);
  traits.subgroup_size = 32;
  traits.has_subgroups = true;
  traits.global_bytes = device.recommendedMaxWorkingSetSize;
  traits.max_allocation_bytes = device.maxBufferLength;
  traits.local_bytes = device.maxThreadgroupMemoryLength;
  traits.unified_memory = device.hasUnifiedMemory != NO;
  traits.has_f64 = true;  // in software: kernel/metal_f64.prelude
  return traits;
}

struct FoundDevice {
  id<MTLDevice> device;
  Traits traits;
};
struct DeviceList {
  std::vector<FoundDevice> devices;
  std::vector<std::string> notes;
};

// Apple's own GPUs from the M1 on: SIMD-groups of 32 and shuffles in them. Other vendors' GPUs in
// Macs have SIMD-groups of other sizes.
bool is_usable(id<MTLDevice> device) { return [device supportsFamily:MTLGPUFamilyApple7] != NO; }

DeviceList find_devices() {
  DeviceList list;
  @autoreleasepool {
    for (id<MTLDevice> device in MTLCopyAllDevices()) {
      if (is_usable(device))
        list.devices.push_back({device, traits_of(device, list.devices.size())});
      else
        list.notes.push_back("Metal: " + text_of(device.name) +
                             " is not of the family Apple 7 or later");
    }
  }
  if (list.devices.empty()) list.notes.push_back("Metal: no usable device");
  return list;
}

// Listed once per process. Never destroyed: threads may outlive statics.
const DeviceList& all_devices() {
  static const DeviceList& list = *new DeviceList(find_devices());
  return list;
}

}  // namespace
}  // namespace penstock::metal

namespace penstock::device {

std::vector<Traits> list_metal_devices(std::vector<std::string>& notes) {
  const auto& list = metal::all_devices();
  notes.insert(notes.end(), list.notes.begin(), list.notes.end());
  std::vector<Traits> traits;
  for (const auto& found : list.devices) traits.push_back(found.traits);
  return traits;
}

Result<std::shared_ptr<Device>> open_metal_device(unsigned index) {
  const auto& list = metal::all_devices();
  if (index < list.devices.size())
    return metal::MetalDevice::open(list.devices[index].device, list.devices[index].traits);
  return Status(Code::no_device, "there is no device metal:" + std::to_string(index));
}

}  // namespace penstock::device
