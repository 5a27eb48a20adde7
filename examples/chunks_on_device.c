/* Decodes LZ4 blocks on a device from C and encodes their output again, in the program's own OpenCL
 * context, queue and memory. With CUDA these would be a CUstream and CUdeviceptrs, and the device
 * penstock_device_open("cuda:0", ...). */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "penstock/batch.h"

enum { chunk_count = 2, capacity = 64 };

/* "penstock " and a match of 45 bytes at distance 9, then five literals; and a corrupt block, whose
 * match begins before its output. */
static const uint8_t input[48] = {0x9f, 'p', 'e', 'n',  's', 't', 'o', 'c', 'k', ' ',
                                  9,    0,   26,  0x50, 'f', 'l', 'o', 'w', 's', [32] = 0x10,
                                  'x',  7,   0,   0x50, 'n', 'e', 'v', 'e', 'r'};
static const uint64_t input_offsets[] = {0, 32}, input_sizes[] = {19, 10},
                      output_offsets[] = {0, capacity}, capacities[] = {capacity, capacity};

static void fail(const char* what) {
  fprintf(stderr, "chunks_on_device: %s\n", what);
  exit(1);
}

static penstock_memory put(cl_context context, const void* content, size_t bytes) {
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (content != NULL ? CL_MEM_COPY_HOST_PTR : 0);
  const cl_mem memory = clCreateBuffer(context, flags, bytes, (void*)(uintptr_t)content, NULL);
  if (memory == NULL) fail("no memory on the device");
  return (penstock_memory){(uintptr_t)memory, bytes};
}

static void get(cl_command_queue queue, penstock_memory from, void* to) {
  clEnqueueReadBuffer(queue, (cl_mem)(uintptr_t)from.handle, CL_FALSE, 0, (size_t)from.bytes, to, 0,
                      NULL, NULL);
}

/* Returns a batch whose input is the decoder's output, with the sizes that it wrote. Nothing is
 * copied to the host in between. */
static penstock_chunk_batch outputs_of(cl_context context, const penstock_chunk_encoder* encoder,
                                       const penstock_chunk_batch* decoded) {
  const uint64_t bound = penstock_chunk_bound_bytes(PENSTOCK_CHUNK_LZ4, capacity);
  const uint64_t offsets[chunk_count] = {0, bound}, bounds[chunk_count] = {bound, bound};
  return (penstock_chunk_batch){
      .chunk_count = chunk_count,
      .input = decoded->output,
      .input_offsets = decoded->output_offsets,
      .input_sizes = decoded->output_sizes,
      .output = put(context, NULL, (size_t)(chunk_count * bound + 16)),
      .output_offsets = put(context, offsets, sizeof offsets),
      .output_capacities = put(context, bounds, sizeof bounds),
      .output_sizes = put(context, NULL, (size_t)chunk_count * 8),
      .statuses = put(context, NULL, chunk_count * sizeof(penstock_chunk_status)),
      .scratch = put(context, NULL,
                     (size_t)penstock_chunk_encoder_scratch_bytes(encoder, chunk_count, capacity)),
  };
}

static void release(const penstock_memory* all, size_t count) {
  for (size_t i = 0; i < count; i++) clReleaseMemObject((cl_mem)(uintptr_t)all[i].handle);
}

int main(void) {
  cl_platform_id platform = NULL;
  cl_device_id id = NULL;
  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL) != CL_SUCCESS)
    fail("no OpenCL device");
  const cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
  const cl_command_queue queue = clCreateCommandQueue(context, id, 0, NULL);

  penstock_status status;
  penstock_device* device = NULL;
  penstock_chunk_decoder* decoder = NULL;
  penstock_chunk_encoder* encoder = NULL;
  if (penstock_device_of_opencl_queue(queue, &device, &status)) fail(status.message);
  if (penstock_chunk_decoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &decoder, &status))
    fail(status.message);
  if (penstock_chunk_encoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &encoder, &status))
    fail(status.message);
  const penstock_chunk_batch batch = {
      .chunk_count = chunk_count,
      .input = put(context, input, sizeof input),
      .input_offsets = put(context, input_offsets, sizeof input_offsets),
      .input_sizes = put(context, input_sizes, sizeof input_sizes),
      .output = put(context, NULL, (size_t)chunk_count * capacity),
      .output_offsets = put(context, output_offsets, sizeof output_offsets),
      .output_capacities = put(context, capacities, sizeof capacities),
      .output_sizes = put(context, NULL, (size_t)chunk_count * 8),
      .statuses = put(context, NULL, chunk_count * sizeof(penstock_chunk_status)),
      .scratch =
          put(context, NULL, (size_t)penstock_chunk_decoder_scratch_bytes(decoder, chunk_count, 0)),
  };
  const penstock_chunk_batch again = outputs_of(context, encoder, &batch);
  if (penstock_chunk_decoder_enqueue(decoder, queue, &batch, &status)) fail(status.message);
  if (penstock_chunk_encoder_enqueue(encoder, queue, &again, &status)) fail(status.message);

  char output[chunk_count * capacity];
  uint64_t sizes[chunk_count], sizes_again[chunk_count];
  penstock_chunk_status statuses[chunk_count];
  get(queue, batch.output, output);
  get(queue, batch.output_sizes, sizes);
  get(queue, batch.statuses, statuses);
  get(queue, again.output_sizes, sizes_again);
  clFinish(queue);
  for (uint32_t i = 0; i < chunk_count; i++) {
    if (penstock_chunk_check(PENSTOCK_CHUNK_LZ4, i, statuses[i], &status))
      printf("%s\n", status.message);
    else
      printf("%s, by %s: %.*s\n", penstock_device_id(device),
             penstock_chunk_decoder_variant(decoder), (int)sizes[i], output + i * capacity);
  }
  printf("encoded again, by %s: %d bytes\n", penstock_chunk_encoder_variant(encoder),
         (int)sizes_again[0]);
  const char expected[] = "penstock penstock penstock penstock penstock penstock flows";
  const int is_right = sizes[0] == strlen(expected) && memcmp(output, expected, sizes[0]) == 0 &&
                       statuses[1].error != 0 && sizes_again[0] != 0 && sizes_again[0] < sizes[0];

  penstock_chunk_decoder_free(decoder);
  penstock_chunk_encoder_free(encoder);
  penstock_device_close(device);
  const penstock_memory all[] = {batch.input,        batch.input_offsets,  batch.input_sizes,
                                 batch.output,       batch.output_offsets, batch.output_capacities,
                                 batch.output_sizes, batch.statuses,       batch.scratch,
                                 again.output,       again.output_offsets, again.output_capacities,
                                 again.output_sizes, again.statuses,       again.scratch};
  release(all, sizeof all / sizeof *all);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return is_right ? 0 : 1;
}
