// TileKernel's part for groups whose keys' ranges are known: finding them, the layout that they
// give, and launches.
#include <algorithm>
#include <array>

#include "plan/execution/tile_kernel.hpp"
#include "plan/fusion/accumulators.hpp"
#include "plan/variants/partition_layout.hpp"

namespace penstock::plan {
namespace {

// Rows that ranges are first found over, spread over a chunk: some microseconds of a GPU.
constexpr std::uint64_t sampled_rows = 1 << 20;
// Keys that the sample lacks are expected this near its own: 1/8 of the range on either side, or
// less where that would take more parts. Keys that grow from chunk to chunk lie outside again and
// again: the range is then made three times as wide, so that this is seldom.
constexpr std::array<std::uint64_t, 4> widenings = {1, 8, 64, 0};

}  // namespace

Status TileKernel::fit(Queue& queue, const ChunkInput& input, StringPool& strings) {
  if (!has_dense_slots(variant_->algorithm) || ranges_) return {};
  ranges_.emplace(program_);
  PENSTOCK_TRY(find_ranges(queue, input, strings,
                           std::max<std::uint64_t>(1, input.row_count / sampled_rows)));
  return lay_out(queue, input.row_count);
}

// Every row of a chunk that did not fit is looked at; where that changes nothing, another variant
// comes next.
Status TileKernel::try_again(Queue& queue, const ChunkInput& input, StringPool& strings,
                             std::uint32_t overflowed) {
  if (!has_dense_slots(variant_->algorithm)) return take_next(input.row_count, overflowed);
  const std::vector<std::uint64_t> before = dense_.words;
  PENSTOCK_TRY(find_ranges(queue, input, strings, 1));
  PENSTOCK_TRY(lay_out(queue, input.row_count));
  const bool is_same = has_dense_slots(variant_->algorithm) && dense_.words == before;
  return is_same ? take_next(input.row_count, overflowed) : Status();
}

Status TileKernel::find_ranges(Queue& queue, const ChunkInput& input, StringPool& strings,
                               std::uint64_t stride) {
  const std::uint64_t tiles = (tile_count(input.row_count) + stride - 1) / stride;
  const auto groups =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles, 1, policy_.groups));
  std::vector<std::uint64_t> found(std::size_t{groups} * range_words(program_));
  PENSTOCK_ASSIGN(const auto memory, device_->allocate(found.size() * 8));
  Slot sample;  // of its memory, the scalars
  if (packs_scalars(program_)) {
    PENSTOCK_TRY(replace(sample.scalars, program_.graph->parameters.size() * 8));
    PENSTOCK_TRY(upload_scalars(queue, sample, strings));
  }
  std::vector<Argument> arguments = source_arguments(input, sample, strings);
  arguments.push_back(Argument::of(*memory));
  arguments.push_back(Argument::value(input.row_count));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(stride)));
  Status enqueued = queue.launch(*compiled_, "pipeline_ranges", groups, arguments);
  if (enqueued.ok()) enqueued = queue.download(found.data(), *memory, found.size() * 8);
  PENSTOCK_TRY(
      queue.finish());  // also after an error: what was enqueued reads and writes what ends here
  PENSTOCK_TRY(enqueued);
  ranges_->add(found);
  return {};
}

// Takes the variant for the ranges found so far, and uploads the layout.
Status TileKernel::lay_out(Queue& queue, std::uint64_t row_count) {
  const std::optional<DenseTable> least = ranges_->table(0);
  Traits traits = device_->traits();
  if (options_.memory_limit_bytes > 0)
    traits.global_bytes = std::min(traits.global_bytes, options_.memory_limit_bytes);
  const Variant* fitting =
      least ? dense_variant(traits, program_, policy_, least->slots, row_count) : nullptr;
  if (!fitting) return take_next(row_count, 0);
  const auto parts = [&](std::uint64_t slots) {
    return policy_.partitions > 0 ? partition_shape(policy_, slots).parts
                                  : dense_shape(program_, policy_, slots).parts;
  };
  const bool is_other = fitting != variant_;
  variant_ = fitting;
  policy_ = variant_->policy(traits, program_);
  for (const std::uint64_t widening : widenings) {
    if (widening == 1 && attempts_ < 2) continue;
    const std::optional<DenseTable> wider = ranges_->table(widening);
    if (!wider || dense_variant(traits, program_, policy_, wider->slots, row_count) != variant_)
      continue;
    if (widening > 1 && parts(wider->slots) != parts(least->slots)) continue;
    dense_ = *wider;
    break;
  }
  std::vector<std::uint64_t> words = dense_.words;
  if (policy_.partitions > 0)
    for (const std::uint64_t word : partition_shape(policy_, dense_.slots).words())
      words.push_back(word);
  PENSTOCK_ASSIGN(dense_words_, device_->allocate(words.size() * 8));
  PENSTOCK_TRY(queue.upload(*dense_words_, words.data(), words.size() * 8));
  PENSTOCK_TRY(queue.finish());  // the words may be another layout's next
  if (is_other) return compile();
  attempts_++;
  return {};
}

Status TileKernel::prepare_dense(Slot& slot, std::uint64_t row_count) const {
  const std::uint64_t entry_words =
      program_.key_words() + std::max(1u, program_.accumulator_words());
  slot.keys = dense_words_;
  PENSTOCK_TRY(replace(slot.places, dense_.slots * limb_count(program_, true) * 8));
  const std::uint64_t result_bytes = std::min(dense_.slots, row_count) * entry_words * 8;
  slot.results_are_set = false;  // read without what is between; the next variant may read it
  PENSTOCK_TRY(replace(slot.results, result_bytes));
  return replace(slot.used_slots, 64);
}

Status TileKernel::enqueue_dense(Queue& queue, std::vector<Argument> arguments,
                                 std::uint64_t row_count, Slot& slot) const {
  const auto slots = static_cast<std::uint32_t>(dense_.slots);
  const DenseShape shape = dense_shape(program_, policy_, slots);
  slot.groups = 1;  // one table, as if of one group
  slot.is_by_slots = false;
  slot.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, row_count));
  slot.attempt = attempts_;
  PENSTOCK_TRY(queue.fill(*slot.places, 0, std::uint64_t{slots} * limb_count(program_, true) * 8));
  for (const auto* buffer : {&slot.used_slots, &slot.overflowed})
    PENSTOCK_TRY(queue.fill(**buffer, 0, 4));
  for (const auto* buffer : {&slot.keys, &slot.places, &slot.overflowed, &slot.fault})
    arguments.push_back(Argument::of(**buffer));
  arguments.push_back(Argument::value(row_count));
  for (const std::uint32_t number : {slots, shape.parts, shape.copies})
    arguments.push_back(Argument::value(number));
  const std::uint32_t groups =
      std::min(shape.groups, std::max(1u, tile_count(row_count)) * shape.parts);
  PENSTOCK_TRY(queue.launch(*compiled_, "pipeline_group", groups, arguments));
  const std::uint32_t collecting =
      std::min(policy_.groups, (slots + policy_.group_size - 1) / policy_.group_size);
  return queue.launch(
      *compiled_, "pipeline_group_collect", collecting,
      {{Argument::of(*slot.keys), Argument::of(*slot.places), Argument::of(*slot.results),
        Argument::of(*slot.used_slots), Argument::value(slots)}});
}

}  // namespace penstock::plan
