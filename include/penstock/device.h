/* Penstock in C: what went wrong, and devices.
 *
 * Every call that can fail returns a code, 0 where it did not, and takes a penstock_status for the
 * words, which may be NULL. Nothing throws, prints or aborts. Handles are opaque; each is given
 * back by the function that its declaration names, and NULL may be.
 *
 *     penstock_status status;
 *     penstock_device* device = NULL;
 *     if (penstock_device_open("cuda:0", &device, &status)) fail(status.message);
 *
 * C11. The library that is linked is the C++ one, so the program is linked by a C++ compiler. */
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
  char message[PENSTOCK_MESSAGE_BYTES]; /* "corrupt: LZ4 chunk 7, byte 4711: ..."; empty where code
                                           is 0; cut where it is longer */
} penstock_status;

typedef struct penstock_device penstock_device;

/* By id ("cuda:0", "opencl:1"), kind ("cuda", "opencl", "cpu", "gpu"), or the first usable one
 * (NULL or ""). Given back by penstock_device_close(), after which what was made of the device
 * still works. CUDA: the device's primary context, the CUDA runtime's. */
penstock_code penstock_device_open(const char* selector, penstock_device** device,
                                   penstock_status* status);
/* OpenCL: the device of a cl_command_queue, opened in that queue's context, whose memory and queues
 * it then takes. */
penstock_code penstock_device_of_opencl_queue(void* queue, penstock_device** device,
                                              penstock_status* status);
void penstock_device_close(penstock_device* device);

const char* penstock_device_id(
    const penstock_device* device); /* "cuda:0"; as long as the handle lives */
const char* penstock_device_name(const penstock_device* device); /* "NVIDIA H200" */
/* The CUcontext or cl_context in which memory and queues for the device are made; NULL where it has
 * none. */
void* penstock_device_context(const penstock_device* device);

#ifdef __cplusplus
}
#endif
#endif
