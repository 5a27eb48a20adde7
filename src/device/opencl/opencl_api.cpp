#include "device/opencl/opencl_api.hpp"

#include <array>

namespace penstock::opencl {
namespace {

Result<Api> bind() {
  auto library = device::Library::open({"libOpenCL.so.1", "libOpenCL.so"});
  if (!library.ok())
    return Status(Code::no_device,
                  "OpenCL: the loader libOpenCL.so.1 is not installed; for the CPU: apt install "
                  "pocl-opencl-icd (which brings it)");
  Api api;
#define PENSTOCK_BIND_(result, name, parameters) \
  PENSTOCK_TRY(library->bind(api.name, #name).with("OpenCL 1.2 is needed"));
  PENSTOCK_OPENCL_FUNCTIONS(PENSTOCK_BIND_)
#undef PENSTOCK_BIND_
  return api;
}

struct ErrorName {
  cl_int code;
  std::string_view name;
};
#define PENSTOCK_ROW_(name) \
  ErrorName { name, #name }
constexpr std::array error_names = {PENSTOCK_ROW_(CL_DEVICE_NOT_FOUND),
                                    PENSTOCK_ROW_(CL_DEVICE_NOT_AVAILABLE),
                                    PENSTOCK_ROW_(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                                    PENSTOCK_ROW_(CL_OUT_OF_RESOURCES),
                                    PENSTOCK_ROW_(CL_OUT_OF_HOST_MEMORY),
                                    PENSTOCK_ROW_(CL_PROFILING_INFO_NOT_AVAILABLE),
                                    PENSTOCK_ROW_(CL_BUILD_PROGRAM_FAILURE),
                                    PENSTOCK_ROW_(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                                    PENSTOCK_ROW_(CL_INVALID_VALUE),
                                    PENSTOCK_ROW_(CL_INVALID_DEVICE),
                                    PENSTOCK_ROW_(CL_INVALID_CONTEXT),
                                    PENSTOCK_ROW_(CL_INVALID_COMMAND_QUEUE),
                                    PENSTOCK_ROW_(CL_INVALID_MEM_OBJECT),
                                    PENSTOCK_ROW_(CL_INVALID_BINARY),
                                    PENSTOCK_ROW_(CL_INVALID_BUILD_OPTIONS),
                                    PENSTOCK_ROW_(CL_INVALID_PROGRAM),
                                    PENSTOCK_ROW_(CL_INVALID_PROGRAM_EXECUTABLE),
                                    PENSTOCK_ROW_(CL_INVALID_KERNEL_NAME),
                                    PENSTOCK_ROW_(CL_INVALID_KERNEL),
                                    PENSTOCK_ROW_(CL_INVALID_ARG_INDEX),
                                    PENSTOCK_ROW_(CL_INVALID_ARG_VALUE),
                                    PENSTOCK_ROW_(CL_INVALID_ARG_SIZE),
                                    PENSTOCK_ROW_(CL_INVALID_KERNEL_ARGS),
                                    PENSTOCK_ROW_(CL_INVALID_WORK_GROUP_SIZE),
                                    PENSTOCK_ROW_(CL_INVALID_WORK_ITEM_SIZE),
                                    PENSTOCK_ROW_(CL_INVALID_GLOBAL_OFFSET),
                                    PENSTOCK_ROW_(CL_INVALID_EVENT_WAIT_LIST),
                                    PENSTOCK_ROW_(CL_INVALID_EVENT),
                                    PENSTOCK_ROW_(CL_INVALID_OPERATION),
                                    PENSTOCK_ROW_(CL_INVALID_BUFFER_SIZE),
                                    PENSTOCK_ROW_(CL_INVALID_GLOBAL_WORK_SIZE),
                                    PENSTOCK_ROW_(CL_PLATFORM_NOT_FOUND_KHR)};
#undef PENSTOCK_ROW_

Code code_of(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY: return Code::no_memory;
    // NVIDIA reports a kernel that read outside its memory as OUT_OF_RESOURCES, and every call
    // after it as an invalid queue.
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_OUT_OF_RESOURCES:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case CL_INVALID_COMMAND_QUEUE: return Code::device_lost;
    default: return Code::internal;
  }
}

}  // namespace

const Result<Api>& api() {
  // Kept for ever: buffers may be released while statics are destroyed.
  static const Result<Api>& bound = *new Result<Api>(bind());
  return bound;
}

std::string_view name_of_error(cl_int code) {
  for (const ErrorName& row : error_names)
    if (row.code == code) return row.name;
  return "unknown OpenCL error";
}

Status status_of(cl_int code, const char* call) {
  if (code == CL_SUCCESS) return {};
  return Status(code_of(code), std::string(call) + ": " + std::string(name_of_error(code)) + " (" +
                                   std::to_string(code) + ")");
}

}  // namespace penstock::opencl
