// The variant table of decoding chunks: a row a format and way, the first that fits a device runs.
//
// Every way so far is one kernel over a batch, which hands out its chunks by a counter in scratch memory, to teams of 32 items (team.kc) or
// to items by themselves.
#pragma once
#include <array>

#include "penstock/chunks.hpp"

namespace penstock::chunks {

struct Variant {
  std::string_view name;                        // of the kernel
  Format format;
  std::array<std::string_view, 6> files;        // of src/codec, in this order, the kernel's last; empty behind it
  std::uint64_t team_bytes = 0;                 // of local memory; 0: items take chunks by themselves
  std::uint32_t teams_a_group = 1, groups_a_unit = 1;      // at most; where teams are sub-groups
  std::uint64_t bytes_a_chunk = 0;              // of scratch memory, for each chunk that is being decoded: the kernel's last parameter
  bool is_for_cpus = false;                     // alone
};
bool fits(const Variant& variant, const Traits& traits);
// kernel_decoder.cpp
Result<std::unique_ptr<Decoder>> build_kernel_decoder(std::shared_ptr<Device> device, const Variant& variant);

// Code::invalid where a batch's memory is too small for its chunks.
Status check_batch(const Batch& batch, const Buffer& scratch, std::uint64_t scratch_bytes);
// What every decoding kernel begins with.
std::vector<Argument> batch_arguments(const Batch& batch);

}  // namespace penstock::chunks
