// The conditions and policies that the rows of the variant table (variants.cpp) name: whether a
// variant fits a device and a program, and its policy for them.
#pragma once
#include <optional>

#include "fuse/program/kernel_parameters.hpp"
#include "fuse/program/tile_program.hpp"
#include "fuse/variants/policy.hpp"
#include "kernel/variant_table.hpp"
#include "penstock/device.hpp"

namespace penstock::plan {

// On a CPU a group is one thread: it walks a tile of rows as a plain loop, and each core gets a few
// tiles in turn.
Policy cpu_policy(const Traits& traits, const TileProgram& program);
Policy gpu_policy(const Traits& traits, const TileProgram& program);
// Policy of stores, and of reductions that read no pages: they unpack light columns faster with
// other numbers.
Policy row_policy(const Traits& traits, const TileProgram& program);
Policy reduce_policy(const Traits& traits, const TileProgram& program);
Policy one_tile_per_group(const Traits& traits, const TileProgram& program);
// Returns the vectors of a thread: loads in flight of about 64 bytes of columns per thread hide the
// latency of memory without spilling.
std::uint32_t vectors_for(std::uint64_t bytes);
// Returns the largest group size that a device takes, up to `wanted`: a power of two, because
// groups merge their threads by halves.
std::uint32_t group_size(const Traits& traits, std::uint32_t wanted);
// Returns whether rows that do not exist may be evaluated. One pass over memory evaluates such rows
// in the last tile, and drops them; UDFs must not see them.
bool evaluates_any_row(const TileProgram& program);
kernel::Fit fits_any_row(const TileProgram& program);

// Compaction: compact_policies.cpp.
kernel::Fit can_look_back(const Traits& traits, const TileProgram& program);
Policy look_back_policy(const Traits& traits, const TileProgram& program);
std::uint64_t look_back_local_bytes(const Policy& policy, const TileProgram& program);
kernel::Fit can_pass_once(const Traits& traits, const TileProgram& program);
Policy one_pass_policy(const Traits& traits, const TileProgram& program);
// Returns the counts of other groups that a thread adds up.
std::uint32_t one_pass_window(const Policy& policy);
std::uint64_t one_pass_local_bytes(const Policy& policy, const TileProgram& program);

// Groups, except in partitions (partition_layout.hpp): group_policies.cpp. One table per thread,
// which stays from launch to launch if a group is one thread.
Policy kept_group_policy(const Traits& traits, const TileProgram& program);
Policy group_policy(const Traits& traits, const TileProgram& program);
// Returns whether tables of limbs hold a program's accumulators.
kernel::Fit can_add_limbs(const Traits& traits, const TileProgram& program);
kernel::Fit can_group_locally(const Traits& traits, const TileProgram& program);
Policy local_group_policy(const Traits& traits, const TileProgram& program, std::uint32_t slots);
Policy first_local_group_policy(const Traits& traits, const TileProgram& program);
Policy largest_local_group_policy(const Traits& traits, const TileProgram& program);
std::uint64_t local_group_bytes(const TileProgram& program, const Policy& policy);
// Sizes of tables in local memory: the smallest, and how much larger the next one is.
constexpr std::uint32_t smallest_local_table = 64, local_table_growth = 4;
TableSize local_table(const TileProgram& program, const Policy& policy, std::uint32_t slots);
// Returns the smallest size for so many keys; nullopt if the policy has none.
std::optional<std::uint32_t> local_slots_for(const Policy& policy, std::uint64_t keys);
kernel::Fit can_group_densely(const Traits& traits, const TileProgram& program);
Policy dense_group_policy(const Traits& traits, const TileProgram& program);
kernel::Fit can_group_narrowly(const Traits& traits, const TileProgram& program);
Policy dense_narrow_policy(const Traits& traits, const TileProgram& program);
Policy dense_global_policy(const Traits& traits, const TileProgram& program);
kernel::Fit can_group_globally(const Traits& traits, const TileProgram& program);
Policy global_group_policy(const Traits& traits, const TileProgram& program);
std::uint64_t global_group_bytes(const TileProgram& program, std::uint64_t slots);
std::uint32_t max_global_slots(const Traits& traits, const TileProgram& program);

}  // namespace penstock::plan
