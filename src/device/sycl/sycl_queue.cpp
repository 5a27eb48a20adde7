#include <array>

#include "device/queue_checks.hpp"
#include "device/sycl/sycl_device.hpp"

namespace penstock::sycl_plugin {
namespace {

class SyclEvent : public Event {
 public:
  SyclEvent(ContextPointer context, penstock_sycl_event* event)
      : context_(std::move(context)), event_(event) {}
  ~SyclEvent() override { context_->api.free_event(event_); }
  const penstock_sycl_event* handle() const { return event_; }

  Status wait() const override { return call("event::wait", context_->api.wait, event_); }
  Result<double> seconds_since(const Event& earlier) const override {
    const auto* other = dynamic_cast<const SyclEvent*>(&earlier);
    if (!other || other->context_ != context_)
      return Status(Code::invalid, "the earlier event is of another device");
    PENSTOCK_ASSIGN(const std::uint64_t from, other->nanoseconds());
    PENSTOCK_ASSIGN(const std::uint64_t to, nanoseconds());
    return (static_cast<double>(to) - static_cast<double>(from)) * 1e-9;
  }

 private:
  Result<std::uint64_t> nanoseconds() const {
    std::uint64_t time = 0;
    PENSTOCK_TRY(call("event::get_profiling_info", context_->api.end_nanoseconds, event_, &time));
    return time;
  }
  ContextPointer context_;
  penstock_sycl_event* event_;
};

struct QueueHandle : device::QueueState {
  QueueHandle(ContextPointer c, penstock_sycl_queue* q, bool borrowed)
      : context(std::move(c)), queue(q), is_borrowed(borrowed) {}
  ~QueueHandle() override { context->api.free_queue(queue); }

  Result<std::shared_ptr<Event>> record_event() override {
    penstock_sycl_event* event = nullptr;
    PENSTOCK_TRY(call("queue::submit", context->api.record, queue, &event));
    return std::shared_ptr<Event>(std::make_shared<SyclEvent>(context, event));
  }
  Status wait_for(const Event& event) override {
    const auto* other = dynamic_cast<const SyclEvent*>(&event);
    if (!other)
      return Status(Code::invalid,
                    "a queue of " + context->traits.id + " cannot wait for another driver's event");
    return call("handler::depends_on", context->api.wait_for, queue, other->handle());
  }
  Status finish() override { return call("queue::wait", context->api.finish, queue); }

  ContextPointer context;
  penstock_sycl_queue* queue;
  bool is_borrowed;
};

class SyclQueue : public Queue {
 public:
  explicit SyclQueue(std::shared_ptr<QueueHandle> state)
      : state_(std::move(state)), api_(state_->context->api), queue_(state_->queue) {}
  ~SyclQueue() override {
    if (!state_->is_borrowed || uses_pool_) (void)state_->finish();
  }

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    PENSTOCK_TRY(device::check_range("upload", to, bytes, to_offset));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(std::byte* const memory, use(to));
    return call("queue::memcpy", api_.copy, queue_, memory + to_offset, from, bytes);
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    PENSTOCK_TRY(device::check_range("download", from, bytes, from_offset));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(std::byte* const memory, use(from));
    return call("queue::memcpy", api_.copy, queue_, to, memory + from_offset, bytes);
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_copy(to, from, bytes));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(std::byte* const target, use(to));
    PENSTOCK_ASSIGN(std::byte* const source, use(from));
    return call("queue::memcpy", api_.copy, queue_, target, source, bytes);
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_fill(to, bytes));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(std::byte* const memory, use(to));
    return call("queue::fill", api_.fill, queue_, memory, value, bytes / 4);
  }
  Status launch(const Program& program, std::string_view name, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    const auto* built = dynamic_cast<const SyclProgram*>(&program);
    if (!built)
      return Status(Code::invalid,
                    "kernel '" + std::string(name) + "' belongs to another driver's device");
    PENSTOCK_ASSIGN(const Kernel* const kernel, built->module().kernel(name));
    PENSTOCK_TRY(
        device::check_argument_count(name, kernel->info.parameter_count, arguments.size()));
    if (groups == 0) return {};
    std::vector<std::array<std::byte, 16>> values(arguments.size());
    std::vector<void*> addresses(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); i++) {
      addresses[i] = values[i].data();
      if (const Status set = set_argument(kernel->info.value_bytes[i], arguments[i], values[i]);
          !set.ok())
        return device::with_argument(set, i, name);
    }
    const Status launched =
        call("queue::submit", api_.launch, queue_, kernel->handle, groups, addresses.data());
    return launched.ok() ? launched : launched.with("kernel '" + std::string(name) + "'");
  }
  Result<std::shared_ptr<Event>> record() override { return state_->record(); }
  Status wait_for(const Event& event) override { return state_->wait_for(event); }
  Status flush() override { return call("flush", api_.flush, queue_); }
  Status finish() override { return state_->finish(); }

 private:
  Result<std::byte*> use(const Buffer& buffer) {
    const auto* pooled = dynamic_cast<const device::PooledBuffer*>(&buffer);
    if (!pooled || pooled->device() != state_->context.get())
      return Status(Code::invalid,
                    "the buffer belongs to another device than " + state_->context->traits.id);
    PENSTOCK_TRY(pooled->touch(state_));
    uses_pool_ |= !pooled->is_borrowed();
    return reinterpret_cast<std::byte*>(pooled->handle());
  }
  // `value_bytes`: of the parameter; 0 if it is a pointer.
  Status set_argument(std::uint32_t value_bytes, const Argument& argument,
                      std::array<std::byte, 16>& to) {
    if (!argument.buffer && argument.byte_count == 0)
      return Status(Code::invalid, "neither a buffer nor a value");
    if ((argument.buffer != nullptr) != (value_bytes == 0) ||
        (!argument.buffer && argument.byte_count != value_bytes))
      return Status(Code::invalid, "has another type than the kernel's parameter");
    if (!argument.buffer) {
      to = argument.bytes;
      return {};
    }
    PENSTOCK_ASSIGN(std::byte* const memory, use(*argument.buffer));
    std::byte* const at = memory + argument.offset_bytes;
    std::memcpy(to.data(), &at, sizeof at);
    return {};
  }

  std::shared_ptr<QueueHandle> state_;
  const Api& api_;
  penstock_sycl_queue* queue_;
  bool uses_pool_ = false;  // the pool takes a destroyed queue for a finished one
};

std::unique_ptr<Queue> queue_of(const ContextPointer& context, penstock_sycl_queue* queue,
                                bool is_borrowed) {
  return std::make_unique<SyclQueue>(std::make_shared<QueueHandle>(context, queue, is_borrowed));
}

}  // namespace

Result<std::unique_ptr<Queue>> make_queue(const ContextPointer& context) {
  penstock_sycl_queue* queue = nullptr;
  PENSTOCK_TRY(call("queue", context->api.make_queue, context->device, &queue));
  return queue_of(context, queue, false);
}

Result<std::unique_ptr<Queue>> borrow_queue(const ContextPointer& context, std::uint64_t handle) {
  if (handle == 0) return Status(Code::invalid, "the queue's handle is null");
  penstock_sycl_queue* queue = nullptr;
  PENSTOCK_TRY(call("queue", context->api.borrow_queue, context->device,
                    reinterpret_cast<void*>(handle), &queue));
  return queue_of(context, queue, true);
}

}  // namespace penstock::sycl_plugin
