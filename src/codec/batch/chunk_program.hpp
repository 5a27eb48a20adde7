// Builds the programs that decode chunks, and computes how many groups they run with.
#pragma once
#include <string_view>

#include "penstock/device.hpp"

namespace penstock::batch {

// The arrangement of warps (warp.kc) or threads in groups on a device.
struct GroupPolicy {
  std::uint32_t group_size = 32, groups_per_multiprocessor = 1, chunks_per_group = 1;
};

// Builds a program of these files of src/codec, in this order, after chunk_batch.kc and warp.kc.
// The last file is its label.
Result<std::shared_ptr<Program>> build_program(Device& device, const GroupPolicy& policy,
                                               std::string_view file);

// Returns the number of groups for a batch: as many as are resident at once, or fewer.
std::uint32_t groups_of(const GroupPolicy& policy, const Traits& traits, std::uint32_t chunk_count);

}  // namespace penstock::batch
