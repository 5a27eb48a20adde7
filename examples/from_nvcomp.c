/* LZ4 chunks compressed and decompressed on the program's own CUDA stream, call by call beside
 * nvCOMP's batched C interface (docs/nvcomp.md): the comments name nvCOMP's call for each of ours.
 * Without an NVIDIA GPU the same program runs on cpu:0, in the host's memory. */
#include <dlfcn.h>
#include <penstock/batch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { chunk_count = 16, chunk_bytes = 65536, damaged = 3 };

static void fail(const char* what) {
  fprintf(stderr, "from_nvcomp: %s\n", what);
  exit(1);
}

/* The caller's memory and stream. A program that has CUDA's toolkit calls cudaMalloc and
 * cudaMemcpyAsync; this one opens the driver, so that it compiles without the toolkit. */
static struct {
  void* stream; /* CUstream, which a cudaStream_t is, too */
  int (*allocate)(uint64_t* memory, size_t bytes);
  int (*to_device)(uint64_t to, const void* from, size_t bytes, void* stream);
  int (*to_host)(void* to, uint64_t from, size_t bytes, void* stream);
  int (*finish)(void* stream);
  int (*release)(uint64_t memory);
  uint64_t allocated[64];
  int allocated_count;
} caller;

static int allocate_on_host(uint64_t* memory, size_t bytes) {
  *memory = (uintptr_t)aligned_alloc(16, (bytes + 15) / 16 * 16);
  return *memory == 0;
}
static int copy_on_host(uint64_t to, const void* from, size_t bytes, void* stream) {
  (void)stream;
  memcpy((void*)(uintptr_t)to, from, bytes);
  return 0;
}
static int copy_to_host(void* to, uint64_t from, size_t bytes, void* stream) {
  (void)stream;
  memcpy(to, (const void*)(uintptr_t)from, bytes);
  return 0;
}
static int finish_on_host(void* stream) { return stream != NULL; }
static int release_on_host(uint64_t memory) {
  free((void*)(uintptr_t)memory);
  return 0;
}

static void find(void* library, const char* name, void* function) {
  void* const symbol = dlsym(library, name);
  if (symbol == NULL) fail(name);
  memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast to a pointer to a function */
}
static void use_cuda(void* context) {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  int (*set_context)(void* context);
  int (*create_stream)(void** stream, unsigned flags);
  if (library == NULL) fail("no libcuda.so.1");
  find(library, "cuCtxSetCurrent", &set_context);
  find(library, "cuStreamCreate", &create_stream);
  find(library, "cuMemAlloc_v2", &caller.allocate);
  find(library, "cuMemcpyHtoDAsync_v2", &caller.to_device);
  find(library, "cuMemcpyDtoHAsync_v2", &caller.to_host);
  find(library, "cuStreamSynchronize", &caller.finish);
  find(library, "cuMemFree_v2", &caller.release);
  if (set_context(context) != 0 || create_stream(&caller.stream, 0) != 0) fail("no stream");
}
static void use_host(void) {
  caller.allocate = allocate_on_host;
  caller.to_device = copy_on_host;
  caller.to_host = copy_to_host;
  caller.finish = finish_on_host;
  caller.release = release_on_host;
}

/* Kernels read up to the next multiple of 16 after a chunk, hence the bytes more. */
static penstock_memory put(const void* content, uint64_t bytes) {
  penstock_memory memory = {0, bytes + 16};
  if (caller.allocate(&memory.handle, (size_t)memory.bytes) != 0) fail("no memory");
  caller.allocated[caller.allocated_count++] = memory.handle;
  if (content != NULL &&
      caller.to_device(memory.handle, content, (size_t)bytes, caller.stream) != 0)
    fail("no copy");
  return memory;
}
static void get(penstock_memory from, void* to, uint64_t bytes) {
  if (caller.to_host(to, from.handle, (size_t)bytes, caller.stream) != 0) fail("no copy");
}

/* nvCOMP takes an array of pointers to chunks. Penstock takes one address and an array of offsets,
 * which need no alignment. */
static penstock_memory put_offsets(uint64_t stride) {
  uint64_t offsets[chunk_count];
  for (int i = 0; i < chunk_count; i++) offsets[i] = (uint64_t)i * stride;
  return put(offsets, sizeof offsets);
}
static penstock_memory put_sizes(uint64_t size) {
  uint64_t sizes[chunk_count];
  for (int i = 0; i < chunk_count; i++) sizes[i] = size;
  return put(sizes, sizeof sizes);
}

/* Returns the batch of compressed chunks, which are on their way in the stream. */
static penstock_chunk_batch compress(penstock_device* device, const uint8_t* text,
                                     penstock_status* status) {
  penstock_chunk_encoder* encoder = NULL;
  if (penstock_chunk_encoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &encoder, status))
    fail(status->message);
  /* nvcompBatchedLZ4CompressGetMaxOutputChunkSize */
  const uint64_t bound = penstock_chunk_bound_bytes(PENSTOCK_CHUNK_LZ4, chunk_bytes);
  /* nvcompBatchedLZ4CompressGetTempSizeAsync */
  const uint64_t scratch = penstock_chunk_encoder_scratch_bytes(encoder, chunk_count, chunk_bytes);
  const penstock_chunk_batch batch = {
      .chunk_count = chunk_count,
      .input = put(text, (uint64_t)chunk_count * chunk_bytes),
      .input_offsets = put_offsets(chunk_bytes),
      .input_sizes = put_sizes(chunk_bytes),
      .output = put(NULL, chunk_count * bound),
      .output_offsets = put_offsets(bound),
      .output_capacities = put_sizes(bound),
      .output_sizes = put(NULL, chunk_count * sizeof(uint64_t)),
      .statuses = put(NULL, chunk_count * sizeof(penstock_chunk_status)),
      .scratch = put(NULL, scratch),
  };
  /* nvcompBatchedLZ4CompressAsync */
  if (penstock_chunk_encoder_enqueue(encoder, caller.stream, &batch, status)) fail(status->message);
  caller.finish(caller.stream); /* an encoder outlives its work */
  penstock_chunk_encoder_free(encoder);
  return batch;
}

/* Decompresses what an encoder left. Nothing goes through the host. */
static penstock_chunk_batch decompress(penstock_device* device,
                                       const penstock_chunk_batch* compressed,
                                       penstock_status* status) {
  penstock_chunk_decoder* decoder = NULL;
  if (penstock_chunk_decoder_build(device, PENSTOCK_CHUNK_LZ4, NULL, &decoder, status))
    fail(status->message);
  /* nvcompBatchedLZ4DecompressGetTempSizeAsync */
  const uint64_t scratch = penstock_chunk_decoder_scratch_bytes(decoder, chunk_count, chunk_bytes);
  const penstock_chunk_batch batch = {
      .chunk_count = chunk_count,
      .input = compressed->output,
      .input_offsets = compressed->output_offsets,
      .input_sizes = compressed->output_sizes,
      .output = put(NULL, (uint64_t)chunk_count * chunk_bytes),
      .output_offsets = put_offsets(chunk_bytes),
      .output_capacities = put_sizes(chunk_bytes), /* device_uncompressed_buffer_bytes */
      .output_sizes = put(NULL, chunk_count * sizeof(uint64_t)), /* ..._uncompressed_chunk_bytes */
      .statuses = put(NULL, chunk_count * sizeof(penstock_chunk_status)), /* device_statuses */
      .scratch = put(NULL, scratch),
      .max_output_bytes = chunk_bytes,
  };
  /* nvcompBatchedLZ4DecompressAsync */
  if (penstock_chunk_decoder_enqueue(decoder, caller.stream, &batch, status)) fail(status->message);
  caller.finish(caller.stream);
  penstock_chunk_decoder_free(decoder);
  return batch;
}

/* Lines of a log, and noise that does not become smaller. */
static uint8_t* make_text(void) {
  uint8_t* const text = malloc((size_t)chunk_count * chunk_bytes);
  if (text == NULL) fail("no memory");
  uint32_t random = 1;
  for (size_t i = 0; i < (size_t)chunk_count * chunk_bytes; i++) {
    random = random * 1664525u + 1013904223u;
    text[i] = i % 512 < 480 ? (uint8_t)("GET /index.html 200 "[i % 20]) : (uint8_t)(random >> 24);
  }
  return text;
}

/* Writes an impossible match over the beginning of a compressed chunk. */
static void damage(const penstock_chunk_batch* compressed) {
  static const uint8_t match_before_the_output[] = {0x10, 'x', 0xff, 0xff};
  uint64_t offsets[chunk_count];
  get(compressed->output_offsets, offsets, sizeof offsets);
  caller.finish(caller.stream);
  caller.to_device(compressed->output.handle + offsets[damaged], match_before_the_output,
                   sizeof match_before_the_output, caller.stream);
}

/* Returns how many chunks are as they were. Prints the errors of the others. */
static int whole_chunks(const penstock_chunk_batch* batch, const uint8_t* text,
                        penstock_status* status) {
  uint8_t* const found = malloc((size_t)chunk_count * chunk_bytes);
  uint64_t sizes[chunk_count];
  penstock_chunk_status statuses[chunk_count];
  if (found == NULL) fail("no memory");
  get(batch->output, found, (uint64_t)chunk_count * chunk_bytes);
  get(batch->output_sizes, sizes, sizeof sizes);
  get(batch->statuses, statuses, sizeof statuses);
  caller.finish(caller.stream);
  int whole = 0;
  for (uint32_t i = 0; i < chunk_count; i++) {
    if (penstock_chunk_check(PENSTOCK_CHUNK_LZ4, i, statuses[i], status) != PENSTOCK_OK)
      printf("  %s\n", status->message);
    else
      whole += sizes[i] == chunk_bytes && memcmp(found + (size_t)i * chunk_bytes,
                                                 text + (size_t)i * chunk_bytes, chunk_bytes) == 0;
  }
  free(found);
  return whole;
}

int main(void) {
  penstock_status status;
  penstock_device* device = NULL;
  if (penstock_device_open("cuda:0", &device, &status) == PENSTOCK_OK) {
    use_cuda(penstock_device_context(device));
  } else {
    use_host();
    if (penstock_device_open("cpu:0", &device, &status)) {
      printf("skipped: %s\n", status.message);
      return 0;
    }
  }
  uint8_t* const text = make_text();
  const penstock_chunk_batch compressed = compress(device, text, &status);
  const penstock_chunk_batch plain = decompress(device, &compressed, &status);
  const int whole = whole_chunks(&plain, text, &status);
  printf("%s: %d of %d chunks are as they were\n", penstock_device_id(device), whole, chunk_count);

  damage(&compressed);
  const penstock_chunk_batch again = decompress(device, &compressed, &status);
  const int whole_again = whole_chunks(&again, text, &status);
  printf("%s: with a damaged one, %d of %d\n", penstock_device_id(device), whole_again,
         chunk_count);
  while (caller.allocated_count > 0) caller.release(caller.allocated[--caller.allocated_count]);
  penstock_device_close(device);
  free(text);
  return whole == chunk_count && whole_again == chunk_count - 1 ? 0 : 1;
}
