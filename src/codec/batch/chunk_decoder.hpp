// The variant tables of batches: chunk_decoder.cpp has a row per format and method of decoding,
// chunk_encoder.cpp of encoding. The first row that fits a device runs, unless another is asked for
// by name or by PENSTOCK_VARIANT.
//
// A variant is one or several phases: kernels that run over the whole batch, one after another on
// the queue. All phases of a variant have the same parameters: the batch, a counter that starts at
// 0, and the number of chunks. Variants that need more scratch memory than the counter also get
// that memory and Batch::max_output_bytes.
#pragma once
#include <array>

#include "codec/batch/chunk_program.hpp"
#include "kernel/variant_table.hpp"
#include "penstock/batch.hpp"

namespace penstock::batch {

// The mapping of work to chunks: one warp per chunk (warp.kc), a group of warps per chunk, one
// thread per chunk, a fixed number of threads per chunk, or a single group for all chunks. Warps
// and single threads take chunks from an atomic counter. A group takes each GROUP_COUNT-th chunk.
// With threads_per_chunk a thread computes its chunk from its number.
enum class Granularity : unsigned char {
  warp_per_chunk,
  group_per_chunk,
  thread_per_chunk,
  threads_per_chunk,
  single_group
};

struct Phase {
  std::string_view kernel;  // empty: no phase
  std::string_view file;    // below src/codec/, without ".kc"
  Granularity granularity = Granularity::thread_per_chunk;
  std::uint64_t local_bytes = 0;  // per warp, or per thread with threads_per_chunk
  // Warps that are sub-groups (warp_per_chunk, group_per_chunk), or threads (threads_per_chunk).
  std::uint32_t max_workers_per_group = 1;
  std::uint32_t groups_per_multiprocessor = 1;  // resident at once; for warps that are sub-groups
  std::uint32_t threads_per_chunk = 1;          // CPUs always use one thread per chunk
};

struct Variant {
  std::string_view name;
  Format format;
  std::array<Phase, 5> phases;
  std::uint64_t bytes_per_active_chunk = 0;  // of scratch memory, for each chunk being decoded
  std::uint64_t bytes_per_chunk = 0;         // of scratch memory
  std::uint64_t bytes_per_match = 0;  // of scratch memory, for each 3 bytes of a chunk's output
  bool is_for_cpus = false;           // for nothing else
  // Several warps decode a chunk. large_block_decoder.cpp runs the phases, of Snappy
  // segment_decoder.cpp.
  bool splits_blocks = false;
  // Preferred if the output of a chunk may be this large. Smaller chunks use it by name only.
  std::uint64_t min_output_bytes = 0;
  bool supports_dependent_blocks = false;

  bool has_scratch() const {
    return bytes_per_active_chunk + bytes_per_chunk + bytes_per_match != 0;
  }
};
kernel::Fit fits(const Variant& variant, const Traits& traits);
// Returns the row that decodes: `asked`, or the one that PENSTOCK_VARIANT forces, or the first.
Result<const Variant*> choose_decoder(Format format, const Traits& traits,
                                      Requirements requirements, std::string_view asked);
// The name of a format's rows in PENSTOCK_VARIANT: "lz4_decode", "lz4_encode".
std::string decoding_family(Format format);
std::string encoding_family(Format format);
// kernel_decoder.cpp
Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device,
                                                      const Variant& variant);
Result<std::unique_ptr<Encoder>> build_kernel_encoder(std::shared_ptr<Device> device,
                                                      const Variant& variant);

// large_block_decoder.cpp
Result<std::unique_ptr<Decoder>> build_large_block_decoder(std::shared_ptr<Device> device,
                                                           const Variant& variant);
// segment_decoder.cpp
Result<std::unique_ptr<Decoder>> build_snappy_segment_decoder(std::shared_ptr<Device> device,
                                                              const Variant& variant);

// Returns how the warps or threads of a phase are put into groups on a device.
GroupPolicy policy_of(const Phase& phase, const Traits& traits);
// Chunk policies of a row, phase by phase: its own, or policies that `penstock tune` found faster
// (chunk_policies.cpp). `family` is the row's.
std::vector<GroupPolicy> policies_of(const std::string& family, const Variant& variant,
                                     const Traits& traits);
// The row for the view of the tables.
kernel::VariantRow view_of(const std::string& family, const Variant& variant, const Traits& traits);

// A compiled phase. `phase` is in a row of a table, which outlives it.
struct BuiltPhase {
  const Phase* phase = nullptr;
  GroupPolicy policy;
  std::shared_ptr<Program> program;
  std::uint32_t groups(const Traits& traits, std::uint32_t chunk_count) const;
};
Result<BuiltPhase> build_phase(Device& device, const Phase& phase);
Result<BuiltPhase> build_phase(Device& device, const Phase& phase, const GroupPolicy& policy);

// Returns Code::invalid if a buffer of the batch is too small for its chunks.
Status check_batch(const Batch& batch, const Buffer& scratch, std::uint64_t scratch_bytes);
// Returns "LOCATION: MESSAGE" with the Code of the error; ok for ErrorCode::none.
Status status_at(const std::string& location, ErrorCode error);
// Returns the arguments that every kernel begins with.
std::vector<Argument> batch_arguments(const Batch& batch);

}  // namespace penstock::batch
