// The host's processor as a device: kernels are shared objects of C, run by the process's threads.
#pragma once
#include "device/cpu/cpu_module.hpp"
#include "device/host_pool.hpp"
#include "device/module_cache.hpp"
#include "device/pool.hpp"
#include "penstock/device.hpp"

namespace penstock::cpu {

class CpuProgram : public Program {
 public:
  CpuProgram(std::shared_ptr<Module> module, BuildReport report) : module_(std::move(module)) {
    report_ = std::move(report);
  }
  BuildReport report() const override {
    BuildReport report = report_;
    report.tier = module_->tier();
    return report;
  }
  Module& module() const { return *module_; }

 private:
  std::shared_ptr<Module> module_;
};

class CpuDevice : public Device {
 public:
  CpuDevice(Traits traits, Compilers compilers);
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override;
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> queue() override;
  // Handles of memory are addresses, and that of a queue is 0.
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override;
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override;
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override;

 private:
  Result<std::shared_ptr<Program>> build_or_throw(const ProgramSource& source);

  const Compilers compilers_;
  // The system clears fresh memory, which takes longer than a kernel that fills it.
  static constexpr std::uint64_t idle_host_bytes = std::uint64_t{256} << 20;
  std::shared_ptr<device::Pool> pool_;
  std::shared_ptr<device::HostPool> host_pool_ =
      std::make_shared<device::HostPool>(idle_host_bytes);
  device::ModuleCache<Module> modules_;
};

std::unique_ptr<Queue> make_queue(const CpuDevice& device);

}  // namespace penstock::cpu
