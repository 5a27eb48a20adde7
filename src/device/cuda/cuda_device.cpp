#include "device/cuda/cuda_device.hpp"

#include <system_error>

#include "base/exception_boundary.hpp"
#include "base/huge_pages.hpp"
#include "base/human_readable.hpp"
#include "base/parallel.hpp"
#include "base/thread_pool.hpp"
#include "device/cuda/cuda_ahead_of_time.hpp"
#include "device/cuda/cuda_compile.hpp"
#include "device/cuda/pc_sampling.hpp"
#include "device/cuda/wait_at_exit.hpp"
#include "device/program_source.hpp"

namespace penstock::cuda {
namespace {

std::atomic<bool> has_opened = false;  // a device

// Pinned memory, which the copy engines read and write without a staging copy.
class PinnedBuffer : public HostBuffer {
 public:
  PinnedBuffer(ContextPointer context, void* data, std::uint64_t bytes)
      : context_(std::move(context)) {
    data_ = static_cast<std::byte*>(data), bytes_ = bytes;
  }
  ~PinnedBuffer() override {
    const Current current(*context_);
    context_->api.cuMemFreeHost(data_);
  }

 private:
  ContextPointer context_;
};

// Memory that the driver has not allocated, pinned.
class RegisteredBuffer : public HostBuffer {
 public:
  // `bytes`: the size asked for, by which pools find it again.
  RegisteredBuffer(ContextPointer context, std::shared_ptr<std::byte> memory, std::uint64_t bytes)
      : context_(std::move(context)), memory_(std::move(memory)) {
    data_ = memory_.get(), bytes_ = bytes;
  }
  ~RegisteredBuffer() override {
    if (!is_pinned_) return;
    const Current current(*context_);
    context_->api.cuMemHostUnregister(data_);
  }
  Status pin(std::uint64_t bytes) {
    const Current current(*context_);
    constexpr unsigned portable = 1;  // CU_MEMHOSTREGISTER_PORTABLE
    PENSTOCK_TRY(context_->check(context_->api.cuMemHostRegister(data_, bytes, portable),
                                 "cuMemHostRegister"));
    is_pinned_ = true;
    return {};
  }

 private:
  ContextPointer context_;
  std::shared_ptr<std::byte> memory_;
  bool is_pinned_ = false;
};

// Touches all pages in parallel. The system clears a page at its first write, and one thread, the
// driver's, does so at a few GB/s.
void touch_pages(void* data, std::uint64_t bytes) {
  in_parallel(bytes / huge_page_bytes, 1, [data](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t page = first; page < last; page++)
      static_cast<volatile std::byte*>(data)[page * huge_page_bytes] = std::byte{0};
  });
}

// Returns null if the system has no such pages or the driver refuses them.
std::shared_ptr<HostBuffer> register_huge_pages(const ContextPointer& context,
                                                std::uint64_t bytes) {
  const std::uint64_t whole = (bytes + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes;
  try {
    const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(allocate_huge_pages(whole)),
                                            free_huge_pages);
    auto buffer = std::make_shared<RegisteredBuffer>(context, memory, bytes);
    touch_pages(buffer->data(), whole);
    return buffer->pin(whole).ok() ? buffer : nullptr;
  } catch (const std::exception&) {  // neither memory nor threads
    return nullptr;
  }
}

// Large blocks are huge pages: the driver's own allocation pins and clears pages of 4 KiB, at 2.3
// GB/s.
Result<std::shared_ptr<HostBuffer>> allocate_pinned(const ContextPointer& context,
                                                    std::uint64_t bytes) {
  const Current current(*context);
  if (bytes >= 4 * huge_page_bytes)
    if (auto memory = register_huge_pages(context, bytes)) return memory;
  void* data = nullptr;
  PENSTOCK_TRY(context
                   ->check(context->api.cuMemHostAlloc(&data, bytes > 0 ? bytes : 1,
                                                       CU_MEMHOSTALLOC_PORTABLE),
                           "cuMemHostAlloc")
                   .with("for " + bytes_text(bytes) + " of pinned host memory"));
  return std::shared_ptr<HostBuffer>(std::make_shared<PinnedBuffer>(context, data, bytes));
}

device::Pool::Driver pool_driver(const ContextPointer& context) {
  device::Pool::Driver driver;
  driver.allocate = [context](std::uint64_t bytes) -> Result<std::uint64_t> {
    const Current current(*context);
    CUdeviceptr address = 0;
    PENSTOCK_TRY(context->check(context->api.cuMemAlloc(&address, bytes), "cuMemAlloc"));
    return address;
  };
  driver.free = [context](std::uint64_t address) {
    const Current current(*context);
    context->api.cuMemFree(address);
  };
  driver.free_bytes = [context]() -> std::uint64_t {
    const Current current(*context);
    std::size_t free = 0, total = 0;
    return context->api.cuMemGetInfo(&free, &total) == CUDA_SUCCESS ? free : 0;
  };
  driver.limit_bytes = context->traits.global_bytes;
  driver.max_allocation_bytes = context->traits.max_allocation_bytes;
  driver.device = context->traits.id;
  return driver;
}

}  // namespace

void Context::begin(const std::shared_ptr<Context>& context) {
  auto made = std::make_shared<std::promise<void>>();
  context->made_ = made->get_future().share();
  wait_at_exit(context->made_);
  try {
    ThreadPool::shared().start_detached([context, made] {
      context->make();
      made->set_value();
    });
  } catch (const std::system_error&) {  // no thread
    context->make();
    made->set_value();
  }
}

void Context::make() {
  outcome_ = api.cuDevicePrimaryCtxRetain(&handle_, device);
  if (outcome_ != CUDA_SUCCESS) handle_ = nullptr;
  is_made_.store(true, std::memory_order_release);
}

Status Context::status() const {
  if (handle()) return {};
  return status_of(api, outcome_, "cuDevicePrimaryCtxRetain").with("while opening " + traits.id);
}

bool CudaDevice::has_opened_any() { return has_opened; }

Result<std::shared_ptr<Device>> CudaDevice::open(const FoundDevice& found, const Nvrtc& nvrtc) {
  PENSTOCK_TRY(api().status());
  auto context = std::make_shared<Context>(*api(), nvrtc, found.traits);
  context->device = found.device, context->architecture = found.architecture;
  Context::begin(context);
  has_opened = true;
  return std::shared_ptr<Device>(new CudaDevice(std::move(context)));
}

CudaDevice::CudaDevice(ContextPointer context)
    : context_(std::move(context)),
      pool_(std::make_shared<device::Pool>(pool_driver(context_))),
      objects_(std::make_shared<ObjectCache>()) {
  traits_ = context_->traits;
}

Result<std::shared_ptr<Buffer>> CudaDevice::allocate(std::uint64_t bytes) {
  PENSTOCK_ASSIGN(device::Block block, pool_->take(bytes));
  return std::shared_ptr<Buffer>(
      std::make_shared<device::PooledBuffer>(context_.get(), pool_, std::move(block), bytes));
}

Result<std::shared_ptr<HostBuffer>> CudaDevice::allocate_host(std::uint64_t bytes) {
  return host_pool_->take(
      bytes, [this](std::uint64_t class_bytes) { return allocate_pinned(context_, class_bytes); });
}

Result<std::shared_ptr<HostBuffer>> CudaDevice::pin_host(std::shared_ptr<std::byte> memory,
                                                         std::uint64_t bytes) {
  auto buffer = std::make_shared<RegisteredBuffer>(context_, std::move(memory), bytes);
  PENSTOCK_TRY(buffer->pin(bytes));
  return host_pool_->adopt(std::move(buffer));
}

Result<std::shared_ptr<Buffer>> CudaDevice::wrap_host(const void*, std::uint64_t) {
  return Status(Code::unsupported, traits_.id + " cannot use host memory in place");
}

Result<std::unique_ptr<Queue>> CudaDevice::queue() { return make_queue(context_); }

Result<std::shared_ptr<Buffer>> CudaDevice::import_memory(std::uint64_t handle,
                                                          std::uint64_t bytes) {
  if (handle == 0 && bytes > 0) return Status(Code::invalid, "the memory's address is null");
  return std::shared_ptr<Buffer>(device::PooledBuffer::borrowed(context_.get(), handle, bytes));
}

Result<std::unique_ptr<Queue>> CudaDevice::import_queue(std::uint64_t handle) {
  return borrow_queue(context_, reinterpret_cast<CUstream>(handle));
}

Result<std::shared_ptr<Program>> CudaDevice::build(const ProgramSource& source) {
  return catch_exceptions([&] { return build_or_throw(source); });
}

Result<std::shared_ptr<Program>> CudaDevice::build_or_throw(const ProgramSource& source) {
  PENSTOCK_TRY(device::check_source(traits_, source));
  const std::vector<std::string> options = compiler_options(source);
  const device::CacheKey key =
      device::cache_key(traits_, device::key_options(options, source), source);
  const device::AheadOfTime ahead = programs_ahead_of_time(traits_, source, options);
  const auto sampled = [this] {
    const std::lock_guard lock(sampled_mutex_);
    return sampled_.lock();
  };
  // Programs that were shipped have no lines to tell.
  PENSTOCK_ASSIGN(
      auto found,
      modules_.get(
          key, [&](const device::CacheEntry& entry) { return load_module(context_, entry.binary); },
          [&] { return compile_module(context_, source, *objects_); },
          sampled() ? nullptr : &ahead));
  if (const auto programs = sampled()) {
    const std::lock_guard lock(programs->mutex);
    programs->by_key[found.report.key] = found.module;
  }
  return std::shared_ptr<Program>(std::make_shared<CudaProgram>(
      std::move(found.module), std::move(found.report), source.group_size));
}

Result<std::uint32_t> CudaDevice::resident_groups(const Program& program, std::string_view kernel) {
  const auto* built = dynamic_cast<const CudaProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_ASSIGN(const Kernel* const found, built->kernel(kernel));
  const Current current(*context_);
  int groups = 0;
  PENSTOCK_TRY(context_->check(
      context_->api.cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &groups, found->function, static_cast<int>(found->threads), found->local_bytes),
      "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
  return static_cast<std::uint32_t>(groups) * traits_.compute_units;
}

Result<KernelResources> CudaDevice::resources(const Program& program, std::string_view kernel) {
  const auto* built = dynamic_cast<const CudaProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_ASSIGN(const Kernel* const found, built->kernel(kernel));
  PENSTOCK_ASSIGN(const std::uint32_t groups, resident_groups(program, kernel));
  const Current current(*context_);
  const auto attribute = [&](int which) -> std::optional<std::uint32_t> {
    int value = 0;
    if (context_->api.cuFuncGetAttribute(&value, which, found->function) != CUDA_SUCCESS ||
        value < 0)
      return {};
    return static_cast<std::uint32_t>(value);
  };
  KernelResources resources;
  resources.group_size = found->threads;
  resources.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  resources.private_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  if (const auto fixed = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES))
    resources.local_bytes = *fixed + std::uint64_t{found->local_bytes};
  int max_threads = 0;
  const CUresult got = context_->api.cuDeviceGetAttribute(
      &max_threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, context_->device);
  if (got == CUDA_SUCCESS && max_threads > 0)
    resources.occupancy = static_cast<double>(groups) * found->threads /
                          (static_cast<double>(max_threads) * traits_.compute_units);
  return resources;
}

Result<std::unique_ptr<StallSampler>> CudaDevice::sample_stalls() {
  const std::lock_guard lock(sampled_mutex_);
  if (!sampled_.expired())
    return Status(Code::invalid, "the stalls of " + traits_.id + " are being sampled already");
  auto programs = std::make_shared<SampledPrograms>();
  PENSTOCK_ASSIGN(auto sampler, begin_pc_sampling(context_, programs));
  sampled_ = programs;
  return sampler;
}

}  // namespace penstock::cuda
