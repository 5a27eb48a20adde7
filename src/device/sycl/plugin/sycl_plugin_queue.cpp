// Queues and events of the SYCL plug-in, and its table of functions.
#include "sycl_objects.hpp"

#ifndef PENSTOCK_SYCL_COMMAND
#error "PENSTOCK_SYCL_COMMAND: the compiler and its options, one a line"
#endif

namespace penstock_sycl {
namespace {

class MarkerKernel;

// An event that happens when all work before it has: SYCL has no markers.
sycl::event mark(sycl::queue& queue, const sycl::event* after) {
  return queue.submit([&](sycl::handler& handler) {
    if (after) handler.depends_on(*after);
    handler.single_task<MarkerKernel>([] {});
  });
}

#ifdef __ACPP__
// Its runtime holds work back until some gathers; SYCL has no word to begin it.
void begin_work() {
  hipsycl::rt::runtime_keep_alive_token runtime;
  runtime.get()->dag().flush_async();
}
#else
void begin_work() {}
#endif

}  // namespace

int32_t make_queue(penstock_sycl_device* device, penstock_sycl_queue** queue,
                   penstock_sycl_error* error) {
  return guarded(error, [&] {
    *queue = new penstock_sycl_queue{
        sycl::queue(
            device->context, device->device,
            [errors = device->errors](const sycl::exception_list& list) { errors->add(list); },
            {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()}),
        device->errors};
    return 0;
  });
}

int32_t borrow_queue(penstock_sycl_device* device, void* theirs, penstock_sycl_queue** queue,
                     penstock_sycl_error* error) {
  return guarded(error, [&] {
    const sycl::queue& given = *static_cast<const sycl::queue*>(theirs);
    if (!given.is_in_order())
      return fail(error, PENSTOCK_SYCL_INVALID,
                  "the queue runs its work out of order; the queue must be in order");
    if (given.get_device() != device->device)
      return fail(error, PENSTOCK_SYCL_INVALID, "the queue is of another device");
    if (given.get_context() != device->context)
      return fail(error, PENSTOCK_SYCL_INVALID,
                  "the queue is of another context, which the device's memory is not of: open the "
                  "device by the queue");
    *queue = new penstock_sycl_queue{given, device->errors};
    return 0;
  });
}

void free_queue(penstock_sycl_queue* queue) { delete queue; }

int32_t copy(penstock_sycl_queue* queue, void* to, const void* from, uint64_t bytes,
             penstock_sycl_error* error) {
  return guarded(error, [&] {
    queue->queue.memcpy(to, from, bytes);
    return 0;
  });
}

int32_t fill(penstock_sycl_queue* queue, void* to, uint32_t value, uint64_t words,
             penstock_sycl_error* error) {
  return guarded(error, [&] {
    queue->queue.fill(static_cast<uint32_t*>(to), value, words);
    return 0;
  });
}

int32_t launch(penstock_sycl_queue* queue, const penstock_sycl_kernel* kernel, uint32_t groups,
               void** arguments, penstock_sycl_error* error) {
  return guarded(error, [&] {
    kernel->launch(queue->queue, groups, arguments);
    return 0;
  });
}

int32_t flush(penstock_sycl_queue*, penstock_sycl_error* error) {
  return guarded(error, [&] {
    begin_work();
    return 0;
  });
}

int32_t finish(penstock_sycl_queue* queue, penstock_sycl_error* error) {
  return guarded(error, [&] {
    queue->queue.wait_and_throw();
    return queue->errors->check(error);
  });
}

int32_t record(penstock_sycl_queue* queue, penstock_sycl_event** event,
               penstock_sycl_error* error) {
  return guarded(error, [&] {
    *event = new penstock_sycl_event{mark(queue->queue, nullptr), queue->errors};
    return 0;
  });
}

int32_t wait_for(penstock_sycl_queue* queue, const penstock_sycl_event* event,
                 penstock_sycl_error* error) {
  return guarded(error, [&] {
    mark(queue->queue, &event->event);
    return 0;
  });
}

int32_t wait(const penstock_sycl_event* event, penstock_sycl_error* error) {
  return guarded(error, [&] {
    sycl::event copy = event->event;
    copy.wait_and_throw();
    return event->errors->check(error);
  });
}

int32_t end_nanoseconds(const penstock_sycl_event* event, uint64_t* nanoseconds,
                        penstock_sycl_error* error) {
  return guarded(error, [&] {
    *nanoseconds = event->event.get_profiling_info<sycl::info::event_profiling::command_end>();
    return 0;
  });
}

void free_event(penstock_sycl_event* event) { delete event; }

}  // namespace penstock_sycl

extern "C" __attribute__((visibility("default"))) const penstock_sycl_interface*
penstock_sycl_plugin(void) {
  using namespace penstock_sycl;
  static const penstock_sycl_interface table = {
      .version = PENSTOCK_SYCL_INTERFACE_VERSION,
      .compiler_command = PENSTOCK_SYCL_COMMAND,
      .compiler_version = PENSTOCK_SYCL_COMPILER_VERSION,
#ifdef __ACPP__
      .has_precompiled_headers = 1,
#else
      .has_precompiled_headers = 0,
#endif
      .device_count = device_count,
      .device_info = device_info,
      .open_device = open_device,
      .open_device_of_queue = open_device_of_queue,
      .close_device = close_device,
      .allocate = allocate,
      .release = release,
      .check_memory = check_memory,
      .make_queue = make_queue,
      .borrow_queue = borrow_queue,
      .free_queue = free_queue,
      .copy = copy,
      .fill = fill,
      .launch = launch,
      .flush = flush,
      .finish = finish,
      .record = record,
      .wait_for = wait_for,
      .wait = wait,
      .end_nanoseconds = end_nanoseconds,
      .free_event = free_event,
      .load_module = load_module,
      .find_kernel = find_kernel,
      .free_module = free_module,
  };
  return &table;
}
