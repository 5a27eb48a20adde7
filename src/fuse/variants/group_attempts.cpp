// Chooses the variant of a group-by for its keys' slots, and the next one if they did not fit.
#include <algorithm>
#include <bit>

#include "device/memory_budget.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/dense_ranges.hpp"
#include "fuse/variants/partition_layout.hpp"
#include "fuse/variants/policies.hpp"
#include "fuse/variants/variants.hpp"

namespace penstock::plan {

DenseShape dense_shape(const TileProgram& program, const Policy& policy, std::uint64_t slots) {
  DenseShape shape;
  shape.groups = policy.groups;
  if (policy.dense.in_global) return shape;
  shape.parts = static_cast<std::uint32_t>((slots + policy.group.slots - 1) / policy.group.slots);
  shape.groups = std::max(1u, policy.groups / shape.parts) * shape.parts;
  // Threads of a sub-group that meet the same key wait for one another. That is rare with twice as
  // many positions as threads.
  if (policy.dense.is_narrow) return shape;
  const std::uint64_t copies = 64 / std::max<std::uint64_t>(slots, 1);
  const std::uint64_t padded = slots * limb_count(program, true) | copy_gap(program),
                      capacity = policy.group.slots * std::uint64_t{limb_count(program, true)} + 32;
  shape.copies = std::bit_floor(static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::min(copies, capacity / padded), 1, 32)));
  return shape;
}

// A table of one word per accumulator is faster than two parts of a table of limbs.
static std::uint64_t max_slots_of(const Traits& traits, const TileProgram& program,
                                  const Policy& policy) {
  const bool has_narrow = static_cast<bool>(can_group_narrowly(traits, program));
  return std::uint64_t{policy.group.slots} *
         (policy.dense.is_narrow || has_narrow ? 1 : max_dense_parts);
}

const Variant* dense_variant(const Traits& traits, const TileProgram& program, const Policy& now,
                             std::uint64_t slots, std::uint64_t row_count) {
  // Clearing and collecting more slots would take longer than reading the rows.
  const std::uint64_t entry = program.entry_words();
  const std::uint64_t table_bytes = slots * limb_count(program, true) * 8,
                      result_bytes = std::min(slots, row_count) * entry * 8;
  const bool fits = table_bytes + result_bytes <=
                    device::MemoryBudget(traits).buffer_of(device::MemoryUse::group_table);
  for (const Variant& variant : variants()) {
    if (!has_dense_slots(variant.algorithm) || !variant.fits(traits, program)) continue;
    // The numbers used here have no choices, so `penstock tune` leaves them as they are; and a
    // trial does not record a row that was only considered.
    const Policy policy = variant.policy(traits, program);
    if (policy.dense.in_global)
      return fits && slots <= std::max<std::uint64_t>(1 << 20, 8 * row_count) ? &variant : nullptr;
    // Partitions evaluate a row twice, which is two lookups in each joined table.
    if (now.dense.is_narrow && !policy.dense.is_narrow && policy.partition.max_count == 0) continue;
    if (now.dense.in_global ||
        (policy.partition.max_count > now.partition.max_count && !program.lookups.empty()))
      continue;
    const bool takes = policy.partition.max_count > 0
                           ? partitions_fit(traits, program, slots, row_count)
                           : fits && now.partition.max_count == 0 &&
                                 slots <= max_slots_of(traits, program, policy);
    if (takes) return &variant;
  }
  return nullptr;
}

namespace {

// The largest table that a work group of `group` may have before another algorithm is better.
constexpr std::uint32_t slot_limit = 4096;
// A smaller table in global memory gains nothing.
constexpr std::uint64_t min_global_slots = 1 << 13, max_global_keys = std::uint64_t{1} << 30;

Attempt begun(const Traits& traits, const TileProgram& program, const Variant& variant,
              std::optional<std::uint64_t> keys) {
  const Policy policy = policy_of(variant, traits, program);
  return {&variant, policy, first_size(traits, program, variant, policy, keys)};
}

// Tables of single threads spill when they are full, so they hold any number of keys.
Result<Attempt> with_single_threads(const Traits& traits, const TileProgram& program) {
  for (const Variant& variant : variants())
    if (variant.algorithm == Algorithm::group_kept) return begun(traits, program, variant, {});
  return Status(Code::internal, "group by: no variant has tables of single threads");
}

Result<Attempt> of_variant(const Traits& traits, const TileProgram& program, Algorithm algorithm,
                           std::optional<std::uint64_t> keys = {}) {
  for (const Variant& variant : variants())
    if (variant.epilogue == Epilogue::group && variant.algorithm == algorithm &&
        variant.fits(traits, program))
      return begun(traits, program, variant, keys);
  return with_single_threads(traits, program);
}

Result<Attempt> with_more_slots(const Traits& traits, const TileProgram& program, Attempt attempt,
                                std::uint64_t group_rows) {
  std::uint32_t& slots = attempt.size.slots;
  if (slots >= slot_limit) return with_single_threads(traits, program);
  // A group meets no more keys than it has rows.
  const std::uint64_t wanted =
      std::max<std::uint64_t>(std::bit_ceil(group_rows), std::uint64_t{slots} * 2);
  slots = static_cast<std::uint32_t>(
      std::min<std::uint64_t>({std::uint64_t{slots} * 4, wanted, slot_limit}));
  return attempt;
}

Result<Attempt> with_larger_table(const Traits& traits, const TileProgram& program,
                                  Attempt attempt) {
  const std::uint32_t most = max_global_slots(traits, program);
  if (attempt.size.slots >= most) return with_single_threads(traits, program);
  attempt.size.slots = attempt.size.slots > most / 8 ? most : attempt.size.slots * 8;
  return attempt;
}

// An estimate may be a little low.
std::uint64_t with_margin(std::uint64_t keys) { return keys + keys / 4; }

// Chooses a table for keys without dense slots, by their number.
Result<Attempt> of_many_or_few(const Traits& traits, const TileProgram& program,
                               std::optional<std::uint64_t> keys) {
  if (!can_group_locally(traits, program))
    return of_variant(traits, program, Algorithm::group_global, keys);
  PENSTOCK_ASSIGN(Attempt local, of_variant(traits, program, Algorithm::group_local, keys));
  if (!keys || local.variant->algorithm != Algorithm::group_local) return local;
  if (local_slots_for(local.policy, with_margin(*keys))) return local;
  local.policy = largest_local_group_policy(traits, program);
  local.size = first_size(traits, program, *local.variant, local.policy, keys);
  if (local_slots_for(local.policy, with_margin(*keys))) return local;
  return of_variant(traits, program, Algorithm::group_global, keys);
}

}  // namespace

TableSize first_size(const Traits& traits, const TileProgram& program, const Variant& variant,
                     const Policy& policy, std::optional<std::uint64_t> keys) {
  TableSize size;
  size.slots = policy.group.slots;
  if (variant.algorithm == Algorithm::group_local)
    return local_table(
        program, policy,
        local_slots_for(policy, with_margin(keys.value_or(0))).value_or(policy.group.slots));
  if (variant.algorithm == Algorithm::group_global && keys)
    size.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        max_global_slots(traits, program),
        std::bit_ceil(std::clamp(with_margin(*keys), min_global_slots, max_global_keys))));
  return size;
}

const Variant* hashed_variant(const Traits& traits, const TileProgram& program, bool are_few) {
  const Algorithm algorithm = are_few ? Algorithm::group_local : Algorithm::group_global;
  for (const Variant& variant : variants())
    if (variant.algorithm == algorithm) return variant.fits(traits, program) ? &variant : nullptr;
  return nullptr;
}

Result<Attempt> next_attempt(const Traits& traits, const TileProgram& program,
                             const Attempt& failed, std::uint64_t group_rows, bool is_outside,
                             std::optional<std::uint64_t> keys) {
  const Algorithm algorithm = failed.variant->algorithm;
  const Algorithm hashed =
      traits.wants_single_thread_groups() ? Algorithm::group_kept : Algorithm::group;
  // Limbs with a fixed lowest bit may hold floats that a dense table's limbs do not. `group` would
  // limit the keys; this does not.
  if (has_dense_slots(algorithm))
    return can_group_locally(traits, program) || can_group_globally(traits, program)
               ? of_many_or_few(traits, program, keys)
               : of_variant(traits, program, hashed);
  if (algorithm == Algorithm::group_kept)
    return Status(Code::capacity, "group by: the groups of one chunk do not fit a gigabyte on " +
                                      traits.id + "; use chunks with fewer rows");
  if (algorithm == Algorithm::group) return with_more_slots(traits, program, failed, group_rows);
  if (is_outside) return of_variant(traits, program, hashed);
  if (algorithm == Algorithm::group_global) return with_larger_table(traits, program, failed);
  if (failed.size.slots < failed.policy.group.slots)
    return Attempt{failed.variant, failed.policy,
                   local_table(program, failed.policy, failed.size.slots * local_table_growth)};
  if (keys && *keys <= failed.size.slots) keys.reset();  // it was wrong
  return of_variant(traits, program, Algorithm::group_global, keys);
}

}  // namespace penstock::plan
