// Chooses the variant of a group-by for its keys' slots, and the next one after a variant that did
// not hold them.
#include <algorithm>
#include <bit>

#include "plan/fusion/accumulators.hpp"
#include "plan/variants/dense_ranges.hpp"
#include "plan/variants/partition_layout.hpp"
#include "plan/variants/policies.hpp"
#include "plan/variants/variants.hpp"

namespace penstock::plan {

DenseShape dense_shape(const TileProgram& program, const Policy& policy, std::uint64_t slots) {
  DenseShape shape;
  shape.groups = policy.groups;
  if (policy.in_global) return shape;
  shape.parts = static_cast<std::uint32_t>((slots + policy.slots - 1) / policy.slots);
  shape.groups = std::max(1u, policy.groups / shape.parts) * shape.parts;
  // Threads of a sub-group that meet the same key wait for one another, which is rare with twice as
  // many positions as threads.
  if (policy.is_narrow) return shape;
  const std::uint64_t copies = 64 / std::max<std::uint64_t>(slots, 1);
  const std::uint64_t padded = slots * limb_count(program, true) | copy_gap(program),
                      capacity = policy.slots * std::uint64_t{limb_count(program, true)} + 32;
  shape.copies = std::bit_floor(static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::min(copies, capacity / padded), 1, 32)));
  return shape;
}

// A table of one word per accumulator is faster than two parts of a table of limbs.
static std::uint64_t max_slots_of(const Traits& traits, const TileProgram& program,
                                  const Policy& policy) {
  const bool has_narrow = static_cast<bool>(can_group_narrowly(traits, program));
  return std::uint64_t{policy.slots} * (policy.is_narrow || has_narrow ? 1 : max_dense_parts);
}

const Variant* dense_variant(const Traits& traits, const TileProgram& program, const Policy& now,
                             std::uint64_t slots, std::uint64_t row_count) {
  // Clearing and collecting more slots than that would take longer than reading the rows.
  const std::uint64_t entry = program.entry_words();
  const std::uint64_t table_bytes = slots * limb_count(program, true) * 8,
                      result_bytes = std::min(slots, row_count) * entry * 8;
  const bool fits =
      table_bytes + result_bytes <= std::min(traits.global_bytes / 8, traits.max_allocation_bytes);
  for (const Variant& variant : variants()) {
    if (!has_dense_slots(variant.algorithm) || !variant.fits(traits, program)) continue;
    // The numbers asked for here have no choices, so `penstock tune` leaves them as they are; and a
    // trial notes no row that is only looked at.
    const Policy policy = variant.policy(traits, program);
    if (policy.in_global)
      return fits && slots <= std::max<std::uint64_t>(1 << 20, 8 * row_count) ? &variant : nullptr;
    // Partitions evaluate a row twice, which is two lookups in each joined table.
    if (now.is_narrow && !policy.is_narrow && policy.partitions == 0) continue;
    if (now.in_global || (policy.partitions > now.partitions && !program.lookups.empty())) continue;
    const bool takes = policy.partitions > 0 ? partitions_fit(traits, program, slots, row_count)
                                             : fits && now.partitions == 0 &&
                                                   slots <= max_slots_of(traits, program, policy);
    if (takes) return &variant;
  }
  return nullptr;
}

namespace {

// The largest table a work group may have before another algorithm would be right.
constexpr std::uint32_t slot_limit = 4096;

// Tables of single threads are emptied when they are full, so that any number of keys fits them.
Result<Attempt> with_single_threads(const Traits& traits, const TileProgram& program) {
  for (const Variant& variant : variants())
    if (variant.algorithm == Algorithm::group_kept)
      return Attempt{&variant, policy_of(variant, traits, program)};
  return Status(Code::internal, "group by: no variant has tables of single threads");
}

Result<Attempt> with_more_slots(const Traits& traits, const TileProgram& program, Attempt attempt,
                                std::uint64_t group_rows) {
  Policy& policy = attempt.policy;
  if (policy.slots >= slot_limit) return with_single_threads(traits, program);
  // A group meets no more keys than it has rows.
  const std::uint64_t wanted = std::max<std::uint64_t>(std::bit_ceil(group_rows), policy.slots * 2);
  policy.slots =
      static_cast<std::uint32_t>(std::min<std::uint64_t>({policy.slots * 4, wanted, slot_limit}));
  // The tables of all groups together stay within a gigabyte.
  const std::uint64_t bytes = std::uint64_t{8} * policy.slots * policy.group_size *
                              std::max(1u, program.accumulator_words());
  while (policy.groups > 1 && bytes * policy.groups > (std::uint64_t{1} << 30))
    policy.groups = (policy.groups + 1) / 2;
  return attempt;
}

Result<Attempt> of_variant(const Traits& traits, const TileProgram& program, Algorithm algorithm) {
  for (const Variant& variant : variants())
    if (variant.epilogue == Epilogue::group && variant.algorithm == algorithm &&
        variant.fits(traits, program))
      return Attempt{&variant, policy_of(variant, traits, program)};
  return with_single_threads(traits, program);
}

Result<Attempt> with_larger_table(const Traits& traits, const TileProgram& program,
                                  Attempt attempt) {
  // There are twice as many positions, numbered with 32 bits.
  attempt.policy.slots = std::min(attempt.policy.slots, 1u << 28) * 8;
  const std::uint64_t limit = std::min(traits.global_bytes / 4, traits.max_allocation_bytes);
  if (attempt.policy.slots > 1u << 29 || global_group_bytes(program, attempt.policy) > limit)
    return with_single_threads(traits, program);
  return attempt;
}

}  // namespace

Result<Attempt> next_attempt(const Traits& traits, const TileProgram& program,
                             const Attempt& failed, std::uint64_t group_rows, bool is_outside) {
  const Algorithm algorithm = failed.variant->algorithm;
  const Algorithm hashed =
      traits.wants_single_thread_groups() ? Algorithm::group_kept : Algorithm::group;
  // Limbs with a fixed lowest bit may hold floats that those of a dense table do not, and the keys
  // are not limited as those of `group` are.
  if (has_dense_slots(algorithm))
    return of_variant(traits, program,
                      can_group_locally(traits, program) ? Algorithm::group_local : hashed);
  if (algorithm == Algorithm::group_kept)
    return Status(Code::capacity, "group by: more groups in one chunk than fit a gigabyte on " +
                                      traits.id + "; fewer rows a chunk have fewer");
  if (algorithm == Algorithm::group) return with_more_slots(traits, program, failed, group_rows);
  if (is_outside) return of_variant(traits, program, hashed);
  if (algorithm == Algorithm::group_global) return with_larger_table(traits, program, failed);
  const Policy larger = local_group_policy(traits, program, failed.policy.slots * 4);
  if (local_group_bytes(program, larger) <= traits.local_bytes)
    return Attempt{failed.variant, larger};
  return of_variant(traits, program, Algorithm::group_global);
}

}  // namespace penstock::plan
