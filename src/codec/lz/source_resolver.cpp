#include "codec/lz/source_resolver.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/batch/chunk_program.hpp"
#include "codec/lz/kernels/lz_limits.h"

namespace penstock::batch {
namespace {

constexpr std::uint32_t group_threads = 256, bytes_per_thread = LZ_BYTES_PER_THREAD,
                        output_of_thread = LZ_BYTES_OF_SINGLE_THREAD;
// The bytes of a launch, of all streams together. Smaller ranges need more launches, each with its
// start and end. Larger ranges have longer chains, as chains end at the beginning of the range.
// docs/lab/one-file-gpu.md has the times.
constexpr std::uint64_t range_bytes = 2 << 20;
constexpr std::uint64_t min_stream_range_bytes = 64 << 10;  // about a segment
// The first range of a stream has no shortcuts. In blocks of three bytes its chains have 5500 steps
// on GPUs, which should take a millisecond or two (computed, not timed), and 1400 on CPUs, where a
// thread follows them one after another. Each next range is as long as all before it: this makes
// seven more launches for the first 2 MiB, and nine on CPUs. A GPU skips the short ranges if a
// stream has few segments, since a chain has at most as many steps, plus one for each KiB.
constexpr std::uint64_t first_range_bytes = 16 << 10, first_range_bytes_on_cpus = 4 << 10;
constexpr std::uint32_t few_segments = 512;
static_assert(sizeof(SourceStream) == LZ_STREAM_WORDS * 4);

std::uint32_t threads_of_group(const Traits& traits) {
  return traits.wants_single_thread_groups()
             ? 1
             : std::bit_floor(std::min(group_threads, traits.max_group_size));
}
std::uint64_t output_of_group(const Traits& traits) {
  const std::uint32_t threads = threads_of_group(traits);
  return threads == 1 ? output_of_thread : bytes_per_thread * threads;
}
bool holds(const std::shared_ptr<const Buffer>& buffer, std::uint64_t bytes) {
  return buffer != nullptr && buffer->bytes() >= bytes;
}

}  // namespace

Result<SourceResolver> SourceResolver::build(std::shared_ptr<Device> device) {
  const Traits& traits = device->traits();
  const GroupPolicy policy = {threads_of_group(traits), 8, 1};
  SourceResolver result;
  PENSTOCK_ASSIGN(result.program_,
                  build_program(*device, policy, "lz/kernels/resolve_source_indices"));
  result.device_ = std::move(device);
  return result;
}

Status SourceResolver::enqueue(Queue& queue, const SourceBatch& batch) const {
  const std::uint64_t streams = std::uint64_t{batch.first_stream} + batch.stream_count;
  if (!holds(batch.streams, streams * sizeof(SourceStream)) || !holds(batch.wrong, 4) ||
      batch.source_indices == nullptr || batch.output == nullptr)
    return Status(Code::invalid, "the buffers are too small for " +
                                     std::to_string(batch.stream_count) +
                                     " streams of source indices");
  if (batch.stream_count == 0) return {};
  const Traits& traits = device_->traits();
  const std::uint64_t group_bytes = output_of_group(traits);
  const std::uint64_t positions = batch.max_positions;
  const std::uint64_t limit = std::max(range_bytes / batch.stream_count, min_stream_range_bytes);
  const std::uint64_t max_groups = std::bit_floor(std::max<std::uint64_t>(limit / group_bytes, 1));
  const bool is_one_range =
      !traits.wants_single_thread_groups() && batch.max_segments <= few_segments;
  const std::uint64_t first_bytes = traits.wants_cache_sized_chunks() ? first_range_bytes_on_cpus
                                    : is_one_range                    ? range_bytes
                                                                      : first_range_bytes;
  std::uint64_t groups =
      std::min(std::bit_floor(std::max<std::uint64_t>(first_bytes / group_bytes, 1)), max_groups);
  std::uint64_t skipped = 0;
  while (skipped < positions) {
    const std::uint64_t left = (positions - skipped + group_bytes - 1) / group_bytes;
    groups = std::min(groups, std::bit_ceil(left));
    PENSTOCK_TRY(launch(queue, batch, std::countr_zero(groups), static_cast<std::uint32_t>(skipped),
                        static_cast<std::uint32_t>(groups * group_bytes)));
    skipped += groups * group_bytes;
    groups = std::min(max_groups, std::bit_floor(skipped / group_bytes));
  }
  return {};
}

// Launches one range: `span` positions from `skipped` on, 2^`groups_bits` groups per stream.
Status SourceResolver::launch(Queue& queue, const SourceBatch& batch, int groups_bits,
                              std::uint32_t skipped, std::uint32_t span) const {
  const Argument source_indices = Argument::of(*batch.source_indices);
  return queue.launch(
      *program_, "resolve_source_indices", batch.stream_count << groups_bits,
      {{source_indices, source_indices, Argument::of(*batch.streams), Argument::of(*batch.output),
        Argument::of(*batch.wrong), Argument::value(batch.first_stream),
        Argument::value(static_cast<std::uint32_t>(groups_bits)), Argument::value(skipped),
        Argument::value(span)}});
}

}  // namespace penstock::batch
