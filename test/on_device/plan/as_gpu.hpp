// A device that says of itself that it is a GPU, so that a CPU runs what GPUs run: groups of many
// threads, tables of limbs, and their next attempts.
#pragma once
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {

class AsGpu : public Device {
 public:
  explicit AsGpu(std::shared_ptr<Device> device) : device_(std::move(device)) {
    traits_ = device_->traits();
    traits_.is_cpu = traits_.unified_memory = false;
  }
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    return device_->allocate(bytes);
  }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override {
    return device_->allocate_host(bytes);
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override {
    return device_->wrap_host(data, bytes);
  }
  Result<std::unique_ptr<Queue>> queue() override { return device_->queue(); }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    return device_->build(source);
  }
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override {
    return device_->resident_groups(program, kernel);
  }
  void lack_atomics_of_64_bits() { traits_.has_atomic_u64 = false; }

 private:
  std::shared_ptr<Device> device_;
};

}  // namespace penstock::test
