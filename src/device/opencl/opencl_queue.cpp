#include "device/opencl/opencl_device.hpp"
#include "device/queue_checks.hpp"

namespace penstock::opencl {
namespace {

class OpenClEvent : public Event {
 public:
  OpenClEvent(ContextPointer context, cl_event event)
      : context_(std::move(context)), event_(event) {}
  ~OpenClEvent() override { context_->api.clReleaseEvent(event_); }
  cl_event handle() const { return event_; }

  Status wait() const override {
    PENSTOCK_TRY(status_of(context_->api.clWaitForEvents(1, &event_), "clWaitForEvents"));
    cl_int state = 0;
    PENSTOCK_TRY(status_of(context_->api.clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                        sizeof state, &state, nullptr),
                           "clGetEventInfo"));
    if (state >= 0) return {};
    return Status(Code::device_lost, "work on " + context_->traits.id +
                                         " failed: " + std::string(name_of_error(state)));
  }
  Result<double> seconds_since(const Event& earlier) const override {
    const auto* other = dynamic_cast<const OpenClEvent*>(&earlier);
    if (!other || other->context_ != context_)
      return Status(Code::invalid, "the earlier event is of another device");
    PENSTOCK_ASSIGN(const cl_ulong from, other->nanoseconds());
    PENSTOCK_ASSIGN(const cl_ulong to, nanoseconds());
    return (static_cast<double>(to) - static_cast<double>(from)) * 1e-9;
  }

 private:
  Result<cl_ulong> nanoseconds() const {
    cl_ulong time = 0;
    cl_int outcome = ask_time(time);
    if (outcome == CL_PROFILING_INFO_NOT_AVAILABLE) {
      // NVIDIA's driver has no time yet of some events that clFinish has waited for.
      PENSTOCK_TRY(wait());
      outcome = ask_time(time);
    }
    PENSTOCK_TRY(status_of(outcome, "clGetEventProfilingInfo"));
    return time;
  }
  cl_int ask_time(cl_ulong& time) const {
    return context_->api.clGetEventProfilingInfo(event_, CL_PROFILING_COMMAND_END, sizeof time,
                                                 &time, nullptr);
  }
  ContextPointer context_;
  cl_event event_;
};

struct QueueHandle : device::QueueState {
  QueueHandle(ContextPointer c, cl_command_queue q, bool borrowed)
      : context(std::move(c)), queue(q), is_borrowed(borrowed) {}
  ~QueueHandle() override { context->api.clReleaseCommandQueue(queue); }

  Result<std::shared_ptr<Event>> record_event() override {
    cl_event event = nullptr;
    PENSTOCK_TRY(status_of(context->api.clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event),
                           "clEnqueueMarkerWithWaitList"));
    std::shared_ptr<Event> owned = std::make_shared<OpenClEvent>(context, event);
    // Another queue may wait for the event only once this queue is flushed (specification, 5.13).
    PENSTOCK_TRY(status_of(context->api.clFlush(queue), "clFlush"));
    return owned;
  }
  Status wait_for(const Event& event) override {
    const auto* other = dynamic_cast<const OpenClEvent*>(&event);
    if (!other)
      return Status(Code::invalid,
                    "a queue of " + context->traits.id + " cannot wait for another driver's event");
    const cl_event handle = other->handle();
    return status_of(context->api.clEnqueueBarrierWithWaitList(queue, 1, &handle, nullptr),
                     "clEnqueueBarrierWithWaitList");
  }
  Status finish() override { return status_of(context->api.clFinish(queue), "clFinish"); }

  ContextPointer context;
  cl_command_queue queue;
  bool is_borrowed;
};

class OpenClQueue : public Queue {
 public:
  explicit OpenClQueue(std::shared_ptr<QueueHandle> state)
      : state_(std::move(state)), api_(state_->context->api), queue_(state_->queue) {}
  ~OpenClQueue() override {
    if (state_->is_borrowed && !uses_pool_)
      return;  // nothing is known to have run, so nothing is saved
    if (!state_->finish().ok()) return;
    for (const auto& module : unsaved_)
      module->save();  // here and not in finish(), so that it happens once
  }

  Status upload(const Buffer& to, const void* from, std::uint64_t bytes,
                std::uint64_t to_offset) override {
    PENSTOCK_TRY(device::check_range("upload", to, bytes, to_offset));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(const cl_mem memory, use(to));
    return status_of(
        api_.clEnqueueWriteBuffer(queue_, memory, 0, to_offset, bytes, from, 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  }
  Status download(void* to, const Buffer& from, std::uint64_t bytes,
                  std::uint64_t from_offset) override {
    PENSTOCK_TRY(device::check_range("download", from, bytes, from_offset));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(const cl_mem memory, use(from));
    return status_of(
        api_.clEnqueueReadBuffer(queue_, memory, 0, from_offset, bytes, to, 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
  }
  Status copy(const Buffer& to, const Buffer& from, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_copy(to, from, bytes));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(const cl_mem target, use(to));
    PENSTOCK_ASSIGN(const cl_mem source, use(from));
    return status_of(
        api_.clEnqueueCopyBuffer(queue_, source, target, 0, 0, bytes, 0, nullptr, nullptr),
        "clEnqueueCopyBuffer");
  }
  Status fill(const Buffer& to, std::uint32_t value, std::uint64_t bytes) override {
    PENSTOCK_TRY(device::check_fill(to, bytes));
    if (bytes == 0) return {};
    PENSTOCK_ASSIGN(const cl_mem memory, use(to));
    return status_of(api_.clEnqueueFillBuffer(queue_, memory, &value, sizeof value, 0, bytes, 0,
                                              nullptr, nullptr),
                     "clEnqueueFillBuffer");
  }
  Status launch(const Program& program, std::string_view name, std::uint32_t groups,
                std::span<const Argument> arguments) override {
    const auto* built = dynamic_cast<const OpenClProgram*>(&program);
    if (!built)
      return Status(Code::invalid,
                    "kernel '" + std::string(name) + "' belongs to another driver's device");
    PENSTOCK_ASSIGN(Kernel* const kernel, built->module().kernel(name));
    PENSTOCK_TRY(device::check_argument_count(name, kernel->argument_count, arguments.size()));
    if (groups == 0) return {};
    const std::lock_guard guard(kernel->mutex);
    for (cl_uint i = 0; i < arguments.size(); i++)
      if (const Status set = set_argument(*kernel, i, arguments[i]); !set.ok())
        return device::with_argument(set, i, name);
    const std::size_t local = built->group_size(), global = local * groups;
    if (const Status enqueued = enqueue(*kernel, global, local); !enqueued.ok())
      return enqueued.with("kernel '" + std::string(name) + "'");
    if (built->module().notes_launch(name, global)) unsaved_.insert(built->shared_module());
    return {};
  }
  Result<std::shared_ptr<Event>> record() override { return state_->record(); }
  Status wait_for(const Event& event) override { return state_->wait_for(event); }
  Status flush() override { return status_of(api_.clFlush(queue_), "clFlush"); }
  Status finish() override { return state_->finish(); }

 private:
  Result<cl_mem> use(const Buffer& buffer) {
    const auto* pooled = dynamic_cast<const device::PooledBuffer*>(&buffer);
    if (!pooled || pooled->device() != state_->context.get())
      return Status(Code::invalid,
                    "the buffer belongs to another device than " + state_->context->traits.id);
    PENSTOCK_TRY(pooled->touch(state_));
    uses_pool_ |= !pooled->is_borrowed();
    return reinterpret_cast<cl_mem>(pooled->handle());
  }
  Status enqueue(const Kernel& kernel, std::size_t global, std::size_t local) {
    if (!kernel.growth) return enqueue(kernel, global, local, nullptr);
    const std::lock_guard guard(kernel.growth->mutex);
    PENSTOCK_TRY(kernel.growth->before_launch(queue_, global));
    cl_event event = nullptr;
    PENSTOCK_TRY(enqueue(kernel, global, local, &event));
    kernel.growth->after_launch(queue_, global, event);
    return {};
  }
  Status enqueue(const Kernel& kernel, std::size_t global, std::size_t local, cl_event* event) {
    return status_of(api_.clEnqueueNDRangeKernel(queue_, kernel.handle, 1, nullptr, &global, &local,
                                                 0, nullptr, event),
                     "clEnqueueNDRangeKernel");
  }
  Status set_argument(const Kernel& kernel, cl_uint index, const Argument& argument) {
    if (argument.offset_bytes != 0)
      return Status(Code::unsupported, "OpenCL buffers are passed from their start");
    if (!argument.buffer && argument.byte_count == 0)
      return Status(Code::invalid, "neither a buffer nor a value");
    cl_mem memory = nullptr;
    if (argument.buffer) { PENSTOCK_ASSIGN(memory, use(*argument.buffer)); }
    const void* data = argument.buffer ? static_cast<const void*>(&memory) : argument.bytes.data();
    const cl_int outcome = api_.clSetKernelArg(
        kernel.handle, index, argument.buffer ? sizeof memory : argument.byte_count, data);
    if (outcome == CL_INVALID_ARG_SIZE || outcome == CL_INVALID_ARG_VALUE ||
        outcome == CL_INVALID_MEM_OBJECT)
      return Status(Code::invalid, "has another type than the kernel's parameter: " +
                                       std::string(name_of_error(outcome)));
    return status_of(outcome, "clSetKernelArg");
  }

  std::shared_ptr<QueueHandle> state_;
  const Api& api_;
  cl_command_queue queue_;
  std::set<std::shared_ptr<Module>> unsaved_;
  bool uses_pool_ = false;  // the pool takes a destroyed queue for a finished one
};

}  // namespace

Result<std::unique_ptr<Queue>> make_queue(const ContextPointer& context) {
  cl_int outcome = CL_SUCCESS;
  cl_command_queue queue = context->api.clCreateCommandQueue(context->context, context->device,
                                                             CL_QUEUE_PROFILING_ENABLE, &outcome);
  PENSTOCK_TRY(status_of(outcome, "clCreateCommandQueue"));
  return std::unique_ptr<Queue>(
      std::make_unique<OpenClQueue>(std::make_shared<QueueHandle>(context, queue, false)));
}

Result<std::unique_ptr<Queue>> borrow_queue(ContextPointer context, cl_command_queue queue) {
  if (queue == nullptr) return Status(Code::invalid, "the queue's handle is null");
  const Api& api = context->api;
  cl_context theirs = nullptr;
  cl_bitfield properties = 0;
  PENSTOCK_TRY(
      status_of(api.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof theirs, &theirs, nullptr),
                "clGetCommandQueueInfo"));
  if (theirs != context->context)
    return Status(Code::invalid,
                  "the queue is of another context than that of " + context->traits.id);
  PENSTOCK_TRY(status_of(api.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                                   &properties, nullptr),
                         "clGetCommandQueueInfo"));
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    return Status(Code::invalid,
                  "the queue runs its work out of order; the queue must be in order");
  PENSTOCK_TRY(status_of(api.clRetainCommandQueue(queue), "clRetainCommandQueue"));
  return std::unique_ptr<Queue>(std::make_unique<OpenClQueue>(
      std::make_shared<QueueHandle>(std::move(context), queue, true)));
}

}  // namespace penstock::opencl
