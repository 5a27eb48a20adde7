// An OpenCL device: the state that its objects share, its programs, its queues.
#pragma once
#include <map>
#include <mutex>
#include <set>

#include "device/host_pool.hpp"
#include "device/idle_memory.hpp"
#include "device/module_cache.hpp"
#include "device/opencl/opencl_api.hpp"
#include "device/opencl/opencl_grid_growth.hpp"
#include "device/pool.hpp"
#include "penstock/device.hpp"

namespace penstock::opencl {

// The device's handles. Buffers, events, queues and programs hold it, so it outlives them.
struct Context {
  const Api& api;
  Traits traits;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue host_queue = nullptr;  // maps host buffers; no kernel runs here
  bool rounds_divisions = false;          // -cl-fp32-correctly-rounded-divide-sqrt is known
  bool specialises_at_launch = false;     // PoCL: see Module
  bool aborts_where_grids_grow = false;   // PoCL before 6.0: see GridGrowth
  Context(const Api& a, Traits t, cl_device_id d) : api(a), traits(std::move(t)), device(d) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();
};
using ContextPointer = std::shared_ptr<Context>;

// One device found; kept by the list in opencl_list.cpp.
struct FoundDevice {
  Traits traits;
  cl_platform_id platform;
  cl_device_id device;
  bool rounds_divisions, is_pocl, aborts_where_grids_grow;
};

struct Kernel {
  cl_kernel handle = nullptr;
  cl_uint argument_count = 0;
  std::mutex
      mutex;  // arguments are state of the kernel object: setting them and the launch are one step
  std::shared_ptr<GridGrowth> growth;  // where the context says that grids must not grow at once
};

// The source and options of a program.
struct BuildInput {
  std::string text, options;
};
struct BuildOutcome {
  cl_program program = nullptr;
  cl_int code = CL_SUCCESS;
  std::string log;
};
BuildOutcome build_source(const Context& context, const BuildInput& input);
Result<std::vector<std::byte>> binary_of(const Context& context, cl_program program);

// A built program and its kernels.
//
// PoCL compiles a kernel for the machine at its first launch, once for each group size and again
// for grids of 65,535 threads and more. A binary that is read right after the build lacks these: a
// second process then spends 45-60 ms per kernel (PoCL 3.1); with them 0.2 ms. So the entry on disk
// is stored after the build, for others that wait for the key, and again when a queue that launched
// a new specialisation is destroyed. PoCL always returns the first binary of a program object, so
// the second one is read from a new object; its build finds PoCL's own cache and takes some 40 ms,
// once.
class Module {
 public:
  Module(ContextPointer context, cl_program program, device::CacheKey key, BuildInput input,
         const device::CacheEntry& entry);
  ~Module();
  Result<Kernel*> kernel(std::string_view name);
  // Returns true if this launch creates a specialisation that the stored binary lacks: call
  // save() after it has run.
  bool notes_launch(std::string_view kernel, std::uint64_t thread_count);
  void save();

 private:
  ContextPointer context_;
  cl_program program_;
  device::CacheKey key_;
  BuildInput input_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels_;
  std::set<std::string, std::less<>> specialisations_;
  std::string log_;
};

class OpenClProgram : public Program {
 public:
  OpenClProgram(std::shared_ptr<Module> module, BuildReport report, std::uint32_t group_size)
      : module_(std::move(module)) {
    report_ = std::move(report), group_size_ = group_size;
  }
  Module& module() const { return *module_; }
  const std::shared_ptr<Module>& shared_module() const { return module_; }

 private:
  std::shared_ptr<Module> module_;
};

class OpenClDevice : public Device {
 public:
  // Opens in the caller's context, or in a new one.
  static Result<std::shared_ptr<Device>> open(const FoundDevice& found,
                                              cl_context shared = nullptr);
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override;
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> queue() override;
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override;
  Result<std::uint64_t> context_handle() const override {
    return reinterpret_cast<std::uint64_t>(context_->context);
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override;
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override;
  Result<KernelResources> resources(const Program& program, std::string_view kernel) override;

 private:
  explicit OpenClDevice(ContextPointer context);
  Result<std::shared_ptr<Program>> build_or_throw(const ProgramSource& source);
  ContextPointer context_;
  std::shared_ptr<device::Pool> pool_;
  std::shared_ptr<device::HostPool> host_pool_ =
      std::make_shared<device::HostPool>(device::idle_pinned_limit_bytes());
  device::ModuleCache<Module> modules_;
};

Result<std::unique_ptr<Queue>> make_queue(const ContextPointer& context);
// Wraps a queue of the caller.
Result<std::unique_ptr<Queue>> borrow_queue(ContextPointer context, cl_command_queue queue);

}  // namespace penstock::opencl
