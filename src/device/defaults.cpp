// Default implementations for drivers that do not override them. They are separate from the
// drivers, so that a test's device needs no driver.
#include "penstock/device.hpp"

namespace penstock {

Result<std::unique_ptr<StallSampler>> Device::sample_stalls() {
  return Status(Code::unsupported, "stall reasons are sampled on NVIDIA GPUs through CUDA; " +
                                       traits_.id + " is not one");
}

Result<std::shared_ptr<HostBuffer>> Device::pin_host(std::shared_ptr<std::byte>, std::uint64_t) {
  return Status(Code::unsupported, traits_.id + " does not pin memory of others");
}

Result<std::shared_ptr<Buffer>> Device::import_memory(std::uint64_t, std::uint64_t) {
  return Status(Code::unsupported, traits_.id + " does not import memory");
}

Result<std::unique_ptr<Queue>> Device::import_queue(std::uint64_t) {
  return Status(Code::unsupported, traits_.id + " does not import queues");
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
                    "' needs all its groups at once, which this device does not guarantee");
}

}  // namespace penstock
