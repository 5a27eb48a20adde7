// A CUDA device: its primary context, its programs, its queues.
//
// A program exports the dynamic shared memory of a kernel as a constant; where it is absent, 0:
//   extern "C" __device__ const unsigned NAME_local_bytes = sizeof(Tile);
#pragma once
#include <atomic>
#include <future>
#include <map>
#include <mutex>

#include "device/cuda/cuda_api.hpp"
#include "device/cuda/nvrtc.hpp"
#include "device/host_pool.hpp"
#include "device/idle_memory.hpp"
#include "device/module_cache.hpp"
#include "device/pool.hpp"
#include "penstock/device.hpp"

namespace penstock::cuda {

// Idle streams or events, kept for reuse. To create one and to destroy it takes the driver 6 to 60
// us where threads of several devices do, and a short statement has a dozen of them.
template <class Handle> class IdleHandles {
 public:
  Handle take() {  // null if there is none
    const std::lock_guard lock(mutex_);
    if (handles_.empty()) return nullptr;
    const Handle handle = handles_.back();
    handles_.pop_back();
    return handle;
  }
  bool keep(Handle handle) noexcept {  // false if the host has no memory for it
    try {
      const std::lock_guard lock(mutex_);
      handles_.push_back(handle);
      return true;
    } catch (const std::exception&) { return false; }
  }

 private:
  std::mutex mutex_;
  std::vector<Handle> handles_;  // as many as were in use at once
};

// Buffers, events, queues and programs hold it, so it outlives them.
//
// The driver makes the context in a thread, which takes 0.12 s. Programs are compiled meanwhile.
struct Context {
  const Api& api;
  const Nvrtc& nvrtc;
  Traits traits;
  CUdevice device = 0;
  int architecture = 0;  // 90 for sm_90
  mutable IdleHandles<CUstream> idle_streams;
  mutable IdleHandles<CUevent> idle_events;
  Context(const Api& a, const Nvrtc& n, Traits t) : api(a), nvrtc(n), traits(std::move(t)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (!handle()) return;
    CUcontext popped = nullptr;
    const bool is_pushed = api.cuCtxPushCurrent(handle()) == CUDA_SUCCESS;
    while (const CUevent event = idle_events.take()) api.cuEventDestroy(event);
    while (const CUstream stream = idle_streams.take()) api.cuStreamDestroy(stream);
    if (is_pushed) api.cuCtxPopCurrent(&popped);
    api.cuDevicePrimaryCtxRelease(device);
  }
  // Begins to make the context. Call once, before anything else but api and traits is used.
  static void begin(const std::shared_ptr<Context>& context);
  // Waits for the context; null where the driver made none.
  CUcontext handle() const {
    if (!is_made_.load(std::memory_order_acquire) && made_.valid()) made_.wait();
    return handle_;
  }
  Status status() const;  // waits, and says why there is no context
  // A call that fails for want of a context fails with the reason for that.
  Status check(CUresult code, const char* call) const {
    if (code != CUDA_SUCCESS && !handle()) return status();
    return status_of(api, code, call);
  }

 private:
  void make();
  CUcontext handle_ = nullptr;
  CUresult outcome_ = CUDA_SUCCESS;
  std::atomic<bool> is_made_ = false;
  std::shared_future<void> made_;
};
using ContextPointer = std::shared_ptr<Context>;

// Makes the context current on this thread and restores the former one in its destructor, since the
// caller may use CUDA too. Every entry from outside opens one.
class Current {
 public:
  explicit Current(const Context& context)
      : api_(context.api), pushed_(api_.cuCtxPushCurrent(context.handle()) == CUDA_SUCCESS) {}
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

struct FoundDevice {
  Traits traits;
  CUdevice device;
  int architecture;
};

struct Kernel {
  CUfunction function = nullptr;
  std::uint32_t threads = 0, local_bytes = 0;
  bool sizes_known = false;
  std::vector<std::uint32_t> argument_bytes;  // when sizes_known
};

class Module {
 public:
  // Whether the image names any local_bytes: looking up an absent symbol is an error in the
  // driver's tools.
  Module(ContextPointer context, CUmodule module, std::vector<std::byte> image,
         bool has_local_bytes)
      : context_(std::move(context)),
        module_(module),
        image_(std::move(image)),
        has_local_bytes_(has_local_bytes) {}
  ~Module();
  const std::vector<std::byte>& image() const {
    return image_;
  }  // profilers find source lines in it
  Result<const Kernel*> kernel(std::string_view name, std::uint32_t group_size);

 private:
  Result<std::uint32_t> local_bytes(const std::string& kernel) const;
  Result<Kernel> find(const std::string& name, std::uint32_t group_size) const;
  ContextPointer context_;
  CUmodule module_;
  std::vector<std::byte> image_;
  bool has_local_bytes_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const Kernel>, std::less<>> kernels_;
};

class CudaProgram : public Program {
 public:
  CudaProgram(std::shared_ptr<Module> module, BuildReport report, std::uint32_t group_size)
      : module_(std::move(module)) {
    report_ = std::move(report), group_size_ = group_size;
  }
  Result<const Kernel*> kernel(std::string_view name) const {
    return module_->kernel(name, group_size_);
  }

 private:
  std::shared_ptr<Module> module_;
};

// The programs that were built while a sampler runs, by their keys.
struct SampledPrograms {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Module>> by_key;
};

struct ObjectCache;  // cuda_compile.hpp

// A program that is asked for again and again. To look one up by its text takes 20 us.
class KeptProgram {
 public:
  template <class Build> Result<std::shared_ptr<Program>> get(const Build& build) {
    const std::lock_guard lock(mutex_);
    if (!program_) { PENSTOCK_ASSIGN(program_, build()); }
    return program_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Program> program_;
};

class CudaDevice : public Device {
 public:
  static Result<std::shared_ptr<Device>> open(const FoundDevice& found, const Nvrtc& nvrtc);
  static bool has_opened_any();  // in this process
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> pin_host(std::shared_ptr<std::byte> memory,
                                               std::uint64_t bytes) override;
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> queue() override;
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override;
  Result<std::uint64_t> context_handle() const override {
    PENSTOCK_TRY(context_->status());
    return reinterpret_cast<std::uint64_t>(context_->handle());
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override;
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override;
  Result<KernelResources> resources(const Program& program, std::string_view kernel) override;
  Result<std::unique_ptr<StallSampler>> sample_stalls() override;
  const ContextPointer& context() const { return context_; }
  KeptProgram& copies_from_peers() const { return copies_from_peers_; }

 private:
  explicit CudaDevice(ContextPointer context);
  Result<std::shared_ptr<Program>> build_or_throw(const ProgramSource& source);
  ContextPointer context_;
  std::shared_ptr<device::Pool> pool_;
  std::shared_ptr<device::HostPool> host_pool_ =
      std::make_shared<device::HostPool>(device::idle_pinned_limit_bytes());
  device::ModuleCache<Module> modules_;
  std::shared_ptr<ObjectCache> objects_;
  std::mutex sampled_mutex_;
  std::weak_ptr<SampledPrograms> sampled_;  // while a sampler lives
  mutable KeptProgram copies_from_peers_;
};

Result<std::unique_ptr<Queue>> make_queue(const ContextPointer& context);
// Enqueues a copy out of another GPU's memory, on a queue of make_queue().
Status copy_from_peer(Queue& queue, const Buffer& to, std::uint64_t to_offset, CUdeviceptr from,
                      CUcontext from_context, std::uint64_t bytes);
// Returns a buffer's address, for work that the caller enqueues on such a queue next.
Result<CUdeviceptr> address_for(Queue& queue, const Buffer& buffer);
// Launches a kernel of one parameter, a structure of up to 4 KB.
Status launch_with(Queue& queue, const Kernel& kernel, std::uint32_t groups, void* parameter);
std::unique_ptr<Queue> borrow_queue(ContextPointer context,
                                    CUstream stream);  // owned by the caller

}  // namespace penstock::cuda
