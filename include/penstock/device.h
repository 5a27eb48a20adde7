/* Penstock in C: errors and devices.
 *
 * Every call that can fail returns a code, 0 for success, and takes a penstock_status for the
 * message, which may be NULL. Nothing throws, prints or aborts. Handles are opaque; each is freed
 * by the function that its declaration names, which accepts NULL.
 *
 *     penstock_status status;
 *     penstock_device* device = NULL;
 *     if (penstock_device_open("cuda:0", &device, &status)) fail(status.message);
 *
 * C11. The library is C++: find_package(penstock) adds the C++ runtime to the link of a C program.
 */
#ifndef PENSTOCK_DEVICE_H
#define PENSTOCK_DEVICE_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As penstock::Code in status.hpp, where each is explained. */
typedef enum penstock_code {
  PENSTOCK_OK,
  PENSTOCK_INVALID,
  PENSTOCK_UNSUPPORTED,
  PENSTOCK_CORRUPT,
  PENSTOCK_TRUNCATED,
  PENSTOCK_OVERFLOW,
  PENSTOCK_CAPACITY,
  PENSTOCK_NO_MEMORY,
  PENSTOCK_NO_DEVICE,
  PENSTOCK_COMPILE,
  PENSTOCK_DEVICE_LOST,
  PENSTOCK_IO,
  PENSTOCK_CANCELLED,
  PENSTOCK_INTERNAL
} penstock_code;

#define PENSTOCK_MESSAGE_BYTES 1024

typedef struct penstock_status {
  penstock_code code;
  /* "corrupt: LZ4 chunk 7, byte 4711: ..."; empty if code is 0; cut if it is longer */
  char message[PENSTOCK_MESSAGE_BYTES];
} penstock_status;

typedef struct penstock_device penstock_device;

/* Opens by id ("cuda:0", "opencl:1"), kind ("cuda", "opencl", "cpu", "gpu"), or the first usable
 * device (NULL or ""). Closed by penstock_device_close(); objects created from the device still
 * work after that. CUDA: in the device's primary context, the CUDA runtime's. */
penstock_code penstock_device_open(const char* selector, penstock_device** device,
                                   penstock_status* status);
/* Opens the device of a cl_command_queue in that queue's context. It then takes memory and queues
 * of that context. PENSTOCK_INVALID if `queue` is NULL. */
penstock_code penstock_device_of_opencl_queue(void* queue, penstock_device** device,
                                              penstock_status* status);
void penstock_device_close(penstock_device* device);

/* "cuda:0"; valid as long as the handle */
const char* penstock_device_id(const penstock_device* device);
const char* penstock_device_name(const penstock_device* device); /* "NVIDIA H200" */
/* Returns the CUcontext or cl_context in which memory and queues for the device are created, or
 * NULL if it has none. */
void* penstock_device_context(const penstock_device* device);

/* Device memory: a CUdeviceptr, a cl_mem cast by (uintptr_t), or an address of the host (cpu:0),
 * and its size. Addresses must be multiples of 16, as cudaMalloc returns them. */
typedef struct penstock_memory {
  uint64_t handle;
  uint64_t bytes;
} penstock_memory;

#ifdef __cplusplus
}
#endif
#endif
