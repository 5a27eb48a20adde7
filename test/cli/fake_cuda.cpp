// A driver of CUDA that finds one GPU of architecture 9.0 and does nothing with it. It tells its
// version only when it is initialised.
extern "C" {

static bool is_initialised = false;

int cuInit(unsigned) {
  is_initialised = true;
  return 0;
}
int cuDriverGetVersion(int* version) {
  if (!is_initialised) return 3;  // CUDA_ERROR_NOT_INITIALIZED
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 64;  // the architecture's two parts
  return 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  if (bytes > 1) name[0] = 'F', name[1] = 0;
  return 0;
}
int cuDeviceTotalMem_v2(unsigned long* bytes, int device) {
  (void)device;
  *bytes = 1ul << 30;
  return 0;
}

// The rest fails.
#define FAILS(name) \
  int name() { return 999; }
FAILS(cuGetErrorName)
FAILS(cuDevicePrimaryCtxRetain)
FAILS(cuDevicePrimaryCtxRelease_v2)
FAILS(cuCtxPushCurrent_v2)
FAILS(cuCtxPopCurrent_v2)
FAILS(cuStreamCreate)
FAILS(cuStreamDestroy_v2)
FAILS(cuStreamSynchronize)
FAILS(cuStreamWaitEvent)
FAILS(cuEventCreate)
FAILS(cuEventDestroy_v2)
FAILS(cuEventRecord)
FAILS(cuEventSynchronize)
FAILS(cuEventElapsedTime)
FAILS(cuMemAlloc_v2)
FAILS(cuMemFree_v2)
FAILS(cuMemGetInfo_v2)
FAILS(cuMemHostAlloc)
FAILS(cuMemFreeHost)
FAILS(cuMemHostRegister_v2)
FAILS(cuMemHostUnregister)
FAILS(cuMemcpyHtoDAsync_v2)
FAILS(cuMemcpyDtoHAsync_v2)
FAILS(cuMemcpyDtoDAsync_v2)
FAILS(cuMemcpyDtoH_v2)
FAILS(cuMemsetD32Async)
FAILS(cuModuleLoadData)
FAILS(cuModuleUnload)
FAILS(cuModuleGetFunction)
FAILS(cuModuleGetGlobal_v2)
FAILS(cuFuncSetAttribute)
FAILS(cuFuncGetAttribute)
FAILS(cuLaunchKernel)
FAILS(cuLaunchCooperativeKernel)
FAILS(cuOccupancyMaxActiveBlocksPerMultiprocessor)

}  // extern "C"
