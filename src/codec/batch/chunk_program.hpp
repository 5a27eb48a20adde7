// Programs that decode chunks: what all of them begin with, and how many groups run.
#pragma once
#include <string_view>

#include "penstock/device.hpp"

namespace penstock::batch {

// How the items, or teams of 32 items (warp.kc), that take a chunk each are put into groups on a
// device.
struct GroupPolicy {
  std::uint32_t group_size = 32, groups_per_unit = 1, chunks_per_group = 1;
};

// Builds the program of a file of src/codec, by its path without ending.
Result<std::shared_ptr<Program>> build_program(Device& device, const GroupPolicy& policy,
                                               std::string_view file);

// Groups for so many chunks: as many as are resident at once, or fewer.
std::uint32_t groups_of(const GroupPolicy& policy, const Traits& traits, std::uint32_t chunk_count);

}  // namespace penstock::batch
