// Decodes large LZ4 blocks, and dependent ones, with several warps per block. The phases and their
// data are described in src/codec/lz4/kernels/lz4_segments.kc.
#include <algorithm>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/lz/kernels/lz_limits.h"
#include "codec/lz/source_resolver.hpp"
#include "codec/lz4/kernels/lz4_limits.h"

namespace penstock::batch {
namespace {

constexpr std::uint64_t segment_bytes = LZ4_SEGMENT_BYTES, max_window_bytes = LZ4_MAX_WINDOW_BYTES;
constexpr std::uint64_t warp_threads = 32;
constexpr std::uint64_t words_per_stream = LZ_STREAM_WORDS, words_per_block = LZ4_BLOCK_WORDS,
                        words_per_segment =
                            LZ4_SEGMENT_WORDS + LZ4_KEPT_WINDOWS * (1 + warp_threads);
constexpr std::uint32_t correcting_rounds = 5;  // must be odd
constexpr std::uint32_t segments_per_correction = LZ4_SEGMENTS_PER_CORRECTION;
constexpr std::uint64_t first_stream = 11;  // the counter is before it
static_assert(first_stream * words_per_stream == LZ4_SCRATCH_HEAD_WORDS);
static_assert(sizeof(SourceStream) == LZ_STREAM_WORDS * 4);
constexpr std::uint64_t max_tasks = 0xfff00000;  // handed out by a counter of 32 bits
// Positions have 31 bits. A window and an unaligned beginning come before the stream.
constexpr std::uint64_t max_stream_bytes = 0x7ffe0000;

// Returns the segments of the longest block with this output, by LZ4's bound. A longer block
// exceeds its capacity before its end.
std::uint64_t segments_of(std::uint64_t capacity) {
  return (capacity + capacity / 255 + 16 + segment_bytes - 1) / segment_bytes;
}
std::uint64_t capacity_of(std::uint64_t max_output_bytes) {
  return std::min(max_output_bytes, max_stream_bytes);
}

class LargeBlockDecoder final : public Decoder {
 public:
  LargeBlockDecoder(std::shared_ptr<Device> device, const Variant& variant)
      : device_(std::move(device)), variant_(variant) {}
  Status open() {
    const std::vector<GroupPolicy> policies =
        policies_of(decoding_family(Format::lz4), variant_, device_->traits());
    PENSTOCK_ASSIGN(scans_, build_phase(*device_, variant_.phases[0], policies[0]));
    PENSTOCK_ASSIGN(sources_, build_phase(*device_, variant_.phases[1], policies[1]));
    PENSTOCK_ASSIGN(auto resolver, SourceResolver::build(device_));
    resolver_ = std::make_unique<SourceResolver>(std::move(resolver));
    return {};
  }

  std::uint64_t scratch_bytes(std::uint32_t chunk_count,
                              std::uint64_t max_output_bytes) const override {
    const std::uint64_t capacity = capacity_of(max_output_bytes);
    const std::uint64_t words_of_chunk = words_per_stream + words_per_block +
                                         segments_of(capacity) * words_per_segment +
                                         (capacity + 18) / 4 * 4;
    return 4 *
           (first_stream * words_per_stream + chunk_count * words_of_chunk + max_window_bytes + 4);
  }
  std::string_view variant() const override { return variant_.name; }
  Status enqueue(Queue& queue, const Batch& batch, const Buffer& scratch) override {
    PENSTOCK_TRY(check(batch, scratch));
    if (batch.chunk_count == 0) return {};
    const std::uint32_t is_linked = batch.dependencies.streams != nullptr;
    const auto capacity = static_cast<std::uint32_t>(capacity_of(batch.max_output_bytes));
    const auto segments = static_cast<std::uint32_t>(segments_of(capacity));
    const std::uint32_t blocks = batch.chunk_count, tasks = blocks * segments;
    // Independent blocks have no streams; the kernels do not read the argument then.
    const Argument links =
        Argument::of(is_linked ? *batch.dependencies.streams : *batch.input_sizes);
    const Argument input = Argument::of(*batch.input), offsets = Argument::of(*batch.input_offsets),
                   scratch_memory = Argument::of(scratch);
    const Argument sizes = Argument::of(*batch.input_sizes), count = Argument::value(blocks),
                   max_segments = Argument::value(segments);
    const Argument has_dependencies = Argument::value(is_linked),
                   output_offsets = Argument::of(*batch.output_offsets);
    const std::vector<Argument> all = {input,
                                       offsets,
                                       sizes,
                                       output_offsets,
                                       Argument::of(*batch.output_capacities),
                                       links,
                                       scratch_memory,
                                       count,
                                       scratch_memory,
                                       max_segments,
                                       Argument::value(capacity),
                                       has_dependencies,
                                       Argument::value(batch.dependencies.window_bytes)};
    PENSTOCK_TRY(launch(queue, scans_, "lz4_measure_segments", tasks, scratch, all));
    PENSTOCK_TRY(correct(queue, tasks, scratch, all));
    PENSTOCK_TRY(launch(queue, scans_, "lz4_chain_segments", blocks, scratch, all));
    PENSTOCK_TRY(launch(queue, scans_, "lz4_locate_blocks", blocks, scratch, all));
    PENSTOCK_TRY(launch(queue, sources_, "lz4_segment_source_indices", tasks, scratch, all));
    PENSTOCK_TRY(launch(queue, sources_, "lz4_segment_literals", tasks, scratch, all));
    PENSTOCK_TRY(
        launch(queue, sources_, "lz4_check_blocks", blocks, scratch,
               {sizes, Argument::of(*batch.output_sizes), Argument::of(*batch.statuses), links,
                scratch_memory, count, scratch_memory, max_segments, has_dependencies}));
    // resolve_source_indices skips everything where this word is not 0. Corrupt blocks have ended
    // their streams already, so all the rest can be resolved.
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));
    return resolver_->enqueue(queue, streams_of(batch, scratch));
  }

 private:
  Status check(const Batch& batch, const Buffer& scratch) const {
    if (batch.chunk_count != 0 && batch.max_output_bytes == 0)
      return Status(Code::invalid, "a batch of large LZ4 blocks needs max_output_bytes");
    PENSTOCK_TRY(
        check_batch(batch, scratch, scratch_bytes(batch.chunk_count, batch.max_output_bytes)));
    if (batch.chunk_count * segments_of(capacity_of(batch.max_output_bytes)) > max_tasks)
      return Status(Code::invalid, "the batch has too many segments of " +
                                       std::to_string(segment_bytes) + " bytes");
    const BlockDependencies& links = batch.dependencies;
    if (links.streams == nullptr) return {};
    if (links.streams->bytes() < std::uint64_t{batch.chunk_count} * 4 ||
        links.stream_count > batch.chunk_count)
      return Status(Code::invalid,
                    "the buffer of block dependencies is too small for the chunks, or there are "
                    "more streams than chunks");
    if (links.window_bytes > max_window_bytes || links.max_stream_bytes > max_stream_bytes)
      return Status(Code::invalid,
                    "a stream has 2 GiB of output or more, or its window more than 64 KiB");
    return {};
  }
  Status correct(Queue& queue, std::uint32_t segments, const Buffer& scratch,
                 std::vector<Argument> arguments) const {
    arguments.emplace_back();
    for (std::uint32_t round = 0; round < correcting_rounds; round++) {
      arguments.back() = Argument::value(round);
      const std::uint32_t tasks =
          (segments + segments_per_correction - 1) / segments_per_correction;
      PENSTOCK_TRY(launch(queue, scans_, "lz4_correct_segments", tasks, scratch, arguments));
    }
    return {};
  }
  // Launches a kernel with warps that take `tasks` tasks from the counter.
  Status launch(Queue& queue, const BuiltPhase& phase, std::string_view kernel, std::uint32_t tasks,
                const Buffer& scratch, const std::vector<Argument>& arguments) const {
    PENSTOCK_TRY(queue.fill(scratch, 0, 4));  // the next task
    return queue.launch(*phase.program, kernel, phase.groups(device_->traits(), tasks), arguments);
  }
  static SourceBatch streams_of(const Batch& batch, const Buffer& scratch) {
    const std::shared_ptr<const Buffer> unowned_scratch(std::shared_ptr<const Buffer>(), &scratch);
    const bool is_linked = batch.dependencies.streams != nullptr;
    const std::uint64_t max_bytes =
        is_linked ? batch.dependencies.max_stream_bytes : capacity_of(batch.max_output_bytes);
    return {.stream_count = is_linked ? batch.dependencies.stream_count : batch.chunk_count,
            .max_positions = static_cast<std::uint32_t>(max_bytes),
            .streams = unowned_scratch,
            .source_indices = unowned_scratch,
            .output = batch.output,
            .wrong = unowned_scratch,
            .first_stream = static_cast<std::uint32_t>(first_stream)};
  }

  std::shared_ptr<Device> device_;
  const Variant& variant_;  // a row of the table
  BuiltPhase scans_, sources_;
  std::unique_ptr<SourceResolver> resolver_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> build_large_block_decoder(std::shared_ptr<Device> device,
                                                           const Variant& variant) {
  auto decoder = std::make_unique<LargeBlockDecoder>(std::move(device), variant);
  PENSTOCK_TRY(decoder->open());
  return std::unique_ptr<Decoder>(std::move(decoder));
}

}  // namespace penstock::batch
