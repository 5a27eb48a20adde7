// TileKernel's part for group-bys: fits the tables to a chunk's keys, and takes the next variant if
// a table was too small.
#include <algorithm>
#include <array>

#include "exec/kernel/tile_kernel.hpp"
#include "fuse/program/accumulators.hpp"
#include "fuse/variants/distinct_sketch.hpp"
#include "fuse/variants/partition_layout.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint32_t outside_limbs = 2;  // kernels/limbs.kc: OUTSIDE

// Ranges are first found over this many rows, spread over a chunk: some microseconds of a GPU.
constexpr std::uint64_t sampled_rows = 1 << 20;
// Keys that the sample lacks are expected near the sample's: within 1/8 of the range on either
// side, or less if that would take more parts. Keys that grow from chunk to chunk lie outside again
// and again: the range is then made three times as wide, so that this is rare.
constexpr std::array<std::uint64_t, 4> widenings = {1, 8, 64, 0};

bool has_string_keys(const TileProgram& program) {
  for (std::uint32_t i = 0; i < program.key_count; i++)
    if (program.graph->at(program.outputs[i].root).type.kind == Kind::string) return true;
  return false;
}

}  // namespace

Status TileKernel::fit(Queue& queue, const ChunkInput& input, const ProgramStrings& strings) {
  if (is_fitted_ || program_.epilogue != Epilogue::group) return {};
  is_fitted_ = true;
  rows_ = rows_key(input.row_count);
  if (rows_)
    if (const auto known = options_.kept->find_groups(*rows_, program_)) return take_fitted(*known);
  if (!has_dense_slots(variant_->algorithm)) return {};
  ranges_.emplace(program_);
  PENSTOCK_TRY(find_ranges(queue, input, strings,
                           std::max<std::uint64_t>(1, input.row_count / sampled_rows)));
  PENSTOCK_TRY(choose_layout(queue, input.row_count));
  keep_fitted();
  return {};
}

// Codes of strings may differ from run to run. For exact sums that costs another attempt at most;
// other sums would differ in their last bits.
std::optional<KeptPrograms::RowsKey> TileKernel::rows_key(std::uint64_t chunk_rows) const {
  if (!options_.kept || options_.rows.empty()) return std::nullopt;
  if (!adds_exactly(program_) && has_string_keys(program_)) return std::nullopt;
  return KeptPrograms::RowsKey{key(), options_.rows, chunk_rows, options_.memory_limit_bytes};
}

Status TileKernel::take_fitted(const KeptPrograms::FittedGroups& known) {
  const bool is_other = known.variant != variant_ || known.policy != policy_;
  variant_ = known.variant;
  policy_ = known.policy;
  size_ = known.size;
  dense_ = known.layout;
  if (!known.ranges.empty()) ranges_.emplace(program_).add(known.ranges);
  if (is_other) return compile();
  attempts_++;
  return {};
}

void TileKernel::keep_fitted() {
  if (rows_)
    options_.kept->keep_groups(*rows_, program_,
                               {variant_, policy_, size_,
                                ranges_ ? ranges_->words() : std::vector<std::uint64_t>(), dense_});
}

// Looks at every row of a chunk that did not fit. If that changes nothing, another variant comes
// next.
Status TileKernel::try_again(Queue& queue, const ChunkInput& input, const ProgramStrings& strings,
                             std::uint32_t overflowed) {
  PENSTOCK_TRY(choose_again(queue, input, strings, overflowed));
  // Earlier chunks were added up with the old choice: a later run must do as this one did.
  if (adds_exactly(program_)) keep_fitted();
  return {};
}

Status TileKernel::choose_again(Queue& queue, const ChunkInput& input,
                                const ProgramStrings& strings, std::uint32_t overflowed) {
  if (!has_dense_slots(variant_->algorithm)) return take_next(input.row_count, overflowed);
  const std::vector<std::uint64_t> before = dense_.table.words;
  PENSTOCK_TRY(find_ranges(queue, input, strings, 1));
  PENSTOCK_TRY(choose_layout(queue, input.row_count));
  const bool is_same = has_dense_slots(variant_->algorithm) && dense_.table.words == before;
  return is_same ? take_next(input.row_count, overflowed) : Status();
}

Status TileKernel::find_ranges(Queue& queue, const ChunkInput& input, const ProgramStrings& strings,
                               std::uint64_t stride) {
  const std::uint64_t tiles = (context().tile_count(input.row_count) + stride - 1) / stride;
  const auto groups =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles, 1, policy_.groups));
  std::vector<std::uint64_t> found(std::size_t{groups} * range_words(program_));
  std::vector<std::uint32_t> sketches(std::size_t{2} * DistinctSketch::registers);
  PENSTOCK_ASSIGN(const auto memory, device_->allocate(found.size() * 8));
  PENSTOCK_ASSIGN(const auto registers, device_->allocate(sketches.size() * 4));
  PackedScalars scalars;
  PENSTOCK_TRY(prepare_scalars(scalars));
  PENSTOCK_TRY(upload_scalars(queue, scalars, strings));
  std::vector<Argument> arguments = source_arguments(input, scalars, strings);
  add(arguments, {memory, registers});
  arguments.push_back(Argument::value(input.row_count));
  arguments.push_back(Argument::value(static_cast<std::uint32_t>(stride)));
  Status enqueued = queue.fill(*registers, 0, sketches.size() * 4);
  if (enqueued.ok()) enqueued = queue.launch(*compiled_, "pipeline_ranges", groups, arguments);
  if (enqueued.ok()) enqueued = queue.download(found.data(), *memory, found.size() * 8);
  if (enqueued.ok()) enqueued = queue.download(sketches.data(), *registers, sketches.size() * 4);
  // Also after an error: enqueued work uses memory that ends here.
  PENSTOCK_TRY(queue.finish());
  PENSTOCK_TRY(enqueued);
  ranges_->add(found);
  expect_keys(sketches, input.row_count, stride);
  return {};
}

// Chunks may differ: the chunk with the most expected keys counts.
void TileKernel::expect_keys(std::span<const std::uint32_t> sketches, std::uint64_t row_count,
                             std::uint64_t stride) {
  DistinctSketch sketch;
  sketch.add(sketches);
  const double expected = std::min(sketch.expected(stride), static_cast<double>(row_count));
  keys_ = std::max(keys_.value_or(0), static_cast<std::uint64_t>(expected));
}

// The device memory that a run may take.
std::uint64_t TileKernel::memory_bytes() const {
  const std::uint64_t all = device_->traits().global_bytes, limit = options_.memory_limit_bytes;
  return limit > 0 ? std::min(all, limit) : all;
}

// The device's traits, with that memory.
Traits TileKernel::limited_traits() const {
  Traits traits = device_->traits();
  traits.global_bytes = memory_bytes();
  return traits;
}

// Chooses the variant and the layout for the ranges found so far.
Status TileKernel::choose_layout(Queue& queue, std::uint64_t row_count) {
  const std::optional<DenseTable> smallest = ranges_->table(0);
  const Traits traits = limited_traits();
  const Variant* fitting =
      smallest ? dense_variant(traits, program_, policy_, smallest->slots, row_count) : nullptr;
  if (!fitting) return take_next(row_count, 0);
  const auto parts = [&](std::uint64_t slots) {
    return policy_.partition.max_count > 0 ? partition_shape(policy_, slots).parts
                                           : dense_shape(program_, policy_, slots).parts;
  };
  const bool is_other = fitting != variant_;
  variant_ = fitting;
  policy_ = policy_of(*variant_, traits, program_);
  for (const std::uint64_t widening : widenings) {
    if (widening == 1 && attempts_ < 2) continue;
    const std::optional<DenseTable> wider = ranges_->table(widening);
    if (!wider || dense_variant(traits, program_, policy_, wider->slots, row_count) != variant_)
      continue;
    if (widening > 1 && parts(wider->slots) != parts(smallest->slots)) continue;
    dense_.table = *wider;
    break;
  }
  PENSTOCK_TRY(upload_layout(queue));
  if (is_other) return compile();
  attempts_++;
  return {};
}

Status TileKernel::upload_layout(Queue& queue) {
  std::vector<std::uint64_t> words = dense_.table.words;
  if (policy_.partition.max_count > 0)
    for (const std::uint64_t word : partition_shape(policy_, dense_.table.slots).words())
      words.push_back(word);
  PENSTOCK_ASSIGN(dense_.numbers, device_->allocate(words.size() * 8));
  PENSTOCK_TRY(queue.upload(*dense_.numbers, words.data(), words.size() * 8));
  return queue.finish();  // the queue reads `words` until then
}

Status TileKernel::take_next(std::uint64_t row_count, std::uint32_t overflowed) {
  const std::uint32_t groups = context().group_count(row_count),
                      tiles = (context().tile_count(row_count) + groups - 1) / groups;
  const std::uint64_t group_rows = std::uint64_t{tiles} * policy_.tile_rows;
  const bool is_outside =
      variant_->algorithm != Algorithm::group && (overflowed & outside_limbs) != 0;
  PENSTOCK_ASSIGN(Attempt next,
                  next_attempt(device_->traits(), program_, {variant_, policy_, size_}, group_rows,
                               is_outside, keys_));
  // Tables of threads are as good with fewer entries. A table in global memory must hold all.
  if (next.variant->algorithm == Algorithm::group_kept)
    next.policy = policy_of(*next.variant, limited_traits(), program_);
  const bool is_other = next.variant != variant_ || next.policy != policy_;
  variant_ = next.variant, policy_ = next.policy, size_ = next.size;
  if (is_other) return compile();
  attempts_++;
  return {};
}

}  // namespace penstock::plan
