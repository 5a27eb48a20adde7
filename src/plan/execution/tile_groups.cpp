// TileKernel's part for group-bys: the memory of their tables, their launches, and the next attempt
// where a table was too small.
#include <algorithm>

#include "plan/execution/tile_kernel.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint32_t outside_limbs = 2;  // kernels/limbs.kc: OUTSIDE

}  // namespace

Status TileKernel::take_next(std::uint64_t row_count, std::uint32_t overflowed) {
  const std::uint32_t groups = group_count(row_count),
                      tiles = (tile_count(row_count) + groups - 1) / groups;
  const std::uint64_t group_rows = std::uint64_t{tiles} * policy_.tile_rows;
  const bool is_outside =
      variant_->algorithm != Algorithm::group && (overflowed & outside_limbs) != 0;
  PENSTOCK_ASSIGN(const Attempt next, next_attempt(device_->traits(), program_, {variant_, policy_},
                                                   group_rows, is_outside));
  variant_ = next.variant;
  policy_ = next.policy;
  return compile();
}

Status TileKernel::prepare_group(Slot& slot, std::uint64_t row_count) const {
  const std::uint64_t words = program_.accumulator_words() + 1, groups = group_count(row_count);
  const std::uint64_t slots = groups * policy_.slots, key_words = program_.key_words();
  if (variant_->algorithm == Algorithm::group) {
    PENSTOCK_TRY(replace(slot.places, slots * 2 * 4));
    PENSTOCK_TRY(replace(slot.keys, slots * key_words * 8));
    PENSTOCK_TRY(replace(slot.scratch, slots * words * policy_.group_size * 8));
  }
  const std::uint64_t result_bytes = slots * (key_words + words) * 8;
  if (!slot.results || slot.results->bytes() < result_bytes) slot.results_are_set = false;
  PENSTOCK_TRY(replace(slot.results, result_bytes));
  return replace(slot.used_slots, groups * 4);
}

Status TileKernel::enqueue_group(Queue& queue, std::vector<Argument> arguments,
                                 std::uint64_t row_count, Slot& slot) const {
  slot.groups = group_count(row_count);
  slot.slots = policy_.slots;
  slot.attempt = attempts_;
  slot.is_by_slots = variant_->algorithm == Algorithm::group_local;
  PENSTOCK_TRY(queue.fill(*slot.overflowed, 0, 4));
  const std::uint64_t read_whole = slot.is_by_slots ? slot.results->bytes() : one_piece_bytes;
  if (!slot.results_are_set)
    PENSTOCK_TRY(queue.fill(*slot.results, 0, std::min(slot.results->bytes() / 4 * 4, read_whole)));
  slot.results_are_set = true;
  if (variant_->algorithm == Algorithm::group)
    for (const auto* buffer : {&slot.places, &slot.keys, &slot.scratch})
      arguments.push_back(Argument::of(**buffer));
  for (const auto* buffer : {&slot.results, &slot.used_slots, &slot.overflowed, &slot.fault})
    arguments.push_back(Argument::of(**buffer));
  arguments.push_back(Argument::value(row_count));
  return queue.launch(*compiled_, "pipeline_group", slot.groups, arguments);
}

Status TileKernel::prepare_table(Slot& slot) const {
  const std::uint64_t entry_words = program_.key_words() + program_.accumulator_words() + 1;
  PENSTOCK_TRY(
      replace(slot.places, policy_.slots * std::uint64_t{2} * global_place_words(program_) * 4));
  PENSTOCK_TRY(replace(slot.keys, 64));  // how many places are used
  PENSTOCK_TRY(replace(slot.results, policy_.slots * entry_words * 8));
  return replace(slot.used_slots, 64);
}

Status TileKernel::enqueue_table(Queue& queue, std::vector<Argument> arguments,
                                 std::uint64_t row_count, Slot& slot) const {
  const Argument places = Argument::value(policy_.slots * 2);
  slot.groups = 1;  // one table, as if of one group
  slot.is_by_slots = false;
  slot.slots = policy_.slots;
  slot.attempt = attempts_;
  PENSTOCK_TRY(queue.fill(*slot.places, 0,
                          policy_.slots * std::uint64_t{2} * global_place_words(program_) * 4));
  for (const auto* buffer : {&slot.keys, &slot.used_slots, &slot.overflowed})
    PENSTOCK_TRY(queue.fill(**buffer, 0, 4));
  if (!slot.results_are_set)
    PENSTOCK_TRY(
        queue.fill(*slot.results, 0, std::min(slot.results->bytes() / 4 * 4, one_piece_bytes)));
  slot.results_are_set = true;
  for (const auto* buffer : {&slot.places, &slot.keys, &slot.overflowed, &slot.fault})
    arguments.push_back(Argument::of(**buffer));
  arguments.push_back(Argument::value(row_count));
  arguments.push_back(places);
  PENSTOCK_TRY(queue.launch(*compiled_, "pipeline_group", group_count(row_count), arguments));
  return queue.launch(*compiled_, "pipeline_group_collect", policy_.groups,
                      {{Argument::of(*slot.places), Argument::of(*slot.results),
                        Argument::of(*slot.used_slots), places}});
}

}  // namespace penstock::plan
