// The functions of each driver that list_devices and open_device call.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::device {

// Appends lines about missing parts to `notes`. Thread-safe, any number of times.
std::vector<Traits> list_cuda_devices(std::vector<std::string>& notes);
std::vector<Traits> list_cpu_devices(std::vector<std::string>& notes);
std::vector<Traits> list_opencl_devices(std::vector<std::string>& notes);
std::vector<Traits> list_sycl_devices(std::vector<std::string>& notes);
std::vector<Traits> list_metal_devices(std::vector<std::string>& notes);  // on Apple's systems
// `index` is the number in the id, from the driver's own list.
Result<std::shared_ptr<Device>> open_cuda_device(unsigned index);
Result<std::shared_ptr<Device>> open_cpu_device(unsigned index);
Result<std::shared_ptr<Device>> open_opencl_device(unsigned index);
Result<std::shared_ptr<Device>> open_sycl_device(unsigned index);
Result<std::shared_ptr<Device>> open_metal_device(unsigned index);
// Opens in the context of a cl_command_queue; Code::invalid for 0.
Result<std::shared_ptr<Device>> open_opencl_device_of_queue(std::uint64_t handle);
// Opens in the context of a sycl::queue, by its address; Code::invalid for 0.
Result<std::shared_ptr<Device>> open_sycl_device_of_queue(std::uint64_t handle);
// Guesses, without starting a driver, whether OpenCL has more than PoCL's CPU: by the files that
// drivers install for its loader.
bool may_have_opencl_gpus();
// Guesses, without starting a driver, whether CUDA has the device that is selected as open_device()
// takes it. Starting CUDA takes 0.2 s; meanwhile a caller may prepare for a GPU.
bool expects_cuda(std::string_view selector);
// Returns the GPU that CUDA will have, before CUDA has started. It does nothing but compile:
// build() returns at once, and the device that opens meanwhile finds what was compiled. An error
// where no GPU can be foretold.
Result<std::shared_ptr<Device>> expected_cuda_device();
// Returns a device that compiles for an architecture of CUDA, 90 for sm_90, and keeps what it
// compiles as ahead_of_time.hpp says. It needs NVRTC, but neither a GPU nor the driver.
Result<std::shared_ptr<Device>> cuda_compiler_for(int architecture);
// Lets CUDA start no GPUs but these, which keep their numbers in ids. Before any driver starts and
// while the process has one thread: it sets CUDA_VISIBLE_DEVICES, which must not be set.
void show_only_cuda(std::span<const unsigned> numbers);
// Returns the devices of one driver, by its name, and starts no other.
Result<std::vector<Traits>> list_devices_of(std::string_view driver,
                                            std::vector<std::string>& notes);

}  // namespace penstock::device
