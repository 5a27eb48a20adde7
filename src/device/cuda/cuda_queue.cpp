#include <array>
#include <limits>

#include "device/cuda/cuda_device.hpp"
#include "device/queue_checks.hpp"

namespace penstock::cuda {
namespace {

class CudaEvent : public Event {
 public:
  CudaEvent(ContextPointer context, CUevent event) : context_(std::move(context)), event_(event) {}
  ~CudaEvent() override {
    if (context_->idle_events.keep(event_)) return;
    const Current current(*context_);
    context_->api.cuEventDestroy(event_);
  }
  CUevent handle() const { return event_; }

  Status wait() const override {
    const Current current(*context_);
    return context_->check(context_->api.cuEventSynchronize(event_), "cuEventSynchronize");
  }
  Result<double> seconds_since(const Event& earlier) const override {
    const auto* other = dynamic_cast<const CudaEvent*>(&earlier);
    if (!other || other->context_ != context_)
      return Status(Code::invalid, "the earlier event is of another device");
    const Current current(*context_);
    float milliseconds = 0;
    const CUresult outcome = context_->api.cuEventElapsedTime(&milliseconds, other->event_, event_);
    if (outcome == CUDA_ERROR_NOT_READY)
      return Status(Code::invalid,
                    "an event has no time before it has happened; wait for it first");
    PENSTOCK_TRY(context_->check(outcome, "cuEventElapsedTime"));
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  ContextPointer context_;
  CUevent event_;
};

struct QueueHandle : device::QueueState {
  QueueHandle(ContextPointer c, CUstream s, bool borrowed)
      : context(std::move(c)), stream(s), is_borrowed(borrowed) {}
  ~QueueHandle() override {
    if (is_borrowed || context->idle_streams.keep(stream)) return;
    const Current current(*context);
    context->api.cuStreamDestroy(stream);
  }

  Result<std::shared_ptr<Event>> record_event() override {
    const Current current(*context);
    CUevent event = context->idle_events.take();
    if (!event)
      PENSTOCK_TRY(
          context->check(context->api.cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate"));
    std::shared_ptr<Event> owned = std::make_shared<CudaEvent>(context, event);
    PENSTOCK_TRY(context->check(context->api.cuEventRecord(event, stream), "cuEventRecord"));
    return owned;
  }
  Status wait_for(const Event& event) override {
    const auto* other = dynamic_cast<const CudaEvent*>(&event);
    if (!other)
      return Status(Code::invalid,
                    "a queue of " + context->traits.id + " cannot wait for another driver's event");
    const Current current(*context);
    return context->check(context->api.cuStreamWaitEvent(stream, other->handle(), 0),
                          "cuStreamWaitEvent");
  }
  Status finish() override {
    const Current current(*context);
    return context->check(context->api.cuStreamSynchronize(stream), "cuStreamSynchronize");
  }

  ContextPointer context;
  CUstream stream;
  bool is_borrowed;
};

constexpr std::size_t argument_limit = 64;  // of one launch; CUDA's own is 4 KB of them

class CudaQueue : public Queue {
 public:
  explicit CudaQueue(std::shared_ptr<QueueHandle> state)
      : state_(std::move(state)),
        context_(*state_->context),
        api_(context_.api),
        stream_(state_->stream) {}
  ~CudaQueue() override {
    if (!state_->is_borrowed || uses_pool_) (void)state_->finish();
  }

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    PENSTOCK_TRY(device::check_range("upload", to, bytes, to_offset));
    if (bytes == 0) return {};
    const Current current(context_);
    PENSTOCK_ASSIGN(const CUdeviceptr address, use(to));
    return context_.check(api_.cuMemcpyHtoDAsync(address + to_offset, from, bytes, stream_),
                          "cuMemcpyHtoDAsync");
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    PENSTOCK_TRY(device::check_range("download", from, bytes, from_offset));
    if (bytes == 0) return {};
    const Current current(context_);
    PENSTOCK_ASSIGN(const CUdeviceptr address, use(from));
    return context_.check(api_.cuMemcpyDtoHAsync(to, address + from_offset, bytes, stream_),
                          "cuMemcpyDtoHAsync");
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_copy(to, from, bytes));
    if (bytes == 0) return {};
    const Current current(context_);
    PENSTOCK_ASSIGN(const CUdeviceptr target, use(to));
    PENSTOCK_ASSIGN(const CUdeviceptr source, use(from));
    return context_.check(api_.cuMemcpyDtoDAsync(target, source, bytes, stream_),
                          "cuMemcpyDtoDAsync");
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_fill(to, bytes));
    if (bytes == 0) return {};
    const Current current(context_);
    PENSTOCK_ASSIGN(const CUdeviceptr address, use(to));
    return context_.check(api_.cuMemsetD32Async(address, value, bytes / 4, stream_),
                          "cuMemsetD32Async");
  }
  Status launch(const Program& program, std::string_view name, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    return launch(program, name, groups, arguments, false);
  }
  Status launch_resident(const Program& program, std::string_view name, std::uint32_t groups,
                         std::span<const Argument> arguments) override {
    return launch(program, name, groups, arguments, true);
  }
  Status copy_from_peer(const Buffer& to, std::uint64_t to_offset, CUdeviceptr from,
                        CUcontext from_context, std::uint64_t bytes) {
    const Current current(context_);
    PENSTOCK_ASSIGN(const CUdeviceptr address, use(to));
    return context_.check(api_.cuMemcpyPeerAsync(address + to_offset, context_.handle(), from,
                                                 from_context, bytes, stream_),
                          "cuMemcpyPeerAsync");
  }
  Status launch_with(const Kernel& kernel, std::uint32_t groups, void* parameter) {
    if (groups == 0) return {};
    const Current current(context_);
    return context_.check(api_.cuLaunchKernel(kernel.function, groups, 1, 1, kernel.threads, 1, 1,
                                              kernel.local_bytes, stream_, &parameter, nullptr),
                          "cuLaunchKernel");
  }
  Result<CUdeviceptr> address_for(const Buffer& buffer) {
    const Current current(context_);
    return use(buffer);
  }
  Result<std::shared_ptr<Event>> record() override { return state_->record(); }
  Status wait_for(const Event& event) override { return state_->wait_for(event); }
  Status flush() override { return {}; }  // a stream starts by itself
  Status finish() override { return state_->finish(); }

 private:
  Status launch(const Program& program, std::string_view name, std::uint32_t groups,
                std::span<const Argument> arguments, bool resident) {
    const auto* built = dynamic_cast<const CudaProgram*>(&program);
    if (!built)
      return Status(Code::invalid,
                    "kernel '" + std::string(name) + "' belongs to another driver's device");
    PENSTOCK_ASSIGN(const Kernel* const kernel, built->kernel(name));
    if (kernel->sizes_known)
      PENSTOCK_TRY(
          device::check_argument_count(name, kernel->argument_bytes.size(), arguments.size()));
    if (arguments.size() > argument_limit ||
        groups > std::uint32_t{std::numeric_limits<std::int32_t>::max()})
      return Status(Code::capacity, "kernel '" + std::string(name) +
                                        "': at most 64 arguments and 2^31-1 groups a launch");
    if (groups == 0) return {};
    const Current current(context_);
    std::array<CUdeviceptr, argument_limit> addresses;
    std::array<void*, argument_limit> pointers;
    for (std::size_t i = 0; i < arguments.size(); i++)
      if (const Status set = set_argument(*kernel, i, arguments[i], addresses[i], pointers[i]);
          !set.ok())
        return device::with_argument(set, i, name);
    const CUresult outcome =
        resident
            ? api_.cuLaunchCooperativeKernel(kernel->function, groups, 1, 1, kernel->threads, 1, 1,
                                             kernel->local_bytes, stream_, pointers.data())
            : api_.cuLaunchKernel(kernel->function, groups, 1, 1, kernel->threads, 1, 1,
                                  kernel->local_bytes, stream_, pointers.data(), nullptr);
    if (outcome == CUDA_SUCCESS) return {};
    return context_.check(outcome, resident ? "cuLaunchCooperativeKernel" : "cuLaunchKernel")
        .with("kernel '" + std::string(name) + "'");
  }
  Result<CUdeviceptr> use(const Buffer& buffer) {
    const auto* pooled = dynamic_cast<const device::PooledBuffer*>(&buffer);
    if (!pooled || pooled->device() != &context_)
      return Status(Code::invalid,
                    "the buffer belongs to another device than " + context_.traits.id);
    PENSTOCK_TRY(pooled->touch(state_));
    uses_pool_ |= !pooled->is_borrowed();
    return pooled->handle();
  }
  Status set_argument(const Kernel& kernel, std::size_t index, const Argument& argument,
                      CUdeviceptr& address, void*& pointer) {
    if (!argument.buffer && argument.byte_count == 0)
      return Status(Code::invalid, "neither a buffer nor a value");
    const std::uint32_t bytes = argument.buffer ? sizeof address : argument.byte_count;
    if (kernel.sizes_known && kernel.argument_bytes[index] != bytes)
      return Status(Code::invalid, "has " + std::to_string(bytes) +
                                       " bytes, the kernel's parameter " +
                                       std::to_string(kernel.argument_bytes[index]));
    pointer = const_cast<std::byte*>(argument.bytes.data());
    if (!argument.buffer) return {};
    if (argument.offset_bytes > argument.buffer->bytes())
      return Status(Code::invalid, "starts past the end of its buffer");
    PENSTOCK_ASSIGN(address, use(*argument.buffer));
    address += argument.offset_bytes, pointer = &address;
    return {};
  }

  std::shared_ptr<QueueHandle> state_;
  const Context& context_;
  const Api& api_;
  CUstream stream_;
  bool uses_pool_ = false;  // the pool takes a destroyed queue for a finished one
};

}  // namespace

Result<std::unique_ptr<Queue>> make_queue(const ContextPointer& context) {
  const Current current(*context);
  CUstream stream = context->idle_streams.take();
  if (!stream)
    PENSTOCK_TRY(context->check(context->api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                                "cuStreamCreate"));
  return std::unique_ptr<Queue>(
      std::make_unique<CudaQueue>(std::make_shared<QueueHandle>(context, stream, false)));
}

Status copy_from_peer(Queue& queue, const Buffer& to, std::uint64_t to_offset, CUdeviceptr from,
                      CUcontext from_context, std::uint64_t bytes) {
  return dynamic_cast<CudaQueue&>(queue).copy_from_peer(to, to_offset, from, from_context, bytes);
}

Result<CUdeviceptr> address_for(Queue& queue, const Buffer& buffer) {
  return dynamic_cast<CudaQueue&>(queue).address_for(buffer);
}

Status launch_with(Queue& queue, const Kernel& kernel, std::uint32_t groups, void* parameter) {
  return dynamic_cast<CudaQueue&>(queue).launch_with(kernel, groups, parameter);
}

std::unique_ptr<Queue> borrow_queue(ContextPointer context, CUstream stream) {
  return std::make_unique<CudaQueue>(
      std::make_shared<QueueHandle>(std::move(context), stream, true));
}

}  // namespace penstock::cuda
