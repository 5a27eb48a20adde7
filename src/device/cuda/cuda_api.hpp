// The part of the CUDA driver API that is used here, declared here so that the build needs no SDK,
// and bound at run time from libcuda.so.1. Names and values follow the CUDA Driver API reference; a
// symbol's name carries the version (_v2) that cuda.h would choose.
#pragma once
#include <cstddef>
#include <cstdint>

#include "device/library.hpp"

namespace penstock::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct ContextHandle*;
using CUstream = struct StreamHandle*;
using CUevent = struct EventHandle*;
using CUmodule = struct ModuleHandle*;
using CUfunction = struct FunctionHandle*;
using CUlinkState = struct LinkStateHandle*;

enum : CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4,
  CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_LAUNCH_FAILED = 719,  // 714 to 718 are the other errors of a kernel
  CUDA_ERROR_SYSTEM_NOT_READY = 802,
};

enum : int {  // CUdevice_attribute
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

enum : int {  // CUfunction_attribute
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};
enum : int { CU_JIT_INPUT_CUBIN = 0 };                               // CUjitInputType
enum : int { CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3 };  // CUdevice_P2PAttribute
enum : unsigned { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_MEMHOSTALLOC_PORTABLE = 1 };

// X(member, symbol, parameters); every function returns CUresult.
#define PENSTOCK_CUDA_FUNCTIONS(X)                                                                \
  X(cuInit, "cuInit", (unsigned))                                                                 \
  X(cuDriverGetVersion, "cuDriverGetVersion", (int*))                                             \
  X(cuGetErrorName, "cuGetErrorName", (CUresult, const char**))                                   \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int*))                                                 \
  X(cuDeviceGet, "cuDeviceGet", (CUdevice*, int))                                                 \
  X(cuDeviceGetName, "cuDeviceGetName", (char*, int, CUdevice))                                   \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int*, int, CUdevice))                          \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (std::size_t*, CUdevice))                            \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext*, CUdevice))                 \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice))                        \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext))                                         \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext*))                                          \
  X(cuStreamCreate, "cuStreamCreate", (CUstream*, unsigned))                                      \
  X(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream))                                            \
  X(cuStreamSynchronize, "cuStreamSynchronize", (CUstream))                                       \
  X(cuStreamWaitEvent, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))                        \
  X(cuEventCreate, "cuEventCreate", (CUevent*, unsigned))                                         \
  X(cuEventDestroy, "cuEventDestroy_v2", (CUevent))                                               \
  X(cuEventRecord, "cuEventRecord", (CUevent, CUstream))                                          \
  X(cuEventSynchronize, "cuEventSynchronize", (CUevent))                                          \
  X(cuEventElapsedTime, "cuEventElapsedTime", (float*, CUevent, CUevent))                         \
  X(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr*, std::size_t))                                     \
  X(cuMemFree, "cuMemFree_v2", (CUdeviceptr))                                                     \
  X(cuMemGetInfo, "cuMemGetInfo_v2", (std::size_t*, std::size_t*))                                \
  X(cuMemHostAlloc, "cuMemHostAlloc", (void**, std::size_t, unsigned))                            \
  X(cuMemFreeHost, "cuMemFreeHost", (void*))                                                      \
  X(cuMemHostRegister, "cuMemHostRegister_v2", (void*, std::size_t, unsigned))                    \
  X(cuMemHostUnregister, "cuMemHostUnregister", (void*))                                          \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void*, std::size_t, CUstream)) \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void*, CUdeviceptr, std::size_t, CUstream))       \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, std::size_t, CUstream)) \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void*, CUdeviceptr, std::size_t))                           \
  X(cuMemsetD32Async, "cuMemsetD32Async", (CUdeviceptr, unsigned, std::size_t, CUstream))         \
  X(cuModuleLoadData, "cuModuleLoadData", (CUmodule*, const void*))                               \
  X(cuModuleUnload, "cuModuleUnload", (CUmodule))                                                 \
  X(cuModuleGetFunction, "cuModuleGetFunction", (CUfunction*, CUmodule, const char*))             \
  X(cuModuleGetGlobal, "cuModuleGetGlobal_v2",                                                    \
    (CUdeviceptr*, std::size_t*, CUmodule, const char*))                                          \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (CUfunction, int, int))                             \
  X(cuFuncGetAttribute, "cuFuncGetAttribute", (int*, int, CUfunction))                            \
  X(cuLaunchKernel, "cuLaunchKernel",                                                             \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,  \
     void**, void**))                                                                             \
  X(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel",                                       \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,  \
     void**))                                                                                     \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",   \
    (int*, CUfunction, int, std::size_t))

struct Api {
#define PENSTOCK_DECLARE_(member, symbol, parameters) CUresult(*member) parameters = nullptr;
  PENSTOCK_CUDA_FUNCTIONS(PENSTOCK_DECLARE_)
#undef PENSTOCK_DECLARE_
  // Since CUDA 12.4; null before. Without it only the kernel layer finds wrong arguments of a
  // launch.
  CUresult (*cuFuncGetParamInfo)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  // Null if a driver has none.
  CUresult (*cuCtxEnablePeerAccess)(CUcontext, unsigned) = nullptr;
  CUresult (*cuDeviceGetP2PAttribute)(int*, int, CUdevice, CUdevice) = nullptr;
  CUresult (*cuMemcpyPeerAsync)(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, std::size_t,
                                CUstream) = nullptr;
  // Null if a driver has no linker. Options and their values are not used.
  CUresult (*cuLinkCreate)(unsigned, int*, void**, CUlinkState*) = nullptr;
  CUresult (*cuLinkAddData)(CUlinkState, int, void*, std::size_t, const char*, unsigned, int*,
                            void**) = nullptr;
  CUresult (*cuLinkComplete)(CUlinkState, void**, std::size_t*) = nullptr;
  CUresult (*cuLinkDestroy)(CUlinkState) = nullptr;
};

// Returns the bound and initialised driver, opened once per process, or why there is none.
const Result<Api>& api();

// Returns ok for CUDA_SUCCESS, otherwise a Status with the error's name and the call. Out of memory
// becomes no_memory. Errors of kernels and lost devices, after which the driver answers nothing
// else, become device_lost. The rest become internal.
Status status_of(const Api& api, CUresult code, const char* call);
Code code_of(CUresult code);

}  // namespace penstock::cuda
