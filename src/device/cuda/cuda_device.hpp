// A CUDA device: its primary context, its programs, its queues.
//
// A kernel says what a launch needs through constants that its text exports beside it:
//   extern "C" __device__ const unsigned NAME_local_bytes = sizeof(Tile);   dynamic shared memory; absent: 0
//   extern "C" __device__ const unsigned NAME_threads = GROUP_SIZE + 32;    threads of a block; absent: GROUP_SIZE
#pragma once
#include <map>
#include <mutex>

#include "device/cuda/cuda_api.hpp"
#include "device/cuda/nvrtc.hpp"
#include "device/module_cache.hpp"
#include "device/pool.hpp"
#include "penstock/device.hpp"

namespace penstock::cuda {

// Buffers, events, queues and programs hold it, so it outlives them.
struct Context {
  const Api& api;
  const Nvrtc& nvrtc;
  Traits traits;
  CUdevice device = 0;
  CUcontext context = nullptr;
  int architecture = 0;   // 90 for sm_90
  Context(const Api& a, const Nvrtc& n, Traits t) : api(a), nvrtc(n), traits(std::move(t)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { if (context) api.cuDevicePrimaryCtxRelease(device); }
  Status check(CUresult code, const char* call) const { return status_of(api, code, call); }
};
using ContextPointer = std::shared_ptr<Context>;

// Makes the context this thread's current one while it lives and gives the thread its former one back, since the caller
// may use CUDA too. Every entry from outside opens one.
class Current {
 public:
  explicit Current(const Context& context)
      : api_(context.api), pushed_(api_.cuCtxPushCurrent(context.context) == CUDA_SUCCESS) {}
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current() {
    CUcontext popped = nullptr;
    if (pushed_) api_.cuCtxPopCurrent(&popped);
  }

 private:
  const Api& api_;
  bool pushed_;
};

struct FoundDevice { Traits traits; CUdevice device; int architecture; };

struct Kernel {
  CUfunction function = nullptr;
  std::uint32_t threads = 0, local_bytes = 0;
  bool sizes_known = false;
  std::vector<std::uint32_t> argument_bytes;   // when sizes_known
};

class Module {
 public:
  Module(ContextPointer context, CUmodule module) : context_(std::move(context)), module_(module) {}
  ~Module();
  Result<const Kernel*> kernel(std::string_view name, std::uint32_t group_size);

 private:
  Result<std::uint32_t> exported(const std::string& name, std::uint32_t otherwise) const;
  Result<Kernel> find(const std::string& name, std::uint32_t group_size) const;
  ContextPointer context_;
  CUmodule module_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const Kernel>, std::less<>> kernels_;
};

class CudaProgram : public Program {
 public:
  CudaProgram(std::shared_ptr<Module> module, BuildReport report, std::uint32_t group_size)
      : module_(std::move(module)) {
    report_ = std::move(report), group_size_ = group_size;
  }
  Result<const Kernel*> kernel(std::string_view name) const { return module_->kernel(name, group_size_); }

 private:
  std::shared_ptr<Module> module_;
};

class CudaDevice : public Device {
 public:
  static Result<std::shared_ptr<Device>> open(const FoundDevice& found, const Nvrtc& nvrtc);
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override;
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> queue() override;
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override;
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override;

 private:
  explicit CudaDevice(ContextPointer context);
  ContextPointer context_;
  std::shared_ptr<device::Pool> pool_;
  device::ModuleCache<Module> modules_;
};

Result<std::unique_ptr<Queue>> make_queue(ContextPointer context);

}  // namespace penstock::cuda
