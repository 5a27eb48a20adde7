#include "fuse/variants/policies.hpp"

#include <algorithm>
#include <bit>

#include "fuse/program/light_loads.hpp"

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

// Loads out of pages wait for one another, so that more threads pay. TPC-H Q6 on an H100: 1.55 ms
// by three groups a multiprocessor, 1.69 by two, 1.82 row by row by four. LIKE over strings: 8.4 ms
// row by row by four, 9.7 by three, 9.9 by two; and row by row compiles in a third of the time.
Policy reduce_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = row_policy(traits, program);
  if (program.paged.empty() || !traits.has_launch_bounds) return policy;
  const bool reads_texts = std::any_of(program.paged.begin(), program.paged.end(),
                                       [](const PagedLoad& load) { return load.is_text; });
  policy.groups_per_multiprocessor = reads_texts ? 4 : 3;
  policy.groups = traits.compute_units * policy.groups_per_multiprocessor * 2;
  if (reads_texts) policy.vectors = 0;
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
kernel::Fit fits_any_row(const TileProgram& program) {
  return kernel::fits_if(evaluates_any_row(program),
                         "user-defined functions must not see rows that do not exist");
}

}  // namespace penstock::plan
