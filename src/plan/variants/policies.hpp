// What the rows of the variant table (variants.cpp) say of a device and a program: whether a
// variant fits them, and its policy there.
#pragma once
#include "penstock/device.hpp"
#include "plan/fusion/kernel_parameters.hpp"
#include "plan/fusion/tile_program.hpp"
#include "plan/variants/policy.hpp"

namespace penstock::plan {

// On a CPU one work item is a group: it walks a tile of rows as a plain loop, and each core gets a
// few tiles in turn.
Policy cpu_policy(const Traits& traits, const TileProgram& program);
Policy gpu_policy(const Traits& traits, const TileProgram& program);
Policy one_tile_per_group(const Traits& traits, const TileProgram& program);
// Loads in flight: about 64 bytes of columns a work item hide the latency of memory without
// spilling.
std::uint32_t vectors_for(std::uint64_t bytes);
// The largest size a device takes, up to `wanted`: a power of two, because groups merge their items
// by halves.
std::uint32_t group_size(const Traits& traits, std::uint32_t wanted);
// One pass over memory evaluates rows that do not exist in the last tile, and drops them: the
// user's functions are not for these.
bool evaluates_any_row(const TileProgram& program);

// Compaction: compact_policies.cpp.
bool can_look_back(const Traits& traits, const TileProgram& program);
Policy look_back_policy(const Traits& traits, const TileProgram& program);
bool can_pass_once(const Traits& traits, const TileProgram& program);
Policy one_pass_policy(const Traits& traits, const TileProgram& program);

// Groups, but for those in partitions (partition_layout.hpp): group_policies.cpp.
Policy group_policy(const Traits& traits, const TileProgram& program);  // a table an item
bool can_group_locally(const Traits& traits, const TileProgram& program);
Policy local_group_policy(const Traits& traits, const TileProgram& program, std::uint32_t slots);
Policy first_local_group_policy(const Traits& traits, const TileProgram& program);
std::uint64_t local_group_bytes(const TileProgram& program, const Policy& policy);
bool can_group_densely(const Traits& traits, const TileProgram& program);
Policy dense_group_policy(const Traits& traits, const TileProgram& program);
Policy dense_global_policy(const Traits& traits, const TileProgram& program);
bool can_group_globally(const Traits& traits, const TileProgram& program);
Policy global_group_policy(const Traits& traits, const TileProgram& program);
std::uint64_t global_group_bytes(const TileProgram& program, const Policy& policy);

}  // namespace penstock::plan
