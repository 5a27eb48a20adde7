#include "device/sycl/sycl_device.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/exception_boundary.hpp"
#include "base/human_readable.hpp"
#include "device/program_source.hpp"
#include "device/resident_groups.hpp"

namespace penstock::sycl_plugin {
namespace {

Result<void*> allocate_usm(const Context& context, std::uint64_t bytes, bool on_host) {
  void* memory = nullptr;
  PENSTOCK_TRY(call(on_host ? "malloc_host" : "malloc_device", context.api.allocate, context.device,
                    bytes, std::uint32_t{on_host}, &memory));
  return memory;
}

// Host memory that the device copies at full speed.
class UsmHostBuffer : public HostBuffer {
 public:
  UsmHostBuffer(ContextPointer context, void* data, std::uint64_t bytes)
      : context_(std::move(context)) {
    data_ = static_cast<std::byte*>(data), bytes_ = bytes;
  }
  ~UsmHostBuffer() override { context_->api.release(context_->device, data_); }

 private:
  ContextPointer context_;
};

device::Pool::Driver pool_driver(const ContextPointer& context) {
  device::Pool::Driver driver;
  driver.allocate = [context](std::uint64_t bytes) -> Result<std::uint64_t> {
    PENSTOCK_ASSIGN(void* const memory, allocate_usm(*context, bytes, false));
    return reinterpret_cast<std::uint64_t>(memory);
  };
  driver.free = [context](std::uint64_t address) {
    context->api.release(context->device, reinterpret_cast<void*>(address));
  };
  driver.limit_bytes = context->traits.global_bytes;
  driver.max_allocation_bytes = context->traits.max_allocation_bytes;
  driver.device = context->traits.id;
  return driver;
}

Result<std::shared_ptr<HostBuffer>> allocate_host_usm(const ContextPointer& context,
                                                      std::uint64_t bytes) {
  const std::uint64_t at_least = std::max<std::uint64_t>(bytes, 1);
  auto memory = allocate_usm(*context, at_least, true);
  if (!memory.ok())
    return Status(Code::no_memory, "the host has no memory for a buffer of " + bytes_text(bytes));
  return std::shared_ptr<HostBuffer>(std::make_shared<UsmHostBuffer>(context, *memory, bytes));
}

}  // namespace

Result<std::shared_ptr<Device>> SyclDevice::open(Traits traits, std::uint32_t index) {
  PENSTOCK_TRY(api().status());
  const Api& functions = **api();
  penstock_sycl_device* device = nullptr;
  PENSTOCK_TRY(call("open_device", functions.open_device, index, &device)
                   .with("while opening " + traits.id));
  return std::shared_ptr<Device>(
      new SyclDevice(std::make_shared<Context>(functions, std::move(traits), device)));
}

Result<std::shared_ptr<Device>> SyclDevice::open_of_queue(std::uint64_t handle) {
  if (handle == 0) return Status(Code::invalid, "the queue's handle is null");
  PENSTOCK_TRY(api().status());
  const Api& functions = **api();
  penstock_sycl_device* device = nullptr;
  std::uint32_t index = 0;
  PENSTOCK_TRY(call("open_device_of_queue", functions.open_device_of_queue,
                    reinterpret_cast<void*>(handle), &device, &index));
  std::vector<std::string> notes;
  for (Traits& traits : all_traits(notes))
    if (traits.id == "sycl:" + std::to_string(index))
      return std::shared_ptr<Device>(
          new SyclDevice(std::make_shared<Context>(functions, std::move(traits), device)));
  functions.close_device(device);
  return Status(Code::no_device, "the queue's device is not one that `penstock devices` lists");
}

SyclDevice::SyclDevice(ContextPointer context)
    : context_(std::move(context)), pool_(std::make_shared<device::Pool>(pool_driver(context_))) {
  traits_ = context_->traits;
}

Result<std::shared_ptr<Buffer>> SyclDevice::allocate(std::uint64_t bytes) {
  PENSTOCK_ASSIGN(device::Block block, pool_->take(bytes));
  return std::shared_ptr<Buffer>(
      std::make_shared<device::PooledBuffer>(context_.get(), pool_, std::move(block), bytes));
}

Result<std::shared_ptr<HostBuffer>> SyclDevice::allocate_host(std::uint64_t bytes) {
  if (traits_.is_cpu) return allocate_host_usm(context_, bytes);  // no pages are pinned
  return host_pool_->take(bytes, [this](std::uint64_t class_bytes) {
    return allocate_host_usm(context_, class_bytes);
  });
}

Result<std::shared_ptr<Buffer>> SyclDevice::wrap_host(const void* data, std::uint64_t bytes) {
  if (!traits_.unified_memory)
    return Status(Code::unsupported, traits_.id + " cannot use host memory in place");
  if (!data || bytes == 0) return allocate(bytes);
  const auto release = [](std::uint64_t) {};
  return std::shared_ptr<Buffer>(std::make_shared<device::PooledBuffer>(
      context_.get(), device::Block{reinterpret_cast<std::uint64_t>(data), bytes, {}}, bytes,
      release));
}

Result<std::unique_ptr<Queue>> SyclDevice::queue() { return make_queue(context_); }

Result<std::shared_ptr<Buffer>> SyclDevice::import_memory(std::uint64_t handle,
                                                          std::uint64_t bytes) {
  if (handle == 0 && bytes > 0) return Status(Code::invalid, "the memory's address is null");
  if (handle != 0)
    PENSTOCK_TRY(call("get_pointer_type", context_->api.check_memory, context_->device,
                      reinterpret_cast<const void*>(handle)));
  return std::shared_ptr<Buffer>(device::PooledBuffer::borrowed(context_.get(), handle, bytes));
}

Result<std::unique_ptr<Queue>> SyclDevice::import_queue(std::uint64_t handle) {
  return borrow_queue(context_, handle);
}

Result<std::shared_ptr<Program>> SyclDevice::build(const ProgramSource& source) {
  return catch_exceptions([&] { return build_or_throw(source); });
}

Result<std::shared_ptr<Program>> SyclDevice::build_or_throw(const ProgramSource& source) {
  PENSTOCK_TRY(device::check_source(traits_, source));
  const device::CacheKey key = device::cache_key(
      traits_, device::key_options(options_of_key(*context_, source.fast_math), source), source);
  const device::AheadOfTime ahead = programs_ahead_of_time(*context_, source);
  PENSTOCK_ASSIGN(
      auto found,
      modules_.get(
          key, [&](const device::CacheEntry& entry) { return load_module(context_, entry.binary); },
          [&] { return compile_module(context_, source); }, &ahead));
  return std::shared_ptr<Program>(std::make_shared<SyclProgram>(
      std::move(found.module), std::move(found.report), source.group_size));
}

Result<std::uint32_t> SyclDevice::resident_groups(const Program& program, std::string_view kernel) {
  const auto* built = dynamic_cast<const SyclProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_ASSIGN(const Kernel* const found, built->module().kernel(kernel));
  return device::resident_groups_by_size(traits_, built->group_size(), found->info.local_bytes);
}

Result<KernelResources> SyclDevice::resources(const Program& program, std::string_view kernel) {
  const auto* built = dynamic_cast<const SyclProgram*>(&program);
  if (!built) return Status(Code::invalid, "the program belongs to another driver's device");
  PENSTOCK_ASSIGN(const Kernel* const found, built->module().kernel(kernel));
  KernelResources resources;
  resources.group_size = built->group_size();
  resources.local_bytes = found->info.local_bytes;
  return resources;
}

}  // namespace penstock::sycl_plugin
