// What each driver gives to list_devices and open_device.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// Lines about what is missing go to notes. Both may be called from any thread, any number of times.
std::vector<Traits> list_cuda_devices(std::vector<std::string>& notes);
std::vector<Traits> list_opencl_devices(std::vector<std::string>& notes);
// `index` is the number in the id, from the driver's own list.
Result<std::shared_ptr<Device>> open_cuda_device(unsigned index);
Result<std::shared_ptr<Device>> open_opencl_device(unsigned index);
// In the context of a cl_command_queue.
Result<std::shared_ptr<Device>> open_opencl_device_of_queue(std::uint64_t handle);

}  // namespace penstock::device
