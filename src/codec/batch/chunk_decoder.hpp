// The variant tables of chunks, of decoding (chunk_decoder.cpp) and of encoding
// (chunk_encoder.cpp): a row a format and way, the first that fits a device runs.
//
// A way is one or several kernels over the whole batch, its phases, one after the other on the
// queue. They have the same parameters: the batch, a counter that is 0, the number of chunks; and
// where the way needs more of scratch memory than the counter, that memory and
// Batch::max_output_bytes.
#pragma once
#include <array>

#include "codec/batch/chunk_program.hpp"
#include "penstock/batch.hpp"

namespace penstock::batch {

// Who takes a chunk: teams of 32 items (warp.kc) and items take chunks by the counter; of items by
// number each chunk has so many; one group takes them all.
enum class Takers : unsigned char { warps, threads, threads_by_number, one_group };

struct Phase {
  std::string_view kernel;  // its name; empty: no phase
  std::string_view file;    // of src/codec, without ending
  Takers takers = Takers::threads;
  std::uint64_t local_bytes = 0;  // of a team, or of an item by number
  std::uint32_t takers_per_group =
      1;  // at most, of teams that are sub-groups and of items by number
  std::uint32_t groups_per_unit = 1;    // of teams that are sub-groups: resident at once
  std::uint32_t threads_per_chunk = 1;  // by number, except on CPUs, where one item takes a chunk
};

struct Variant {
  std::string_view name;
  Format format;
  std::array<Phase, 5> phases;
  std::uint64_t bytes_in_flight = 0;  // of scratch memory, for each chunk that is being decoded
  std::uint64_t bytes_per_chunk = 0,
                bytes_per_match =
                    0;       // for each chunk, and for each match of 3 bytes that its text may have
  bool is_for_cpus = false;  // alone
  bool is_by_stretches =
      false;  // several teams a chunk: large_block_decoder.cpp, whose programs the phases are
  std::uint64_t min_output_bytes =
      0;  // taken first for chunks that may become so much, else only by its name
  bool takes_linked = false;  // what Batch::links says

  bool has_scratch() const { return bytes_in_flight + bytes_per_chunk + bytes_per_match != 0; }
};
bool fits(const Variant& variant, const Traits& traits);
// kernel_decoder.cpp
Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device,
                                                      const Variant& variant);
Result<std::unique_ptr<Encoder>> build_kernel_encoder(std::shared_ptr<Device> device,
                                                      const Variant& variant);

// large_block_decoder.cpp
Result<std::unique_ptr<Decoder>> build_stretch_decoder(std::shared_ptr<Device> device,
                                                       const Variant& variant);

// How a phase's takers are put into groups on a device.
GroupPolicy policy_of(const Phase& phase, const Traits& traits);

// A phase, compiled: a row of a table, which outlives it.
struct BuiltPhase {
  const Phase* phase = nullptr;
  GroupPolicy policy;
  std::shared_ptr<Program> program;
  std::uint32_t groups(const Traits& traits, std::uint32_t chunk_count) const;
};
Result<BuiltPhase> build_phase(Device& device, const Phase& phase);

// Code::invalid where a batch's memory is too small for its chunks.
Status check_batch(const Batch& batch, const Buffer& scratch, std::uint64_t scratch_bytes);
// "PLACE: a code without a symbol", with the code that goes with the fault; ok for Fault::none.
Status status_at(const std::string& place, ErrorCode error);
// What every kernel begins with.
std::vector<Argument> batch_arguments(const Batch& batch);

}  // namespace penstock::batch
