/* CUDA memory and a CUDA stream of a C program's own. The driver is opened as any program may that
 * has no SDK: the few functions are declared here as the documentation of the CUDA driver API has
 * them. */
#include <dlfcn.h>
#include <string.h>

#include "c_callers/c_callers.h"

typedef int cu_result; /* CUresult: 0 is success */
typedef uint64_t cu_pointer;
static struct {
  cu_result (*set_context)(void* context);
  cu_result (*create_stream)(void** stream, unsigned flags);
  cu_result (*destroy_stream)(void* stream);
  cu_result (*finish)(void* stream);
  cu_result (*allocate)(cu_pointer* memory, size_t bytes);
  cu_result (*release)(cu_pointer memory);
  cu_result (*to_device)(cu_pointer to, const void* from, size_t bytes, void* stream);
  cu_result (*to_host)(void* to, cu_pointer from, size_t bytes, void* stream);
} driver;

/* ISO C has no conversion from an object's pointer to a function's. */
static int found(void* library, const char* name, void* function) {
  void* const symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}
static int open_driver(void) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  return library != NULL && found(library, "cuCtxSetCurrent", &driver.set_context) &&
         found(library, "cuStreamCreate", &driver.create_stream) &&
         found(library, "cuStreamDestroy_v2", &driver.destroy_stream) &&
         found(library, "cuStreamSynchronize", &driver.finish) &&
         found(library, "cuMemAlloc_v2", &driver.allocate) &&
         found(library, "cuMemFree_v2", &driver.release) &&
         found(library, "cuMemcpyHtoDAsync_v2", &driver.to_device) &&
         found(library, "cuMemcpyDtoHAsync_v2", &driver.to_host);
}

static uint64_t put(const struct c_allocator* allocator, const void* content, uint64_t bytes) {
  cu_pointer memory = 0;
  if (driver.allocate(&memory, (size_t)bytes + 16) != 0) return 0;
  if (content != NULL) driver.to_device(memory, content, (size_t)bytes, allocator->queue);
  return memory;
}
static void get(const struct c_allocator* allocator, uint64_t memory, void* to, uint64_t bytes) {
  driver.to_host(to, memory, (size_t)bytes, allocator->queue);
}
static void finish(const struct c_allocator* allocator) { driver.finish(allocator->queue); }
static void release(const struct c_allocator* allocator, uint64_t memory) {
  (void)allocator;
  driver.release(memory);
}

penstock_code run_on_cuda(c_body body, void* argument, penstock_status* status) {
  penstock_device* device = NULL;
  penstock_code code = penstock_device_open("cuda:0", &device, status);
  if (code != PENSTOCK_OK) return code;
  struct c_allocator allocator = {penstock_device_context(device), NULL, put, get, finish, release};
  if (!open_driver() || driver.set_context(allocator.context) != 0 ||
      driver.create_stream(&allocator.queue, 0) != 0)
    code = PENSTOCK_INTERNAL;
  else
    code = body(&allocator, device, argument, status);
  if (allocator.queue != NULL) driver.destroy_stream(allocator.queue);
  penstock_device_close(device);
  return code;
}
