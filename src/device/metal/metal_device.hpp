// A Metal device: the state that its objects share, its programs, its queues. Objective-C++ with
// reference counting (-fobjc-arc), compiled on Apple's systems alone; files are named as in
// ../opencl.
#pragma once
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <map>
#include <mutex>

#include "device/host_pool.hpp"
#include "device/idle_memory.hpp"
#include "device/module_cache.hpp"
#include "device/pool.hpp"
#include "penstock/device.hpp"

namespace penstock::metal {

// The target of a Block's handle: memory shared by host and device, from `offset` on.
struct Memory {
  id<MTLBuffer> buffer;
  std::uint64_t offset = 0;
};
std::uint64_t handle_of(id<MTLBuffer> buffer, std::uint64_t offset = 0);
const Memory& memory_of(std::uint64_t handle);
void release_memory(std::uint64_t handle);

// Host buffers by their addresses: copies from and to them need no memory between.
class SharedRanges {
 public:
  void add(id<MTLBuffer> buffer);
  void remove(id<MTLBuffer> buffer);
  // The buffer that holds this range and where the range begins in it; none: nil.
  Memory find(const void* data, std::uint64_t bytes);

 private:
  std::mutex mutex_;
  std::map<const std::byte*, id<MTLBuffer>> by_address_;
};

// The device's handles. Buffers, events, queues and programs hold it, so it outlives them.
struct Context {
  Traits traits;
  id<MTLDevice> device;
  SharedRanges shared;
};
using ContextPointer = std::shared_ptr<Context>;

// A parameter as the compiler reports it; where it does not, nothing is checked.
struct Parameter {
  bool is_known = false;
  std::uint64_t bytes = 0;  // of a value, or of an element
};
struct Kernel {
  id<MTLComputePipelineState> state;
  std::vector<Parameter> parameters;
};

// A compiled library and its kernels.
class Module {
 public:
  Module(ContextPointer context, id<MTLLibrary> library, std::uint32_t group_size)
      : context_(std::move(context)), library_(library), group_size_(group_size) {}
  Result<const Kernel*> kernel(std::string_view name);

 private:
  Result<std::unique_ptr<Kernel>> make_kernel(const std::string& name) const;
  ContextPointer context_;
  id<MTLLibrary> library_;
  std::uint32_t group_size_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels_;
};

class MetalProgram : public Program {
 public:
  MetalProgram(std::shared_ptr<Module> module, BuildReport report, std::uint32_t group_size)
      : module_(std::move(module)) {
    report_ = std::move(report), group_size_ = group_size;
  }
  Module& module() const { return *module_; }

 private:
  std::shared_ptr<Module> module_;
};

class MetalDevice : public Device {
 public:
  static Result<std::shared_ptr<Device>> open(id<MTLDevice> device, const Traits& traits);
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override;
  Result<std::shared_ptr<HostBuffer>> allocate_host(std::uint64_t bytes) override;
  Result<std::shared_ptr<Buffer>> wrap_host(const void* data, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> queue() override;
  // Handles are an id<MTLBuffer> and an id<MTLCommandQueue> of this device.
  Result<std::shared_ptr<Buffer>> import_memory(std::uint64_t handle, std::uint64_t bytes) override;
  Result<std::unique_ptr<Queue>> import_queue(std::uint64_t handle) override;
  Result<std::uint64_t> context_handle() const override {
    return reinterpret_cast<std::uint64_t>((__bridge void*)context_->device);
  }
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override;
  Result<std::uint32_t> resident_groups(const Program& program, std::string_view kernel) override;
  Result<KernelResources> resources(const Program& program, std::string_view kernel) override;

 private:
  explicit MetalDevice(ContextPointer context);
  Result<std::shared_ptr<Program>> build_or_throw(const ProgramSource& source);
  ContextPointer context_;
  std::shared_ptr<device::Pool> pool_;
  std::shared_ptr<device::HostPool> host_pool_ =
      std::make_shared<device::HostPool>(device::idle_pinned_limit_bytes());
  device::ModuleCache<Module> modules_;
};

std::unique_ptr<Queue> make_queue(const ContextPointer& context, id<MTLCommandQueue> queue,
                                  bool is_borrowed);

// The text of an error; "no reason was given" for none.
std::string text_of(NSError* error);
std::string text_of(NSString* text);

}  // namespace penstock::metal
