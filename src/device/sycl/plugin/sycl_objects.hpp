// The plug-in's objects behind the opaque types of sycl_interface.hpp, and how exceptions end.
#pragma once
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

#include "sycl_interface.hpp"

namespace penstock_sycl {

// Errors of a device's work that ran, which SYCL reports to a handler and not to the caller. They
// stay: the device's later results cannot be trusted, whichever thread sees the error first.
class AsyncErrors {
 public:
  void add(const sycl::exception_list& list);
  // Puts all that were reported into `error`.
  int32_t check(penstock_sycl_error* error) const;

 private:
  mutable std::mutex mutex_;
  std::string text_;
};
using AsyncErrorsPointer = std::shared_ptr<AsyncErrors>;

}  // namespace penstock_sycl

struct penstock_sycl_device {
  sycl::device device;
  sycl::context context;
  penstock_sycl::AsyncErrorsPointer errors = std::make_shared<penstock_sycl::AsyncErrors>();
};
// A borrowed queue reports to its caller's handler, so its work adds nothing to `errors`.
struct penstock_sycl_queue {
  sycl::queue queue;
  penstock_sycl::AsyncErrorsPointer errors;
};
struct penstock_sycl_event {
  sycl::event event;
  penstock_sycl::AsyncErrorsPointer errors;
};
struct penstock_sycl_module {
  void* library;
};
// KernelEntry of sycl.prelude: the same fields.
struct penstock_sycl_kernel {
  const char* name;
  const char* parameters;
  std::uint32_t parameter_count;
  const std::uint32_t* value_bytes;
  std::uint64_t local_bytes;
  sycl::event (*launch)(sycl::queue&, std::uint32_t groups, void** arguments);
};

namespace penstock_sycl {

inline int32_t fail(penstock_sycl_error* error, int32_t code, const char* text) {
  error->code = code;
  std::snprintf(error->text, sizeof error->text, "%s", text);
  return code;
}

// Only an error of the runtime, or one of a backend that SYCL has no name for, loses the device.
inline int32_t code_of(const sycl::exception& exception) {
  const std::error_code code = exception.code();
  if (code == sycl::errc::memory_allocation) return PENSTOCK_SYCL_NO_MEMORY;
  if (code == sycl::errc::feature_not_supported) return PENSTOCK_SYCL_UNSUPPORTED;
  if (code == sycl::errc::invalid || code == sycl::errc::nd_range ||
      code == sycl::errc::kernel_argument || code == sycl::errc::accessor)
    return PENSTOCK_SYCL_INVALID;
  if (code == sycl::errc::runtime || code.category() != sycl::sycl_category())
    return PENSTOCK_SYCL_LOST;
  return PENSTOCK_SYCL_INTERNAL;
}

// Runs `work`, which returns a code, and turns its exceptions into an error.
template <class Work> int32_t guarded(penstock_sycl_error* error, Work work) noexcept {
  try {
    return work();
  } catch (const sycl::exception& thrown) {
    return fail(error, code_of(thrown), thrown.what());
  } catch (const std::bad_alloc&) {
    return fail(error, PENSTOCK_SYCL_NO_MEMORY, "the host has no memory left");
  } catch (const std::exception& thrown) {
    return fail(error, PENSTOCK_SYCL_INTERNAL, thrown.what());
  } catch (...) { return fail(error, PENSTOCK_SYCL_INTERNAL, "an exception of unknown type"); }
}

const std::vector<sycl::device>& devices();

int32_t device_count(uint32_t* count, penstock_sycl_error* error);
int32_t device_info(uint32_t index, penstock_sycl_device_info* info, penstock_sycl_error* error);
int32_t open_device(uint32_t index, penstock_sycl_device** device, penstock_sycl_error* error);
int32_t open_device_of_queue(void* queue, penstock_sycl_device** device, uint32_t* index,
                             penstock_sycl_error* error);
void close_device(penstock_sycl_device* device);
int32_t allocate(penstock_sycl_device* device, uint64_t bytes, uint32_t on_host, void** memory,
                 penstock_sycl_error* error);
void release(penstock_sycl_device* device, void* memory);
int32_t check_memory(penstock_sycl_device* device, const void* memory, penstock_sycl_error* error);

int32_t make_queue(penstock_sycl_device* device, penstock_sycl_queue** queue,
                   penstock_sycl_error* error);
int32_t borrow_queue(penstock_sycl_device* device, void* theirs, penstock_sycl_queue** queue,
                     penstock_sycl_error* error);
void free_queue(penstock_sycl_queue* queue);
int32_t copy(penstock_sycl_queue* queue, void* to, const void* from, uint64_t bytes,
             penstock_sycl_error* error);
int32_t fill(penstock_sycl_queue* queue, void* to, uint32_t value, uint64_t words,
             penstock_sycl_error* error);
int32_t launch(penstock_sycl_queue* queue, const penstock_sycl_kernel* kernel, uint32_t groups,
               void** arguments, penstock_sycl_error* error);
int32_t flush(penstock_sycl_queue* queue, penstock_sycl_error* error);
int32_t finish(penstock_sycl_queue* queue, penstock_sycl_error* error);
int32_t record(penstock_sycl_queue* queue, penstock_sycl_event** event, penstock_sycl_error* error);
int32_t wait_for(penstock_sycl_queue* queue, const penstock_sycl_event* event,
                 penstock_sycl_error* error);
int32_t wait(const penstock_sycl_event* event, penstock_sycl_error* error);
int32_t end_nanoseconds(const penstock_sycl_event* event, uint64_t* nanoseconds,
                        penstock_sycl_error* error);
void free_event(penstock_sycl_event* event);

int32_t load_module(const char* path, penstock_sycl_module** module, penstock_sycl_error* error);
int32_t find_kernel(const penstock_sycl_module* module, const char* name,
                    const penstock_sycl_kernel** kernel, penstock_sycl_kernel_info* info,
                    penstock_sycl_error* error);
void free_module(penstock_sycl_module* module);

}  // namespace penstock_sycl
