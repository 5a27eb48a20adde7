// A SYCL device: the state that its objects share, its programs, its queues.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "device/host_pool.hpp"
#include "device/idle_memory.hpp"
#include "device/module_cache.hpp"
#include "device/pool.hpp"
#include "device/sycl/sycl_api.hpp"
#include "penstock/device.hpp"

namespace penstock::sycl_plugin {

// The device's handles. Buffers, events, queues and programs hold it, so it outlives them.
struct Context {
  const Api& api;
  Traits traits;
  penstock_sycl_device* device;
  Context(const Api& a, Traits t, penstock_sycl_device* d)
      : api(a), traits(std::move(t)), device(d) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { api.close_device(device); }
};
using ContextPointer = std::shared_ptr<Context>;

struct Kernel {
  const penstock_sycl_kernel* handle = nullptr;
  penstock_sycl_kernel_info info{};
};

// A compiled program and its kernels. Its code stays in memory when it is destroyed: the plug-in
// says why.
class Module {
 public:
  Module(ContextPointer context, penstock_sycl_module* module)
      : context_(std::move(context)), module_(module) {}
  ~Module() { context_->api.free_module(module_); }
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Result<const Kernel*> kernel(std::string_view name);

 private:
  ContextPointer context_;
  penstock_sycl_module* module_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const Kernel>, std::less<>> kernels_;
};

class SyclProgram : public Program {
 public:
  SyclProgram(std::shared_ptr<Module> module, BuildReport report, std::uint32_t group_size)
      : module_(std::move(module)) {
    report_ = std::move(report), group_size_ = group_size;
  }
  Module& module() const { return *module_; }

 private:
  std::shared_ptr<Module> module_;
};

class SyclDevice : public Device {
 public:
  static Result<std::shared_ptr<Device>> open(Traits traits, std::uint32_t index);
  // Opens in the context of a sycl::queue.
  static Result<std::shared_ptr<Device>> open_of_queue(std::uint64_t handle);
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override;
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> queue() override;
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override;
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override;
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override;
  Result<KernelResources> resources(const Program& program, std::string_view kernel) override;

 private:
  explicit SyclDevice(ContextPointer context);
  Result<std::shared_ptr<Program>> build_or_throw(const ProgramSource& source);
  ContextPointer context_;
  std::shared_ptr<device::Pool> pool_;
  std::shared_ptr<device::HostPool> host_pool_ =
      std::make_shared<device::HostPool>(device::idle_pinned_limit_bytes());
  device::ModuleCache<Module> modules_;
};

// Traits of every device that the plug-in lists; `notes` gets why there are none.
std::vector<Traits> all_traits(std::vector<std::string>& notes);

Result<std::unique_ptr<Queue>> make_queue(const ContextPointer& context);
// Wraps a queue of the caller: a sycl::queue*.
Result<std::unique_ptr<Queue>> borrow_queue(const ContextPointer& context, std::uint64_t handle);

// The compiler and its options for a program.
std::vector<std::string> compiler_options(const Context& context, bool fast_math);
// These, and what else a program's code depends on, for its cache key.
std::vector<std::string> options_of_key(const Context& context, bool fast_math);
// "" if programs use no sub-groups.
std::string subgroup_size_of(const Context& context);
// Returns the program's place if it came with the plug-in.
device::AheadOfTime programs_ahead_of_time(const Context& context, const ProgramSource& source);
Result<device::Compiled<Module>> compile_module(const ContextPointer& context,
                                                const ProgramSource& source);
Result<std::shared_ptr<Module>> load_module(const ContextPointer& context,
                                            const std::vector<std::byte>& binary);

}  // namespace penstock::sycl_plugin
