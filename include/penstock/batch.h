/* Batches of compressed chunks in C: decoded and made where they lie in a device's memory, on a
 * queue of the caller's.
 *
 * Memory and queues are the caller's own: CUDA's CUdeviceptr and CUstream, OpenCL's cl_mem and
 * cl_command_queue. What enqueues work allocates no device memory and waits for nothing; the work
 * takes its place in the queue's order. Chunks are not trusted: whatever their bytes are, nothing
 * outside the room of their text is written, and each gets a verdict. batch.hpp is the same in C++
 * and says more.
 *
 *     penstock_chunk_decoder* decoder = NULL;
 *     penstock_chunk_decoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &decoder, &status);
 *     // cudaMalloc, clCreateBuffer
 *     uint64_t scratch_bytes = penstock_chunk_decoder_scratch_bytes(decoder, count, 0);
 *     penstock_chunk_batch batch = {.chunk_count = count, .input = {input, input_bytes},
 *         .input_offsets = {offsets, 8 * count}, ...};
 *     // then copy the verdicts, in the same stream
 *     penstock_chunk_decoder_enqueue(decoder, stream, &batch, &status);
 */
#ifndef PENSTOCK_BATCH_H
#define PENSTOCK_BATCH_H
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

/* Memory of the device: a CUdeviceptr, or a cl_mem cast by (uintptr_t), and its bytes. CUDA's
 * addresses are multiples of 16, which those of cudaMalloc are. */
typedef struct penstock_memory {
  uint64_t handle;
  uint64_t bytes;
} penstock_memory;

/* A chunk's verdict, as kernels write it: fault 0 for a sound one, else penstock::batch::Fault,
 * and the byte of the chunk. */
typedef struct penstock_chunk_status {
  uint32_t error;
  uint32_t offset;
} penstock_chunk_status;

/* Offsets count from the beginning of `input` and `output`. What is read of `input` goes up to the
 * next multiple of 16 behind a chunk, and so far has `output` to reach behind the room of a text.
 * Rooms of texts must not overlap. */
typedef struct penstock_chunk_batch {
  uint32_t chunk_count;
  penstock_memory input;
  penstock_memory input_offsets, input_sizes; /* uint64_t each */
  penstock_memory output;
  penstock_memory output_offsets, output_capacities; /* uint64_t each */
  penstock_memory output_sizes; /* uint64_t each, written: 0 for a chunk that is not sound */
  penstock_memory statuses;     /* penstock_chunk_status each, written */
  penstock_memory
      scratch; /* ..._scratch_bytes() of decoder or encoder, the call's until its work is done */
  uint64_t max_output_bytes; /* no room is taken for larger than this; formats that ask for it are
                               told so by the error that 0 gives */
} penstock_chunk_batch;

typedef struct penstock_chunk_decoder penstock_chunk_decoder;

/* Compiles, or takes from the cache on disk. `variant`: NULL for the first that fits the device.
 * Given back by penstock_chunk_decoder_free(), once the work that it enqueued is done. One thread
 * at a time uses a decoder. */
penstock_code penstock_chunk_decoder_build(penstock_device* device, penstock_chunk_format format,
                                           const char* variant, penstock_chunk_decoder** decoder,
                                           penstock_status* status);
void penstock_chunk_decoder_free(penstock_chunk_decoder* decoder);
const char* penstock_chunk_decoder_variant(const penstock_chunk_decoder* decoder);

/* For a batch of so many chunks and max_output_bytes. */
uint64_t penstock_chunk_decoder_scratch_bytes(const penstock_chunk_decoder* decoder,
                                              uint32_t chunk_count, uint64_t max_output_bytes);

/* `queue`: a CUstream (NULL: the default stream) or an in-order cl_command_queue. PENSTOCK_INVALID:
 * memory that is too small, not aligned, or of another context. */
penstock_code penstock_chunk_decoder_enqueue(penstock_chunk_decoder* decoder, void* queue,
                                             const penstock_chunk_batch* batch,
                                             penstock_status* status);

/* What a verdict means, with the chunk's number and the byte: PENSTOCK_OK, TRUNCATED, CAPACITY,
 * CORRUPT or UNSUPPORTED. */
penstock_code penstock_chunk_check(penstock_chunk_format format, uint64_t chunk,
                                   penstock_chunk_status chunk_status, penstock_status* status);

/* Chunks made of texts. Of the batch `input` is the texts then, and `output` the chunks, each in a
 * room of its own, outside of which nothing is written; output_sizes are the chunks' bytes, 0 for
 * one that has no room (fault 7, PENSTOCK_CAPACITY), and a verdict's offset is of the text's bytes.
 * Equal texts become equal chunks on every device.
 *
 *     // of one chunk; none is too long for it
 *     uint64_t room = penstock_chunk_bound_bytes(PENSTOCK_CHUNK_DEFLATE, output_bytes);
 *     uint64_t scratch_bytes = penstock_chunk_encoder_scratch_bytes(encoder, count, output_bytes);
 *     penstock_chunk_encoder_enqueue(encoder, stream, &batch, &status); */
typedef struct penstock_chunk_encoder penstock_chunk_encoder;

/* As penstock_chunk_decoder_build(). LZ4: blocks; Deflate: streams. PENSTOCK_UNSUPPORTED for the
 * other formats. */
penstock_code penstock_chunk_encoder_build(penstock_device* device, penstock_chunk_format format,
                                           const char* variant, penstock_chunk_encoder** encoder,
                                           penstock_status* status);
void penstock_chunk_encoder_free(penstock_chunk_encoder* encoder);
const char* penstock_chunk_encoder_variant(const penstock_chunk_encoder* encoder);

/* What a text of so many bytes becomes at most. 0 for formats that are not made on devices. */
uint64_t penstock_chunk_bound_bytes(penstock_chunk_format format, uint64_t output_bytes);

/* For a batch of so many texts, each of at most max_output_bytes. */
uint64_t penstock_chunk_encoder_scratch_bytes(const penstock_chunk_encoder* encoder,
                                              uint32_t chunk_count, uint64_t max_output_bytes);

/* As penstock_chunk_decoder_enqueue(). */
penstock_code penstock_chunk_encoder_enqueue(penstock_chunk_encoder* encoder, void* queue,
                                             const penstock_chunk_batch* batch,
                                             penstock_status* status);

#ifdef __cplusplus
}
#endif
#endif
