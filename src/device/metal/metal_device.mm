#include "device/metal/metal_device.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "base/human_readable.hpp"
#include "device/compile_error.hpp"
#include "device/program_source.hpp"

namespace penstock::metal {
namespace {

// Hazards are tracked: a launch waits for what an earlier one of its queue wrote.
id<MTLBuffer> new_buffer(const Context& context, std::uint64_t bytes) {
  return [context.device newBufferWithLength:std::max<std::uint64_t>(bytes, 16)
                                     options:MTLResourceStorageModeShared];
}

class SharedHostBuffer : public HostBuffer {
 public:
  SharedHostBuffer(ContextPointer context, id<MTLBuffer> buffer, std::uint64_t bytes)
      : context_(std::move(context)), buffer_(buffer) {
    data_ = static_cast<std::byte*>(buffer.contents), bytes_ = bytes;
    context_->shared.add(buffer_);
  }
  ~SharedHostBuffer() override { context_->shared.remove(buffer_); }

 private:
  ContextPointer context_;
  id<MTLBuffer> buffer_;
};

device::Pool::Driver pool_driver(const ContextPointer& context) {
  device::Pool::Driver driver;
  driver.allocate = [context](std::uint64_t bytes) -> Result<std::uint64_t> {
    @autoreleasepool {
      const id<MTLBuffer> buffer = new_buffer(*context, bytes);
      if (buffer == nil)
        return Status(Code::no_memory, "newBufferWithLength: there is no memory for " +
                                           bytes_text(bytes));
      return handle_of(buffer);
    }
  };
  driver.free = release_memory;
  driver.limit_bytes = context->traits.global_bytes;
  driver.max_allocation_bytes = context->traits.max_allocation_bytes;
  driver.device = context->traits.id;
  return driver;
}

// Results must equal the host's unless fast_math. The text turns contraction off.
MTLCompileOptions* compile_options(bool fast_math) {
  MTLCompileOptions* const options = [MTLCompileOptions new];
  options.languageVersion = MTLLanguageVersion2_3;
  if (@available(macOS 15.0, *))
    options.mathMode = fast_math ? MTLMathModeFast : MTLMathModeSafe;
  else
    options.fastMathEnabled = fast_math ? YES : NO;
  return options;
}

// Metal cannot write a library that it made from source, and a binary archive holds pipelines but
// not the functions that they are made of. So nothing is kept on disk: a text is compiled once a
// process, and Metal's own cache keeps what its compiler makes of it.
Result<device::Compiled<Module>> compile(const ContextPointer& context, const ProgramSource& source,
                                         const std::string& text) {
  NSString* const code = [[NSString alloc] initWithBytes:text.data()
                                                  length:text.size()
                                                encoding:NSUTF8StringEncoding];
  if (code == nil)
    return Status(Code::invalid, "the text of '" + source.label + "' is not UTF-8");
  NSError* error = nil;
  const id<MTLLibrary> library =
      [context->device newLibraryWithSource:code
                                    options:compile_options(source.fast_math)
                                      error:&error];
  if (library == nil)
    return device::compile_error(source.label, context->traits.id, text, text_of(error));
  device::CacheEntry entry{{}, error == nil ? "" : text_of(error), ""};  // an error then: warnings
  return device::Compiled<Module>{
      std::make_shared<Module>(context, library, source.group_size), std::move(entry)};
}

Result<const Kernel*> kernel_of(const Program& program, std::string_view name) {
  const auto* built = dynamic_cast<const MetalProgram*>(&program);
  if (built == nullptr)
    return Status(Code::invalid, "the program belongs to another driver's device");
  return built->module().kernel(name);
}

}  // namespace

std::uint64_t handle_of(id<MTLBuffer> buffer, std::uint64_t offset) {
  return reinterpret_cast<std::uint64_t>(new Memory{buffer, offset});
}
const Memory& memory_of(std::uint64_t handle) { return *reinterpret_cast<const Memory*>(handle); }
void release_memory(std::uint64_t handle) { delete reinterpret_cast<Memory*>(handle); }

void SharedRanges::add(id<MTLBuffer> buffer) {
  const std::lock_guard lock(mutex_);
  by_address_[static_cast<const std::byte*>(buffer.contents)] = buffer;
}
void SharedRanges::remove(id<MTLBuffer> buffer) {
  const std::lock_guard lock(mutex_);
  by_address_.erase(static_cast<const std::byte*>(buffer.contents));
}
Memory SharedRanges::find(const void* data, std::uint64_t bytes) {
  const auto* begin = static_cast<const std::byte*>(data);
  const std::lock_guard lock(mutex_);
  auto after = by_address_.upper_bound(begin);
  if (after == by_address_.begin()) return {nil, 0};
  const auto& [address, buffer] = *--after;
  const auto offset = static_cast<std::uint64_t>(begin - address);
  if (offset > buffer.length || bytes > buffer.length - offset) return {nil, 0};
  return {buffer, offset};
}

Result<std::shared_ptr<Device>> MetalDevice::open(id<MTLDevice> device, const Traits& traits) {
  auto context = std::make_shared<Context>();
  context->traits = traits;
  context->device = device;
  return std::shared_ptr<Device>(new MetalDevice(std::move(context)));
}

MetalDevice::MetalDevice(ContextPointer context)
    : context_(std::move(context)), pool_(std::make_shared<device::Pool>(pool_driver(context_))) {
  traits_ = context_->traits;
}

Result<std::shared_ptr<Buffer>> MetalDevice::allocate(std::uint64_t bytes) {
  PENSTOCK_ASSIGN(device::Block block, pool_->take(bytes));
  return std::shared_ptr<Buffer>(
      std::make_shared<device::PooledBuffer>(context_.get(), pool_, std::move(block), bytes));
}

Result<std::shared_ptr<HostBuffer>> MetalDevice::allocate_host(std::uint64_t bytes) {
  return host_pool_->take(bytes, [this](std::uint64_t class_bytes)
                                     -> Result<std::shared_ptr<HostBuffer>> {
    @autoreleasepool {
      const id<MTLBuffer> buffer = new_buffer(*context_, class_bytes);
      if (buffer == nil)
        return Status(Code::no_memory,
                      "the host has no memory for a buffer of " + bytes_text(class_bytes));
      return std::shared_ptr<HostBuffer>(
          std::make_shared<SharedHostBuffer>(context_, buffer, class_bytes));
    }
  });
}

// Metal takes whole pages: the buffer begins where the first page does. The last page is the host's
// too, and kernels stay within `bytes`.
Result<std::shared_ptr<Buffer>> MetalDevice::wrap_host(const void* data, std::uint64_t bytes) {
  if (!traits_.unified_memory)
    return Status(Code::unsupported, traits_.id + " cannot use host memory in place");
  if (data == nullptr || bytes == 0) return allocate(bytes);
  const auto page_bytes = static_cast<std::uint64_t>(getpagesize());
  const auto address = reinterpret_cast<std::uint64_t>(data);
  const std::uint64_t offset = address % page_bytes,
                      whole = (offset + bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (whole > traits_.max_allocation_bytes)
    return Status(Code::capacity, "host memory of " + std::to_string(bytes) +
                                      " bytes is above what " + traits_.id +
                                      " takes as one buffer, " +
                                      std::to_string(traits_.max_allocation_bytes) + " bytes");
  @autoreleasepool {
    const id<MTLBuffer> buffer =
        [context_->device newBufferWithBytesNoCopy:reinterpret_cast<void*>(address - offset)
                                            length:whole
                                           options:MTLResourceStorageModeShared
                                       deallocator:nil];
    if (buffer == nil)
      return Status(Code::unsupported, traits_.id + " does not take this host memory in place");
    return std::shared_ptr<Buffer>(std::make_shared<device::PooledBuffer>(
        context_.get(), device::Block{handle_of(buffer, offset), bytes, {}}, bytes,
        release_memory));
  }
}

Result<std::unique_ptr<Queue>> MetalDevice::queue() {
  @autoreleasepool {
    const id<MTLCommandQueue> queue = [context_->device newCommandQueue];
    if (queue == nil)
      return Status(Code::device_lost, "newCommandQueue: " + traits_.id + " gives none");
    return make_queue(context_, queue, false);
  }
}

// The caller's buffer is held as long as the imported one lives; its owner orders its use.
Result<std::shared_ptr<Buffer>> MetalDevice::import_memory(std::uint64_t handle,
                                                           std::uint64_t bytes) {
  if (handle == 0) return Status(Code::invalid, "the memory's handle is null");
  const id<MTLBuffer> buffer = (__bridge id<MTLBuffer>)reinterpret_cast<void*>(handle);
  if (buffer.device != context_->device)
    return Status(Code::invalid, "the memory is of another device than " + traits_.id);
  if (buffer.length < bytes)
    return Status(Code::invalid, "memory of " + std::to_string(buffer.length) +
                                     " bytes was said to have " + std::to_string(bytes));
  const std::uint64_t mine = handle_of(buffer);
  auto borrowed = device::PooledBuffer::borrowed(context_.get(), mine, bytes);
  Buffer* const view = borrowed.get();
  return std::shared_ptr<Buffer>(view, [borrowed = std::move(borrowed), mine](Buffer*) mutable {
    borrowed.reset();
    release_memory(mine);
  });
}

Result<std::unique_ptr<Queue>> MetalDevice::import_queue(std::uint64_t handle) {
  if (handle == 0) return Status(Code::invalid, "the queue's handle is null");
  const id<MTLCommandQueue> queue =
      (__bridge id<MTLCommandQueue>)reinterpret_cast<void*>(handle);
  if (queue.device != context_->device)
    return Status(Code::invalid, "the queue is of another device than " + traits_.id);
  return make_queue(context_, queue, true);
}

Result<std::shared_ptr<Program>> MetalDevice::build(const ProgramSource& source) {
  @autoreleasepool {
    return catch_exceptions([&] { return build_or_throw(source); });
  }
}

Result<std::shared_ptr<Program>> MetalDevice::build_or_throw(const ProgramSource& source) {
  PENSTOCK_TRY(device::check_source(traits_, source));
  const std::string text = device::with_head(source, "");
  const std::vector<std::string> options = {source.fast_math ? "math=fast" : "math=safe"};
  const device::CacheKey key =
      device::cache_key(traits_, device::key_options(options, source), source);
  PENSTOCK_ASSIGN(auto found,
                  modules_.get(
                      key,
                      [&](const device::CacheEntry&) -> Result<std::shared_ptr<Module>> {
                        return Status(Code::unsupported, "Metal reads no stored programs");
                      },
                      [&] { return compile(context_, source, text); }));
  return std::shared_ptr<Program>(std::make_shared<MetalProgram>(
      std::move(found.module), std::move(found.report), source.group_size));
}

// Metal reports no occupancy. A core is taken to hold 1,024 threads, and as many groups as its
// threadgroup memory allows.
Result<std::uint32_t> MetalDevice::resident_groups(const Program& program,
                                                   std::string_view kernel) {
  PENSTOCK_ASSIGN(const Kernel* const found, kernel_of(program, kernel));
  std::uint64_t groups = std::clamp<std::uint64_t>(1024 / program.group_size(), 1, 16);
  const std::uint64_t local_bytes = found->state.staticThreadgroupMemoryLength;
  if (local_bytes > 0)
    groups = std::clamp<std::uint64_t>(traits_.local_bytes / local_bytes, 1, groups);
  return static_cast<std::uint32_t>(groups) * traits_.compute_units;
}

Result<KernelResources> MetalDevice::resources(const Program& program, std::string_view kernel) {
  PENSTOCK_ASSIGN(const Kernel* const found, kernel_of(program, kernel));
  KernelResources resources;
  resources.group_size = program.group_size();
  resources.local_bytes = found->state.staticThreadgroupMemoryLength;
  return resources;
}

}  // namespace penstock::metal
