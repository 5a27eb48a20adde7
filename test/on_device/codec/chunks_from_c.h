/* The C interface of batches as C programs use it, each with memory and queues of its own. The
 * programs are C11. */
#ifndef CHUNKS_FROM_C_H
#define CHUNKS_FROM_C_H
#include "c_callers/c_callers.h"
#include "penstock/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct c_chunks {
  uint32_t count;
  const uint8_t* input;
  uint64_t input_bytes;
  const uint64_t *input_offsets, *input_sizes;
  uint8_t* output; /* canaries in, text or chunks out */
  uint64_t output_bytes;
  const uint64_t *output_offsets, *output_capacities;
  uint64_t* output_sizes;
  penstock_chunk_status* statuses;
};

enum c_work { C_DECODE, C_ENCODE };

penstock_code run_from_c(const struct c_allocator* allocator, penstock_device* device,
                         enum c_work work, penstock_chunk_format format, struct c_chunks* chunks,
                         penstock_status* status);

/* A device that uses the host's memory. */
penstock_code run_from_c_in_host_memory(penstock_device* device, enum c_work work,
                                        penstock_chunk_format format, struct c_chunks* chunks,
                                        penstock_status* status);
/* The first OpenCL device, in a context, queue and memory of the C program's own. */
penstock_code run_from_c_on_opencl(enum c_work work, penstock_chunk_format format,
                                   uint64_t queue_properties, struct c_chunks* chunks,
                                   penstock_status* status);
/* "cuda:0", in memory and a stream of the C program's own. */
penstock_code run_from_c_on_cuda(enum c_work work, penstock_chunk_format format,
                                 struct c_chunks* chunks, penstock_status* status);
/* Closes the device. */
penstock_code enqueue_memory_of_another_context(penstock_device* device, void* queue,
                                                penstock_status* status);
/* A queue in an OpenCL context, and its end. */
void* opencl_queue_in(void* context);
void release_opencl_queue(void* queue);

#ifdef __cplusplus
}
#endif
#endif
