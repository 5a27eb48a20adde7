/* The C interface of chunks as a C program uses it; chunks_from_c.c is C11. */
#ifndef CHUNKS_FROM_C_H
#define CHUNKS_FROM_C_H
#include "penstock/chunks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct c_chunks {
  uint32_t count;
  const uint8_t* input;
  uint64_t input_bytes;
  const uint64_t *input_offsets, *input_sizes;
  uint8_t* output; /* canaries in, text out */
  uint64_t output_bytes;
  const uint64_t *output_offsets, *output_capacities;
  uint64_t* output_sizes;
  penstock_chunk_verdict* verdicts;
};

/* A device whose memory is the host's. */
penstock_code decode_from_c_in_host_memory(penstock_device* device, penstock_chunk_format format, struct c_chunks* chunks,
                                           penstock_status* status);
/* The first OpenCL device, in a context, queue and memory of the C program's own. */
penstock_code decode_from_c_on_opencl(penstock_chunk_format format, uint64_t queue_properties, struct c_chunks* chunks,
                                      penstock_status* status);
penstock_code enqueue_memory_of_another_context(penstock_device* device, void* queue, penstock_status* status);
/* A queue in an OpenCL context, and its end. */
void* opencl_queue_in(void* context);
void release_opencl_queue(void* queue);

#ifdef __cplusplus
}
#endif
#endif
