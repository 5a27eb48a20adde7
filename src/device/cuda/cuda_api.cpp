#include "device/cuda/cuda_api.hpp"

namespace penstock::cuda {
namespace {

Result<Api> bind_api() {
  auto library = device::Library::open({"libcuda.so.1"});
  if (!library.ok())
    return Status(Code::no_device, "CUDA: no libcuda.so.1; it comes with NVIDIA's driver");
  Api api;
#define PENSTOCK_BIND_(member, symbol, parameters) PENSTOCK_TRY(library->bind(api.member, symbol));
  PENSTOCK_CUDA_FUNCTIONS(PENSTOCK_BIND_)
#undef PENSTOCK_BIND_
  (void)library->bind(api.cuFuncGetParamInfo, "cuFuncGetParamInfo");
  (void)library->bind(api.cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess");
  (void)library->bind(api.cuDeviceGetP2PAttribute, "cuDeviceGetP2PAttribute");
  (void)library->bind(api.cuMemcpyPeerAsync, "cuMemcpyPeerAsync");
  (void)library->bind(api.cuLinkCreate, "cuLinkCreate_v2");
  (void)library->bind(api.cuLinkAddData, "cuLinkAddData_v2");
  (void)library->bind(api.cuLinkComplete, "cuLinkComplete");
  (void)library->bind(api.cuLinkDestroy, "cuLinkDestroy");
  const CUresult outcome = api.cuInit(0);
  if (outcome == CUDA_ERROR_NO_DEVICE)
    return Status(Code::no_device, "CUDA: the driver finds no GPU");
  if (outcome != CUDA_SUCCESS)
    return Status(Code::no_device, "CUDA: the driver is installed but does not start: " +
                                       status_of(api, outcome, "cuInit").message());
  return api;
}

}  // namespace

const Result<Api>& api() {
  // Kept for ever: buffers may be released while statics are destroyed.
  static const Result<Api>& bound = *new Result<Api>(bind_api());
  return bound;
}

Code code_of(CUresult code) {
  if (code >= 714 && code <= CUDA_ERROR_LAUNCH_FAILED) return Code::device_lost;
  switch (code) {
    case CUDA_SUCCESS: return Code::ok;
    case CUDA_ERROR_OUT_OF_MEMORY: return Code::no_memory;
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_SYSTEM_NOT_READY: return Code::device_lost;
    default: return Code::internal;
  }
}

Status status_of(const Api& api, CUresult code, const char* call) {
  if (code == CUDA_SUCCESS) return {};
  const char* name = nullptr;
  if (!api.cuGetErrorName || api.cuGetErrorName(code, &name) != CUDA_SUCCESS || !name)
    name = "unknown CUDA error";
  return Status(code_of(code), std::string(call) + ": " + name + " (" + std::to_string(code) + ")");
}

}  // namespace penstock::cuda
