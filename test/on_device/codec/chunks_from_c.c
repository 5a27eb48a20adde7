#include "on_device/codec/chunks_from_c.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

/* What the parts of a batch take, in the order of `parts` below. */
enum { part_count = 9 };

static void sizes_of_parts(const struct c_chunks* chunks, uint64_t scratch_bytes,
                           uint64_t sizes[part_count]) {
  const uint64_t words = 8 * (uint64_t)chunks->count;
  const uint64_t all[part_count] = {
      chunks->input_bytes, words, words, chunks->output_bytes, words, words, words, words,
      scratch_bytes};
  memcpy(sizes, all, sizeof all);
}

static void contents_of_parts(const struct c_chunks* chunks, const void* contents[part_count]) {
  const void* all[part_count] = {chunks->input,
                                 chunks->input_offsets,
                                 chunks->input_sizes,
                                 chunks->output,
                                 chunks->output_offsets,
                                 chunks->output_capacities,
                                 NULL,
                                 NULL,
                                 NULL};
  memcpy(contents, all, sizeof all);
}

static penstock_chunk_batch batch_of(uint32_t count, const penstock_memory parts[part_count]) {
  const penstock_chunk_batch batch = {count,    parts[0], parts[1], parts[2], parts[3], parts[4],
                                      parts[5], parts[6], parts[7], parts[8], 0};
  return batch;
}

/* A decoder's or an encoder's, enqueued and got back. */
static penstock_code run_with(const struct c_allocator* allocator, penstock_chunk_decoder* decoder,
                              penstock_chunk_encoder* encoder, struct c_chunks* chunks,
                              penstock_status* status) {
  uint64_t sizes[part_count];
  const void* contents[part_count];
  penstock_memory parts[part_count];
  sizes_of_parts(chunks,
                 decoder != NULL ? penstock_chunk_decoder_scratch_bytes(decoder, chunks->count, 0)
                                 : penstock_chunk_encoder_scratch_bytes(encoder, chunks->count, 0),
                 sizes);
  contents_of_parts(chunks, contents);
  for (int i = 0; i < part_count; i++)
    parts[i].handle = allocator->put(allocator, contents[i], sizes[i]), parts[i].bytes = sizes[i];
  const penstock_chunk_batch batch = batch_of(chunks->count, parts);
  const penstock_code code =
      decoder != NULL ? penstock_chunk_decoder_enqueue(decoder, allocator->queue, &batch, status)
                      : penstock_chunk_encoder_enqueue(encoder, allocator->queue, &batch, status);
  allocator->get(allocator, parts[3].handle, chunks->output, sizes[3]);
  allocator->get(allocator, parts[6].handle, chunks->output_sizes, sizes[6]);
  allocator->get(allocator, parts[7].handle, chunks->statuses, sizes[7]);
  allocator->finish(allocator);
  for (int i = 0; i < part_count; i++) allocator->release(allocator, parts[i].handle);
  return code;
}

penstock_code run_from_c(const struct c_allocator* allocator, penstock_device* device,
                         enum c_work work, penstock_chunk_format format, struct c_chunks* chunks,
                         penstock_status* status) {
  penstock_chunk_decoder* decoder = NULL;
  penstock_chunk_encoder* encoder = NULL;
  penstock_code code = work == C_DECODE
                           ? penstock_chunk_decoder_build(device, format, NULL, &decoder, status)
                           : penstock_chunk_encoder_build(device, format, NULL, &encoder, status);
  if (code != PENSTOCK_OK) return code;
  code = run_with(allocator, decoder, encoder, chunks, status);
  penstock_chunk_decoder_free(decoder);
  penstock_chunk_encoder_free(encoder);
  return code;
}

static uint64_t put_on_host(const struct c_allocator* allocator, const void* content,
                            uint64_t bytes) {
  (void)allocator;
  void* const memory = aligned_alloc(16, (size_t)(bytes + 31) / 16 * 16);
  if (content != NULL) memcpy(memory, content, (size_t)bytes);
  return (uintptr_t)memory;
}
static void get_from_host(const struct c_allocator* allocator, uint64_t memory, void* to,
                          uint64_t bytes) {
  (void)allocator;
  memcpy(to, (const void*)(uintptr_t)memory, (size_t)bytes);
}
static void finish_on_host(const struct c_allocator* allocator) { (void)allocator; }
static void release_on_host(const struct c_allocator* allocator, uint64_t memory) {
  (void)allocator;
  free((void*)(uintptr_t)memory);
}

penstock_code run_from_c_in_host_memory(penstock_device* device, enum c_work work,
                                        penstock_chunk_format format, struct c_chunks* chunks,
                                        penstock_status* status) {
  const struct c_allocator allocator = {NULL,          NULL,           put_on_host,
                                        get_from_host, finish_on_host, release_on_host};
  return run_from_c(&allocator, device, work, format, chunks, status);
}

/* What a body gets. */
struct c_run {
  enum c_work work;
  penstock_chunk_format format;
  struct c_chunks* chunks;
};
static penstock_code run_body(const struct c_allocator* allocator, penstock_device* device,
                              void* argument, penstock_status* status) {
  const struct c_run* const run = argument;
  return run_from_c(allocator, device, run->work, run->format, run->chunks, status);
}

penstock_code run_from_c_on_opencl(enum c_work work, penstock_chunk_format format,
                                   uint64_t queue_properties, struct c_chunks* chunks,
                                   penstock_status* status) {
  struct c_run run = {work, format, chunks};
  return run_on_opencl(queue_properties, run_body, &run, status);
}

penstock_code run_from_c_on_cuda(enum c_work work, penstock_chunk_format format,
                                 struct c_chunks* chunks, penstock_status* status) {
  struct c_run run = {work, format, chunks};
  return run_on_cuda(run_body, &run, status);
}

penstock_code enqueue_memory_of_another_context(penstock_device* device, void* queue,
                                                penstock_status* status) {
  penstock_chunk_decoder* decoder = NULL;
  penstock_code code =
      penstock_chunk_decoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &decoder, status);
  if (code != PENSTOCK_OK) return PENSTOCK_INTERNAL;
  penstock_device_close(device); /* the decoder keeps what it needs */
  cl_device_id id = first_opencl_device();
  const cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
  const cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
  penstock_memory parts[part_count];
  for (int i = 0; i < part_count; i++) parts[i].handle = (uintptr_t)memory, parts[i].bytes = 4096;
  const penstock_chunk_batch batch = batch_of(1, parts);
  code = penstock_chunk_decoder_enqueue(decoder, queue, &batch, status);
  clReleaseMemObject(memory);
  clReleaseContext(context);
  penstock_chunk_decoder_free(decoder);
  return code;
}

void* opencl_queue_in(void* context) {
  cl_device_id device = NULL;
  clGetContextInfo((cl_context)context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
  return clCreateCommandQueue((cl_context)context, device, 0, NULL);
}

void release_opencl_queue(void* queue) { clReleaseCommandQueue((cl_command_queue)queue); }
