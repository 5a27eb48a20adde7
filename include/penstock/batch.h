/* Batches of compressed chunks in C: decoded or encoded in the memory of a device, on a queue of
 * the caller's.
 *
 * Memory and queues belong to the caller: CUDA's CUdeviceptr and CUstream, OpenCL's cl_mem and
 * cl_command_queue. On cpu:0 memory is the host's and the queue is NULL: work ends before the call
 * returns. The enqueue functions allocate no device memory and wait for nothing; their
 * work runs in the queue's order. Chunks may be hostile: nothing is written outside the capacity of
 * a chunk's output, and each chunk gets a status. batch.hpp is the same interface in C++ and has
 * more detail.
 *
 *     penstock_chunk_decoder* decoder = NULL;
 *     penstock_chunk_decoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &decoder, &status);
 *     // cudaMalloc, clCreateBuffer
 *     uint64_t scratch_bytes = penstock_chunk_decoder_scratch_bytes(decoder, count, 0);
 *     penstock_chunk_batch batch = {.chunk_count = count, .input = {input, input_bytes},
 *         .input_offsets = {offsets, 8 * count}, ...};
 *     // then copy the statuses, in the same stream
 *     penstock_chunk_decoder_enqueue(decoder, stream, &batch, &status);
 */
#ifndef PENSTOCK_BATCH_H
#define PENSTOCK_BATCH_H
#include "penstock/batch_errors.h"
#include "penstock/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* penstock::batch::Format */
typedef enum penstock_chunk_format {
  PENSTOCK_CHUNK_LZ4,
  PENSTOCK_CHUNK_SNAPPY,
  PENSTOCK_CHUNK_DEFLATE,
  PENSTOCK_CHUNK_ZLIB,
  PENSTOCK_CHUNK_GZIP,
  PENSTOCK_CHUNK_ZSTD
} penstock_chunk_format;

/* The result of one chunk, as kernels write it: PENSTOCK_CHUNK_OK, or another error of
 * batch_errors.h and the byte of the chunk where it was found. */
typedef struct penstock_chunk_status {
  uint32_t error;
  uint32_t offset;
} penstock_chunk_status;

/* Chunks and their outputs. Offsets count from the beginning of `input` and `output`. Kernels read
 * `input` up to the next multiple of 16 after a chunk. `output` must reach as far after each
 * capacity. The ranges of outputs must not overlap. */
typedef struct penstock_chunk_batch {
  uint32_t chunk_count;
  penstock_memory input;
  penstock_memory input_offsets, input_sizes; /* uint64_t[chunk_count], bytes */
  penstock_memory output;
  penstock_memory output_offsets, output_capacities; /* uint64_t[chunk_count], bytes */
  penstock_memory output_sizes; /* uint64_t[chunk_count], written; 0 for a corrupt chunk */
  penstock_memory statuses;     /* penstock_chunk_status[chunk_count], written */
  /* ..._scratch_bytes() of the decoder or encoder. In use until the enqueued work is done. */
  penstock_memory scratch;
  /* A bound of the output capacities; larger ones are cut to it. Formats that require it return
   * PENSTOCK_INVALID for 0. */
  uint64_t max_output_bytes;
} penstock_chunk_batch;

typedef struct penstock_chunk_decoder penstock_chunk_decoder;

/* Builds a decoder: compiles its kernels, or loads them from the cache on disk. `variant`: NULL for
 * the first that fits the device. Release it with penstock_chunk_decoder_free() once the work that
 * it enqueued is done. One host thread at a time may use a decoder. */
penstock_code penstock_chunk_decoder_build(penstock_device* device, penstock_chunk_format format,
                                           const char* variant, penstock_chunk_decoder** decoder,
                                           penstock_status* status);
void penstock_chunk_decoder_free(penstock_chunk_decoder* decoder);
const char* penstock_chunk_decoder_variant(const penstock_chunk_decoder* decoder);

/* Returns the scratch memory in bytes for a batch of `chunk_count` chunks. */
uint64_t penstock_chunk_decoder_scratch_bytes(const penstock_chunk_decoder* decoder,
                                              uint32_t chunk_count, uint64_t max_output_bytes);

/* Enqueues the decoding of a batch. `queue`: a CUstream (NULL: the default stream) or an in-order
 * cl_command_queue. Returns PENSTOCK_INVALID for memory that is too small, not aligned, or of
 * another context. */
penstock_code penstock_chunk_decoder_enqueue(penstock_chunk_decoder* decoder, void* queue,
                                             const penstock_chunk_batch* batch,
                                             penstock_status* status);

/* Converts a chunk's status to a penstock_status that names the chunk and the byte. Returns
 * PENSTOCK_OK, TRUNCATED, CAPACITY, CORRUPT or UNSUPPORTED. */
penstock_code penstock_chunk_check(penstock_chunk_format format, uint64_t chunk,
                                   penstock_chunk_status chunk_status, penstock_status* status);

/* Compresses chunks. A batch's `input` has the plain bytes and its `output` receives the compressed
 * chunks. Nothing is written outside of a chunk's capacity. output_sizes are the compressed sizes,
 * 0 for a chunk that does not fit (error 7, PENSTOCK_CAPACITY). The offset of a status counts plain
 * bytes. Equal inputs become equal chunks on every device.
 *
 *     // the capacity that one chunk never exceeds
 *     uint64_t capacity = penstock_chunk_bound_bytes(PENSTOCK_CHUNK_DEFLATE, input_bytes);
 *     uint64_t scratch_bytes = penstock_chunk_encoder_scratch_bytes(encoder, count, input_bytes);
 *     penstock_chunk_encoder_enqueue(encoder, stream, &batch, &status); */
typedef struct penstock_chunk_encoder penstock_chunk_encoder;

/* Builds an encoder, as penstock_chunk_decoder_build() builds a decoder. LZ4: blocks; Deflate:
 * streams. Returns PENSTOCK_UNSUPPORTED for the other formats. */
penstock_code penstock_chunk_encoder_build(penstock_device* device, penstock_chunk_format format,
                                           const char* variant, penstock_chunk_encoder** encoder,
                                           penstock_status* status);
void penstock_chunk_encoder_free(penstock_chunk_encoder* encoder);
const char* penstock_chunk_encoder_variant(const penstock_chunk_encoder* encoder);

/* Returns the largest compressed size of `input_bytes` bytes, or 0 for formats that cannot be
 * encoded on devices. */
uint64_t penstock_chunk_bound_bytes(penstock_chunk_format format, uint64_t input_bytes);

/* Returns the scratch memory in bytes for a batch of `chunk_count` chunks, each of at most
 * max_input_bytes plain bytes. */
uint64_t penstock_chunk_encoder_scratch_bytes(const penstock_chunk_encoder* encoder,
                                              uint32_t chunk_count, uint64_t max_input_bytes);

/* Enqueues the encoding of a batch, as penstock_chunk_decoder_enqueue() does for decoding. */
penstock_code penstock_chunk_encoder_enqueue(penstock_chunk_encoder* encoder, void* queue,
                                             const penstock_chunk_batch* batch,
                                             penstock_status* status);

#ifdef __cplusplus
}
#endif
#endif
