#include "plan/variants/policies.hpp"

#include <algorithm>
#include <bit>

#include "plan/fusion/light_loads.hpp"

namespace penstock::plan {

Policy cpu_policy(const Traits& traits, const TileProgram&) {
  Policy policy;
  policy.group_size = 1;
  policy.vectors = 1;
  policy.tile_rows = 4096;  // a few columns of a tile stay in L1 and L2
  policy.groups = traits.compute_units * 8;
  return policy;
}

std::uint32_t vectors_for(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(16 / bytes, 1, 4));
}

std::uint32_t group_size(const Traits& traits, std::uint32_t wanted) {
  return std::bit_floor(std::min(wanted, traits.max_group_size));
}

Policy gpu_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  policy.group_size = group_size(traits, 512);
  policy.vectors = vectors_for(input_bytes_per_row(program));
  policy.tile_rows = policy.group_size * policy.vectors * 4;
  policy.groups = traits.compute_units * 4;
  return policy;
}

// Unpacking takes instructions rather than bandwidth: groups of 256, of which each vector is of one
// light vector, as many as registers allow, and waves of them (lab/light-encodings.md).
Policy row_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = gpu_policy(traits, program);
  if (light_columns(program).empty()) return policy;
  policy.group_size = group_size(traits, 256);
  policy.tile_rows = policy.group_size * policy.vectors * 4;
  policy.groups = traits.compute_units * 16;
  policy.groups_per_multiprocessor = policy.vectors == 4 ? 4 : 2;
  return policy;
}

Policy one_tile_per_group(const Traits& traits, const TileProgram& program) {
  Policy policy = gpu_policy(traits, program);
  policy.groups = 0;
  return policy;
}

bool evaluates_any_row(const TileProgram& program) {
  return program.graph->custom_functions.empty();
}

}  // namespace penstock::plan
