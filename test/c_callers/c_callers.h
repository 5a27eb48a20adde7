/* C programs that have memory and a queue of their own, as the callers of penstock/batch.h and
 * video.h do. C11. */
#ifndef C_CALLERS_H
#define C_CALLERS_H
#include <stdint.h>

#include "penstock/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory and a queue of a program's own. */
struct c_allocator {
  void *context, *queue;
  uint64_t (*put)(const struct c_allocator* allocator, const void* content,
                  uint64_t bytes); /* NULL: memory without content */
  void (*get)(const struct c_allocator* allocator, uint64_t memory, void* to, uint64_t bytes);
  void (*finish)(const struct c_allocator* allocator);
  void (*release)(const struct c_allocator* allocator, uint64_t memory);
};

/* The work of such a program. */
typedef penstock_code (*c_body)(const struct c_allocator* allocator, penstock_device* device,
                                void* argument, penstock_status* status);

/* The first OpenCL device, in a context, queue and memory of the C program's own. */
penstock_code run_on_opencl(uint64_t queue_properties, c_body body, void* argument,
                            penstock_status* status);
/* "cuda:0", in memory and a stream of the C program's own. */
penstock_code run_on_cuda(c_body body, void* argument, penstock_status* status);

/* The first OpenCL device of all platforms, a cl_device_id; NULL where there is none. */
void* first_opencl_device(void);

#ifdef __cplusplus
}
#endif
#endif
