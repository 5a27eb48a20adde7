// A CUDA device that compiles and does nothing else: its traits are those of an architecture, so it
// needs neither a GPU nor the driver.
#pragma once
#include "device/cuda/nvrtc.hpp"
#include "penstock/device.hpp"

namespace penstock::cuda {

// Returns the traits by which programs are written, as a GPU of the architecture has them (90 for
// sm_90). Its name, driver and compiler are left out.
Traits traits_of_architecture(int architecture);

Status compiles_alone();  // what such a device answers to all but build()

class CompilingDevice : public Device {
 public:
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t) override { return compiles_alone(); }
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t) override {
    return compiles_alone();
  }
  Result<std::shared_ptr<Buffer>> wrap_host(const void*, std::uint64_t) override {
    return compiles_alone();
  }
  Result<std::unique_ptr<Queue>> queue() override { return compiles_alone(); }
  Result<std::uint32_t> resident_groups(const Program&, std::string_view) override {
    return compiles_alone();
  }

 protected:
  explicit CompilingDevice(Traits traits) { traits_ = std::move(traits); }
};

// The result of build(): there is nothing to launch.
class CompiledProgram : public Program {
 public:
  CompiledProgram(std::uint32_t group_size, BuildReport report) {
    group_size_ = group_size, report_ = std::move(report);
  }
};

}  // namespace penstock::cuda
