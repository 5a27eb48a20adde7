// What a device answers where its driver has nothing of its own: apart from the drivers, so that a
// device of a test needs none of them.
#include "penstock/device.hpp"

namespace penstock {

Result<std::unique_ptr<StallSampler>> Device::sample_stalls() {
  return Status(Code::unsupported, "stall reasons are sampled on NVIDIA GPUs through CUDA; " +
                                       traits_.id + " is none");
}

Result<std::shared_ptr<Buffer>> Device::import_memory(std::uint64_t, std::uint64_t) {
  return Status(Code::unsupported, traits_.id + " takes no memory of others' making");
}

Result<std::unique_ptr<Queue>> Device::import_queue(std::uint64_t) {
  return Status(Code::unsupported, traits_.id + " takes no queues of others' making");
}

Result<std::uint64_t> Device::context_handle() const {
  return Status(Code::unsupported, traits_.id + " has no context of a driver");
}

Result<KernelResources> Device::resources(const Program& program, std::string_view) {
  KernelResources resources;
  resources.group_size = program.group_size();
  return resources;
}

Status Queue::launch_resident(const Program&, std::string_view kernel, std::uint32_t,
                              std::span<const Argument>) {
  return Status(Code::unsupported,
                "kernel '" + std::string(kernel) +
                    "' wants all its groups at once, which this device does not promise");
}

}  // namespace penstock
