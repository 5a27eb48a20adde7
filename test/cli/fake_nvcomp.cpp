// The functions of CUDA's driver and of nvCOMP that bench/peers/nvcomp.py calls, on the host's
// memory, for a test of the program without either. A chunk is "compressed" to its bytes inverted,
// the zeros at its end left out. FAKE_NVCOMP has the word of a fault.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

bool has_fault(std::string_view name) {
  const char* fault = std::getenv("FAKE_NVCOMP");
  return fault && fault == name;
}

struct Options {
  int words[16];
};
struct Alignments {
  std::size_t input, output, temporary;
};
constexpr std::size_t header_bytes = 8;
constexpr std::uint64_t alignment = 16;

// A pointer that the interface would not allow.
bool is_wrong(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment != 0;
}

int compress(const void* const* plain, const std::size_t* sizes, std::size_t largest,
             std::size_t count, void* scratch, std::size_t scratch_bytes, void* const* packed,
             std::size_t* packed_sizes, Options, int* statuses, void*) {
  if (scratch_bytes != count || !scratch) return 10;
  for (std::size_t i = 0; i < count; i++) {
    statuses[i] = is_wrong(plain[i]) || is_wrong(packed[i]) || sizes[i] > largest ? 17 : 0;
    const auto* from = static_cast<const unsigned char*>(plain[i]);
    auto* to = static_cast<unsigned char*>(packed[i]);
    std::size_t kept = sizes[i];
    while (kept != 0 && from[kept - 1] == 0) kept--;
    std::memcpy(to, &kept, header_bytes);
    for (std::size_t at = 0; at < kept; at++)
      to[header_bytes + at] = static_cast<unsigned char>(~from[at]);
    packed_sizes[i] = header_bytes + kept;
  }
  return 0;
}

int decompress(const void* const* packed, const std::size_t* packed_sizes,
               const std::size_t* capacity, std::size_t* sizes_found, std::size_t count, void*,
               std::size_t, void* const* plain, Options, int* statuses, void*) {
  if (has_fault("decompress")) return 10;
  for (std::size_t i = 0; i < count; i++) {
    const auto* from = static_cast<const unsigned char*>(packed[i]);
    auto* to = static_cast<unsigned char*>(plain[i]);
    std::size_t kept = 0;
    std::memcpy(&kept, from, header_bytes);
    statuses[i] = kept + header_bytes != packed_sizes[i] || kept > capacity[i] ||
                          (has_fault("chunk") && i == 1)
                      ? 12
                      : 0;
    if (statuses[i] != 0) continue;
    std::fill(to + kept, to + capacity[i], static_cast<unsigned char>(0));
    for (std::size_t at = 0; at < kept; at++)
      to[at] = static_cast<unsigned char>(~from[header_bytes + at]);
    sizes_found[i] = capacity[i];
    if (has_fault("byte") && i + 1 == count) to[capacity[i] - 1] ^= 1;
  }
  return 0;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return has_fault("device") ? 100 : 0; }
int cuGetErrorName(int, const char** name) { return *name = "CUDA_ERROR_FAKE", 0; }
int cuDeviceGet(int* device, int) { return *device = 0, 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = nullptr, 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() { return 0; }
int cuStreamCreate(void** stream, unsigned) { return *stream = nullptr, 0; }
int cuStreamSynchronize(void*) { return 0; }
int cuEventCreate(void** event, unsigned) { return *event = nullptr, 0; }
int cuEventRecord(void*, void*) { return 0; }
int cuEventSynchronize(void*) { return 0; }
int cuEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 0.5f, 0; }
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  *address = reinterpret_cast<std::uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
int cuMemFree_v2(std::uint64_t address) { return std::free(reinterpret_cast<void*>(address)), 0; }
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), 0;
}
int cuMemsetD8_v2(std::uint64_t to, unsigned char value, std::size_t bytes) {
  return std::memset(reinterpret_cast<void*>(to), value, bytes), 0;
}

int nvcompGetProperties(std::uint32_t* properties) {
  return properties[0] = has_fault("version") ? 5200 : 6001, properties[1] = 0, 0;
}
const char* nvcompGetStatusString(int status) {
  return status == 12 ? "cannot decompress" : "invalid value";
}

// The same for each codec, but for the options: their first words are the defaults that nvCOMP
// documents.
#define FAKE_CODEC(Codec, compress_word, decompress_word)                                          \
  static int aligned_##Codec(Options o, int first, int second, Alignments* found) {                \
    return *found = {alignment, alignment, 1},                                                     \
           o.words[0] == first && o.words[1] == second && o.words[15] == 0 ? 0 : 10;               \
  }                                                                                                \
  int nvcompBatched##Codec##CompressGetRequiredAlignments(Options o, Alignments* found) {          \
    return aligned_##Codec(o, compress_word, 0, found);                                            \
  }                                                                                                \
  int nvcompBatched##Codec##DecompressGetRequiredAlignments(Options o, Alignments* found) {        \
    return aligned_##Codec(o, 0, decompress_word, found);                                          \
  }                                                                                                \
  int nvcompBatched##Codec##CompressGetMaxOutputChunkSize(std::size_t bytes, Options,              \
                                                          std::size_t* found) {                    \
    return *found = bytes + header_bytes, 0;                                                       \
  }                                                                                                \
  int nvcompBatched##Codec##CompressGetTempSize(std::size_t count, std::size_t, Options,           \
                                                std::size_t* found, std::size_t, void*) {          \
    return *found = count, 0;                                                                      \
  }                                                                                                \
  int nvcompBatched##Codec##DecompressGetTempSize(std::size_t, std::size_t, Options,               \
                                                  std::size_t* found, std::size_t, void*) {        \
    return *found = 0, 0;                                                                          \
  }                                                                                                \
  int nvcompBatched##Codec##CompressAsync(                                                         \
      const void* const* plain, const std::size_t* sizes, std::size_t largest, std::size_t count,  \
      void* scratch, std::size_t scratch_bytes, void* const* packed, std::size_t* packed_sizes,    \
      Options o, int* statuses, void* stream) {                                                    \
    return compress(plain, sizes, largest, count, scratch, scratch_bytes, packed, packed_sizes, o, \
                    statuses, stream);                                                             \
  }                                                                                                \
  int nvcompBatched##Codec##DecompressAsync(                                                       \
      const void* const* packed, const std::size_t* packed_sizes, const std::size_t* capacity,     \
      std::size_t* sizes_found, std::size_t count, void* scratch, std::size_t scratch_bytes,       \
      void* const* plain, Options o, int* statuses, void* stream) {                                \
    return decompress(packed, packed_sizes, capacity, sizes_found, count, scratch, scratch_bytes,  \
                      plain, o, statuses, stream);                                                 \
  }

FAKE_CODEC(LZ4, 0, 0)
FAKE_CODEC(Zstd, 0, 0)
FAKE_CODEC(ANS, 0, 0xFF)
FAKE_CODEC(Deflate, 1, 0)
FAKE_CODEC(Gzip, 1, 0)
FAKE_CODEC(Snappy, 0, 0)

}  // extern "C"
