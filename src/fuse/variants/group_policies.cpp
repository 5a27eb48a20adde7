#include <algorithm>
#include <bit>

#include "device/memory_budget.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_ranges.hpp"
#include "fuse/variants/policies.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint32_t local_group_threads = 256;
constexpr std::uint32_t max_local_key_words =
    8;  // keys of all rows in flight are compared from registers
constexpr std::uint32_t max_global_key_words = 32;  // of one row
constexpr std::uint32_t min_dense_slots = 64;
constexpr std::uint32_t largest_local_table = 4096;

// Words of a table's sums in local memory.
std::uint32_t copy_words(const TileProgram& program, std::uint32_t slots) {
  return slots * limb_count(program, false) + copy_gap(program);
}

// 1280 bytes: CUDA keeps a KiB of each group's local memory, and words pad the copies.
std::uint32_t dense_slots(const Traits& traits, std::uint32_t groups_per_multiprocessor,
                          std::uint32_t words) {
  constexpr std::uint64_t max_bytes = 227 << 10;
  return static_cast<std::uint32_t>(
      (std::min(traits.local_bytes, max_bytes) / groups_per_multiprocessor - 1280) / 4 / words);
}

}  // namespace

// One table per core, so that it stays in the core's cache. A table may have as many entries as
// leave all tables in a processor's last cache; memory is used as keys come. A GPU uses such tables
// if no other variant holds the keys (next_attempt).
Policy kept_group_policy(const Traits& traits, const TileProgram& program) {
  constexpr std::uint32_t min_slots = 1 << 10;
  const bool is_cpu = traits.wants_single_thread_groups();
  const std::uint64_t max_bytes = std::min<std::uint64_t>(
      is_cpu ? 64 << 20 : 256 << 20,
      device::MemoryBudget(traits).share_of(device::MemoryUse::thread_tables));
  const std::uint64_t entry_bytes = program.entry_words() * std::uint64_t{8};
  Policy policy = cpu_policy(traits, program);
  policy.groups = traits.compute_units;
  if (!is_cpu) {  // enough threads to hide some of memory's latency
    const std::uint64_t fitting = max_bytes / (min_slots * entry_bytes);
    policy.groups = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(fitting, 1, traits.compute_units * std::uint64_t{32}));
    policy.tile_rows = 1024;
  }
  policy.group.slots = std::bit_floor(static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(max_bytes / policy.groups / entry_bytes, min_slots, 1 << 18)));
  return policy;
}

// One table per thread: every thread has accumulators for every slot, so there are fewer threads
// and rows in flight.
Policy group_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = gpu_policy(traits, program);
  policy.group_size = group_size(traits, 128);
  policy.tile_rows = policy.group_size * 32;
  policy.groups = traits.compute_units * 4;
  policy.group.slots = 32;
  return policy;
}

// Local memory for tables of up to `slots` keys. Each size has as many copies of the sums as keep
// apart the threads that meet the same key, within 32 KiB.
std::uint32_t local_positions(std::uint32_t slots) { return slots * (slots <= 512 ? 8 : 2); }
std::uint64_t local_group_bytes(const TileProgram& program, const Policy& policy) {
  return std::uint64_t{policy.group.slots} * program.key_words() * 8 +
         std::uint64_t{local_positions(policy.group.slots)} * 4 +
         std::uint64_t{policy.local.limb_words} * 4 + 64;
}
TableSize local_table(const TileProgram& program, const Policy& policy, std::uint32_t slots) {
  TableSize size;
  size.slots = std::min(slots, policy.group.slots);
  size.positions = std::min(8 * size.slots, local_positions(policy.group.slots));
  size.copies = std::bit_floor(
      std::clamp(policy.local.limb_words / copy_words(program, size.slots), 1u, 32u));
  return size;
}
std::optional<std::uint32_t> local_slots_for(const Policy& policy, std::uint64_t keys) {
  std::uint32_t slots = smallest_local_table;
  while (slots < keys && slots < policy.group.slots) slots *= local_table_growth;
  return slots >= keys ? std::optional(slots) : std::nullopt;
}

Policy local_group_policy(const Traits& traits, const TileProgram& program, std::uint32_t slots) {
  Policy policy;
  policy.group_size = group_size(traits, local_group_threads);
  policy.vectors = std::min(2u, vectors_for(input_bytes_per_row(program)));
  policy.tile_rows = policy.group_size * policy.vectors * 4;
  policy.group.slots = slots;
  const std::uint32_t smallest = copy_words(program, smallest_local_table);
  std::uint32_t copies = std::bit_floor(std::clamp((32u << 10) / 4 / smallest, 1u, 32u));
  const auto fit_limbs = [&] {
    policy.local.limb_words = std::max(copy_words(program, slots), copies * smallest);
  };
  fit_limbs();
  for (; copies > 1 && local_group_bytes(program, policy) > traits.local_bytes; fit_limbs())
    copies /= 2;
  const std::uint64_t fitting = traits.local_bytes / local_group_bytes(program, policy);
  policy.groups_per_multiprocessor =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, 4));
  policy.groups = traits.compute_units * policy.groups_per_multiprocessor;
  return policy;
}
// The largest tables that let as many groups run at once as the smallest do.
Policy first_local_group_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = local_group_policy(traits, program, smallest_local_table);
  const std::uint32_t groups = policy.groups;
  for (std::uint32_t slots = smallest_local_table; slots <= largest_local_table;
       slots *= local_table_growth)
    if (const Policy larger = local_group_policy(traits, program, slots);
        larger.groups == groups && local_group_bytes(program, larger) <= traits.local_bytes)
      policy = larger;
  return policy;
}
// The largest tables that fit.
Policy largest_local_group_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = first_local_group_policy(traits, program);
  for (std::uint32_t slots = policy.group.slots; slots <= largest_local_table;
       slots *= local_table_growth)
    if (const Policy larger = local_group_policy(traits, program, slots);
        local_group_bytes(program, larger) <= traits.local_bytes)
      policy = larger;
  return policy;
}
kernel::Fit can_add_limbs(const Traits& traits, const TileProgram& program) {
  return both(kernel::fits_if(has_limbs(program), "an aggregate has no exact sum"),
              kernel::fits_if(traits.has_atomic_u64 || !has_wide_extremes(program),
                              "extremes of 64 bits take atomics of 64 bits"));
}
namespace {

kernel::Fit fit_keys(const TileProgram& program, std::uint32_t max_words) {
  return kernel::fits_if(program.key_words() <= max_words, "the keys have too many words");
}

}  // namespace

kernel::Fit can_group_locally(const Traits& traits, const TileProgram& program) {
  if (kernel::Fit groups = kernel::fits_groups(traits); !groups) return groups;
  const kernel::Fit has_sums = can_add_limbs(traits, program),
                    has_keys = fit_keys(program, max_local_key_words);
  return both(
      has_sums,
      both(fits_any_row(program),
           both(has_keys, kernel::fits_local_memory(
                              traits, local_group_bytes(
                                          program, local_group_policy(traits, program,
                                                                      smallest_local_table))))));
}

// A table of dense slots, as large as local memory. The other threads of a group hide the latency
// of one thread: a large table costs only the copies for few keys. Programs of many columns or
// accumulators get registers instead of threads, and read row by row: their columns are enough
// loads in flight, and a source without copies of its rows compiles in half the time. Loads out of
// pages wait for one another, so these programs get threads.
Policy dense_group_policy(const Traits& traits, const TileProgram& program) {
  Policy policy;
  const bool is_wide = input_bytes_per_row(program) > 16 || program.accumulators.size() > 3;
  const bool has_threads = !is_wide || !program.paged.empty();
  policy.group_size = group_size(traits, traits.has_launch_bounds && has_threads ? 1024 : 512);
  policy.vectors = is_wide ? 0 : 1;
  policy.tile_rows = policy.group_size * std::max(1u, policy.vectors) * 4;
  policy.group.slots = dense_slots(traits, 1, limb_count(program, true));
  policy.groups = traits.compute_units * (traits.has_launch_bounds ? 1 : 4);
  return policy;
}
// The same with a word per accumulator, for more slots. Rows with sums that overflow a word take
// atomics in global memory; other threads hide that latency.
Policy dense_narrow_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = dense_group_policy(traits, program);
  policy.dense.is_narrow = true;
  policy.group.slots = dense_slots(traits, 1, narrow_words(program));
  if (traits.has_launch_bounds) return policy;
  // One group of 1024 threads has one table to add up: 2^28 rows of 10^4 keys take 1.12 ms by it,
  // 1.19 by two groups of 512 (one H100).
  const bool is_one = policy.vectors > 0 && traits.max_group_size >= 1024;
  if (is_one) policy.group_size = 1024;
  policy.tile_rows = policy.group_size * std::max(1u, policy.vectors) * 4;
  policy.groups = traits.compute_units * (is_one ? 1 : 2);
  return policy;
}
// With launch bounds local memory is large enough; narrow tables were not measured there.
kernel::Fit can_group_narrowly(const Traits& traits, const TileProgram& program) {
  const bool is_narrower = narrow_words(program) < limb_count(program, true);
  return both(kernel::fits_if(!traits.has_launch_bounds,
                              "it is for devices whose compiler takes no launch bounds"),
              both(can_group_densely(traits, program),
                   kernel::fits_if(is_narrower && has_narrow_sums(program),
                                   "no sum of these aggregates fits a word of 32 bits")));
}
Policy dense_global_policy(const Traits& traits, const TileProgram& program) {
  Policy policy = dense_group_policy(traits, program);
  policy.dense.in_global = true;
  policy.group_size = group_size(traits, 512);
  policy.tile_rows = policy.group_size * std::max(1u, policy.vectors) * 4;
  policy.groups_per_multiprocessor = 2;  // to hide the latency of global memory
  policy.group.slots =
      dense_slots(traits, traits.has_launch_bounds ? policy.groups_per_multiprocessor : 1,
                  limb_count(program, true) + 1);
  policy.groups = traits.compute_units * 4;
  return policy;
}
kernel::Fit can_group_densely(const Traits& traits, const TileProgram& program) {
  return both(can_group_locally(traits, program),
              both(kernel::fits_if(can_have_ranges(program), "the keys have no ranges"),
                   kernel::fits_local_memory(
                       traits, min_dense_slots * 4 * (limb_count(program, true) + 1) + 1280)));
}

// One table in global memory: half as many slots as positions.
std::uint64_t global_group_bytes(const TileProgram& program, std::uint64_t slots) {
  const std::uint64_t entry = program.entry_words();
  return slots * (2 * global_position_words(program) * 4 + entry * 8);
}
std::uint32_t max_global_slots(const Traits& traits, const TileProgram& program) {
  // There are twice as many positions, numbered with 32 bits.
  const std::uint64_t limit = device::MemoryBudget(traits).buffer_of(
                          device::MemoryUse::global_group_table),
                      fitting = limit / global_group_bytes(program, 1);
  return std::bit_floor(
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(fitting, 1, std::uint64_t{1} << 29)));
}
Policy global_group_policy(const Traits& traits, const TileProgram&) {
  Policy policy;
  policy.group_size = group_size(traits, local_group_threads);
  policy.tile_rows = policy.group_size * 8;
  policy.group.slots = 1 << 17;
  policy.groups = traits.compute_units * 8;
  policy.groups_per_multiprocessor = 4;
  return policy;
}
// It reads row by row, so that more words of a key stay in registers.
kernel::Fit can_group_globally(const Traits& traits, const TileProgram& program) {
  if (kernel::Fit groups = kernel::fits_groups(traits); !groups) return groups;
  const kernel::Fit has_keys = both(both(can_add_limbs(traits, program), fits_any_row(program)),
                                    fit_keys(program, max_global_key_words));
  return both(has_keys,
              kernel::fits_if(
                  global_group_bytes(program, global_group_policy(traits, program).group.slots) <=
                      device::MemoryBudget(traits).share_of(device::MemoryUse::group_table),
                  "the table takes more than an eighth of the device's memory"));
}

std::uint64_t global_position_words(const TileProgram& program) {
  const std::uint64_t parts = 3 * std::uint64_t{compared_key_words(program)};
  return (has_wide_extremes(program) ? (parts + 1) / 2 * 2 : parts) + limb_count(program, false);
}

}  // namespace penstock::plan
