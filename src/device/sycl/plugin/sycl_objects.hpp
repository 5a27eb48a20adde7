// The plug-in's objects behind the opaque types of sycl_interface.hpp, and how exceptions end.
#pragma once
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <sycl/sycl.hpp>
#include <vector>

#include "sycl_interface.hpp"

struct penstock_sycl_device {
  sycl::device device;
  sycl::context context;
};
struct penstock_sycl_queue {
  sycl::queue queue;
};
struct penstock_sycl_event {
  sycl::event event;
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

inline int32_t code_of(const sycl::exception& exception) {
  if (exception.code() == sycl::errc::memory_allocation) return PENSTOCK_SYCL_NO_MEMORY;
  if (exception.code() == sycl::errc::invalid) return PENSTOCK_SYCL_INVALID;
  return PENSTOCK_SYCL_LOST;
}

// Runs `work`, which returns a code, and turns what it throws into an error.
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

// Errors of work that ran, which SYCL reports to a handler and not to the caller.
class AsyncErrors {
 public:
  void operator()(const sycl::exception_list& list) const;
  // Moves the errors that were reported since the last call into `error`.
  static int32_t take(penstock_sycl_error* error);
};

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
