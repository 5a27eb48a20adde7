// Devices of tests that pass everything on to another, but for what a test changes.
#pragma once
#include "penstock/device.hpp"

namespace penstock::test {

class ForwardingDevice : public Device {
 public:
  explicit ForwardingDevice(std::shared_ptr<Device> device) : device_(std::move(device)) {
    traits_ = device_->traits();
  }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return device_->allocate(bytes);
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override {
    return device_->allocate_host(bytes);
  }
  Result<std::shared_ptr<HostBuffer>> pin_host(std::shared_ptr<std::byte> memory,
                                               std::uint64_t bytes) override {
    return device_->pin_host(std::move(memory), bytes);
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override {
    return device_->wrap_host(data, bytes);
  }
  Result<std::unique_ptr<Queue>> queue() override { return device_->queue(); }
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle,
                                                std::uint64_t bytes) override {
    return device_->import_memory(handle, bytes);
  }
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override {
    return device_->import_queue(handle);
  }
  Result<std::uint64_t> context_handle() const override { return device_->context_handle(); }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    return device_->build(source);
  }
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override {
    return device_->resident_groups(program, kernel);
  }
  Result<KernelResources> resources(const Program& program, std::string_view kernel) override {
    return device_->resources(program, kernel);
  }
  Result<std::unique_ptr<StallSampler>> sample_stalls() override {
    return device_->sample_stalls();
  }

 private:
  std::shared_ptr<Device> device_;
};

// A device that shares no memory with the host, as a GPU: what it computes on comes through
// uploads.
class OwnMemoryDevice final : public ForwardingDevice {
 public:
  explicit OwnMemoryDevice(std::shared_ptr<Device> device) : ForwardingDevice(std::move(device)) {
    traits_.unified_memory = false;
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return Status(Code::unsupported, "memory of its own");
  }
};

}  // namespace penstock::test
