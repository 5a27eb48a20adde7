// The part of the OpenCL 1.2 API that is used here, declared here so that the build needs no SDK,
// and bound at run time from libOpenCL.so.1. Names, values and signatures follow the OpenCL 1.2
// specification (appendix of cl.h).
#pragma once
#include <cstddef>
#include <cstdint>

#include "device/library.hpp"

namespace penstock::opencl {

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_ulong = std::uint64_t;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;
using cl_platform_id = struct PlatformHandle*;
using cl_device_id = struct DeviceHandle*;
using cl_context = struct ContextHandle*;
using cl_command_queue = struct CommandQueueHandle*;
using cl_mem = struct MemHandle*;
using cl_program = struct ProgramHandle*;
using cl_kernel = struct KernelHandle*;
using cl_event = struct EventHandle*;
using cl_context_properties = std::intptr_t;

enum : cl_int {
  CL_SUCCESS = 0,
  CL_DEVICE_NOT_FOUND = -1,
  CL_DEVICE_NOT_AVAILABLE = -2,
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_PROFILING_INFO_NOT_AVAILABLE = -7,
  CL_BUILD_PROGRAM_FAILURE = -11,
  CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST = -14,
  CL_INVALID_VALUE = -30,
  CL_INVALID_DEVICE = -33,
  CL_INVALID_CONTEXT = -34,
  CL_INVALID_COMMAND_QUEUE = -36,
  CL_INVALID_MEM_OBJECT = -38,
  CL_INVALID_BINARY = -42,
  CL_INVALID_BUILD_OPTIONS = -43,
  CL_INVALID_PROGRAM = -44,
  CL_INVALID_PROGRAM_EXECUTABLE = -45,
  CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_KERNEL = -48,
  CL_INVALID_ARG_INDEX = -49,
  CL_INVALID_ARG_VALUE = -50,
  CL_INVALID_ARG_SIZE = -51,
  CL_INVALID_KERNEL_ARGS = -52,
  CL_INVALID_WORK_GROUP_SIZE = -54,
  CL_INVALID_WORK_ITEM_SIZE = -55,
  CL_INVALID_GLOBAL_OFFSET = -56,
  CL_INVALID_EVENT_WAIT_LIST = -57,
  CL_INVALID_EVENT = -58,
  CL_INVALID_OPERATION = -59,
  CL_INVALID_BUFFER_SIZE = -61,
  CL_INVALID_GLOBAL_WORK_SIZE = -63,
  CL_PLATFORM_NOT_FOUND_KHR = -1001,
};

enum : cl_uint {
  CL_PLATFORM_VERSION = 0x0901,
  CL_PLATFORM_NAME = 0x0902,
  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
  CL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_AVAILABLE = 0x1027,
  CL_DEVICE_COMPILER_AVAILABLE = 0x1028,
  CL_DEVICE_NAME = 0x102B,
  CL_DEVICE_VENDOR = 0x102C,
  CL_DRIVER_VERSION = 0x102D,
  CL_DEVICE_VERSION = 0x102F,
  CL_DEVICE_EXTENSIONS = 0x1030,
  CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV = 0x4000,  // cl_nv_device_attribute_query
  CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV = 0x4001,
  CL_DEVICE_WARP_SIZE_NV = 0x4003,
  CL_DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,  // cl_amd_device_attribute_query
  CL_QUEUE_CONTEXT = 0x1090,
  CL_QUEUE_DEVICE = 0x1091,
  CL_QUEUE_PROPERTIES = 0x1093,
  CL_MEM_SIZE = 0x1102,
  CL_MEM_CONTEXT = 0x1106,
  CL_CONTEXT_PLATFORM = 0x1084,
  CL_PROGRAM_BINARY_SIZES = 0x1165,
  CL_PROGRAM_BINARIES = 0x1166,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_NUM_ARGS = 0x1191,
  CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
  CL_KERNEL_PRIVATE_MEM_SIZE = 0x11B4,
  CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
  CL_PROFILING_COMMAND_END = 0x1283,
};

enum : cl_bitfield {
  CL_DEVICE_TYPE_CPU = 1 << 1,
  CL_DEVICE_TYPE_GPU = 1 << 2,
  CL_DEVICE_TYPE_ALL = 0xFFFFFFFF,
  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE = 1 << 0,
  CL_QUEUE_PROFILING_ENABLE = 1 << 1,
  CL_MEM_READ_WRITE = 1 << 0,
  CL_MEM_USE_HOST_PTR = 1 << 3,
  CL_MEM_ALLOC_HOST_PTR = 1 << 4,
  CL_MAP_READ = 1 << 0,
  CL_MAP_WRITE = 1 << 1,
  CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,
};

// X(result, name, parameters)
#define PENSTOCK_OPENCL_FUNCTIONS(X)                                                               \
  X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id*, cl_uint*))                                \
  X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_uint, std::size_t, void*, std::size_t*))        \
  X(cl_int, clGetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id*, cl_uint*))       \
  X(cl_int, clGetDeviceInfo, (cl_device_id, cl_uint, std::size_t, void*, std::size_t*))            \
  X(cl_context, clCreateContext,                                                                   \
    (const cl_context_properties*, cl_uint, const cl_device_id*,                                   \
     void (*)(const char*, const void*, std::size_t, void*), void*, cl_int*))                      \
  X(cl_int, clRetainContext, (cl_context))                                                         \
  X(cl_int, clReleaseContext, (cl_context))                                                        \
  X(cl_command_queue, clCreateCommandQueue, (cl_context, cl_device_id, cl_bitfield, cl_int*))      \
  X(cl_int, clGetCommandQueueInfo, (cl_command_queue, cl_uint, std::size_t, void*, std::size_t*))  \
  X(cl_int, clRetainCommandQueue, (cl_command_queue))                                              \
  X(cl_int, clReleaseCommandQueue, (cl_command_queue))                                             \
  X(cl_mem, clCreateBuffer, (cl_context, cl_bitfield, std::size_t, void*, cl_int*))                \
  X(cl_int, clGetMemObjectInfo, (cl_mem, cl_uint, std::size_t, void*, std::size_t*))               \
  X(cl_int, clReleaseMemObject, (cl_mem))                                                          \
  X(cl_program, clCreateProgramWithSource,                                                         \
    (cl_context, cl_uint, const char**, const std::size_t*, cl_int*))                              \
  X(cl_program, clCreateProgramWithBinary,                                                         \
    (cl_context, cl_uint, const cl_device_id*, const std::size_t*, const unsigned char**, cl_int*, \
     cl_int*))                                                                                     \
  X(cl_int, clReleaseProgram, (cl_program))                                                        \
  X(cl_int, clBuildProgram,                                                                        \
    (cl_program, cl_uint, const cl_device_id*, const char*, void (*)(cl_program, void*), void*))   \
  X(cl_int, clGetProgramInfo, (cl_program, cl_uint, std::size_t, void*, std::size_t*))             \
  X(cl_int, clGetProgramBuildInfo,                                                                 \
    (cl_program, cl_device_id, cl_uint, std::size_t, void*, std::size_t*))                         \
  X(cl_kernel, clCreateKernel, (cl_program, const char*, cl_int*))                                 \
  X(cl_int, clReleaseKernel, (cl_kernel))                                                          \
  X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, std::size_t, const void*))                        \
  X(cl_int, clGetKernelInfo, (cl_kernel, cl_uint, std::size_t, void*, std::size_t*))               \
  X(cl_int, clGetKernelWorkGroupInfo,                                                              \
    (cl_kernel, cl_device_id, cl_uint, std::size_t, void*, std::size_t*))                          \
  X(cl_int, clWaitForEvents, (cl_uint, const cl_event*))                                           \
  X(cl_int, clGetEventInfo, (cl_event, cl_uint, std::size_t, void*, std::size_t*))                 \
  X(cl_int, clReleaseEvent, (cl_event))                                                            \
  X(cl_int, clGetEventProfilingInfo, (cl_event, cl_uint, std::size_t, void*, std::size_t*))        \
  X(cl_int, clFlush, (cl_command_queue))                                                           \
  X(cl_int, clFinish, (cl_command_queue))                                                          \
  X(cl_int, clEnqueueReadBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, void*, cl_uint, const cl_event*, \
     cl_event*))                                                                                   \
  X(cl_int, clEnqueueWriteBuffer,                                                                  \
    (cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, const void*, cl_uint,            \
     const cl_event*, cl_event*))                                                                  \
  X(cl_int, clEnqueueCopyBuffer,                                                                   \
    (cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t, cl_uint,             \
     const cl_event*, cl_event*))                                                                  \
  X(cl_int, clEnqueueFillBuffer,                                                                   \
    (cl_command_queue, cl_mem, const void*, std::size_t, std::size_t, std::size_t, cl_uint,        \
     const cl_event*, cl_event*))                                                                  \
  X(void*, clEnqueueMapBuffer,                                                                     \
    (cl_command_queue, cl_mem, cl_bool, cl_bitfield, std::size_t, std::size_t, cl_uint,            \
     const cl_event*, cl_event*, cl_int*))                                                         \
  X(cl_int, clEnqueueUnmapMemObject,                                                               \
    (cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*))                        \
  X(cl_int, clEnqueueNDRangeKernel,                                                                \
    (cl_command_queue, cl_kernel, cl_uint, const std::size_t*, const std::size_t*,                 \
     const std::size_t*, cl_uint, const cl_event*, cl_event*))                                     \
  X(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event*, cl_event*))  \
  X(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, const cl_event*, cl_event*))

struct Api {
#define PENSTOCK_DECLARE_(result, name, parameters) result(*name) parameters = nullptr;
  PENSTOCK_OPENCL_FUNCTIONS(PENSTOCK_DECLARE_)
#undef PENSTOCK_DECLARE_
};

// Returns the bound library, opened once per process, or why there is none and what to install.
const Result<Api>& api();

// Returns ok for CL_SUCCESS, otherwise a Status with the code's name and the call. Memory codes
// become no_memory, a lost device or failed work becomes device_lost, the rest internal.
Status status_of(cl_int code, const char* call);
std::string_view name_of_error(cl_int code);

}  // namespace penstock::opencl
