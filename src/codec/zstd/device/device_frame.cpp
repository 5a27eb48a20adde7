#include "codec/zstd/device/device_frame.hpp"

#include <algorithm>

#include "codec/batch/chunk_decoder.hpp"
#include "codec/batch/kernels/batch_limits.h"
#include "codec/zstd/format/block_parts.hpp"
#include "codec/zstd/kernels/zstd_limits.h"
#include "device/memory_budget.hpp"
#include "device/reserve_buffer.hpp"

namespace penstock::zstd {
namespace {

using batch::Granularity;
using batch::Phase;

constexpr Phase sequences_phase = {.kernel = "zstd_stream_sequences",
                                   .file = "zstd/kernels/zstd_stream_sequences",
                                   .granularity = Granularity::threads_per_chunk,
                                   .local_bytes = ZSTD_SEQUENCES_THREAD_BYTES,
                                   .max_workers_per_group = 32};
constexpr Phase positions_phase = {.kernel = "zstd_stream_positions",
                                   .file = "zstd/kernels/zstd_stream_positions",
                                   .granularity = Granularity::single_group};
constexpr Phase literals_phase = {.kernel = "zstd_stream_literals",
                                  .file = "zstd/kernels/zstd_stream_literals",
                                  .granularity = Granularity::threads_per_chunk,
                                  .local_bytes = ZSTD_LITERALS_THREAD_BYTES,
                                  .max_workers_per_group = 28,
                                  .threads_per_chunk = 4};
constexpr Phase source_indices_phase = {.kernel = "zstd_stream_source_indices",
                                        .file = "zstd/kernels/zstd_stream_source_indices",
                                        .granularity = Granularity::warp_per_chunk,
                                        .local_bytes = ZSTD_SOURCE_WARP_BYTES,
                                        .max_workers_per_group = 8,
                                        .groups_per_multiprocessor = 5};
constexpr Phase thread_source_indices_phase = {
    .kernel = "zstd_stream_source_indices",
    .file = "zstd/kernels/zstd_stream_source_indices_thread",
    .granularity = Granularity::thread_per_chunk};
const Phase& source_indices_phase_on(const Traits& traits) {
  return traits.wants_single_thread_groups() ? thread_source_indices_phase : source_indices_phase;
}

std::uint64_t suitable_batch_bytes(const Traits& traits) {
  // A CPU is as quick by few blocks, and tells more often how far it is.
  const std::uint64_t max_bytes = traits.wants_cache_sized_chunks() ? 64 << 20 : 1 << 30;
  return std::max<std::uint64_t>(
      std::min({max_bytes, traits.max_allocation_bytes / 8,
                device::MemoryBudget(traits).share_of(device::MemoryUse::blocks)}),
      largest_block_bytes);
}

// In the layouts of zstd_stream.kc.
struct BlockPlanWords {
  std::uint32_t output, literals, repeat_offsets[3], position, error, unused;
};
struct State {
  std::uint32_t wrong = 0, end = 0, repeat_offsets[3] = {1, 4, 8}, unused[3] = {};
};
static_assert(sizeof(BlockPlanWords) == ZSTD_BLOCK_PLAN_WORDS * 4);
static_assert(sizeof(BlockRow) == ZSTD_ROW_WORDS * 4);
constexpr std::uint64_t max_window_bytes = 128 << 20;  // distances of a list have 28 bits
constexpr std::uint64_t max_positions = BATCH_MAX_CHUNK_BYTES;

}  // namespace

// A frame on its way through batches. Positions of a batch count from `base` of the text's memory.
struct DeviceFrame::Progress {
  BlockIndex index;
  std::uint32_t window_bytes = 0, block_limit_bytes = 0;
  std::uint64_t output_bytes = 0;                   // of the batches before
  std::vector<BlockRow> rows = {}, next_rows = {};  // of the batch, and of the next
  Status indexed = {};                              // why `next_rows` end
  std::uint64_t first_block = 0, base = 0;
  std::uint32_t floor = 0, first = 0, limit = 0;
  State state = {};
  batch::SourceStream stream = {};

  void index_next(std::size_t max_blocks) {
    next_rows.clear();
    indexed = index.next(max_blocks, next_rows);
  }
};

Result<std::unique_ptr<DeviceFrame>> DeviceFrame::build(std::shared_ptr<Device> device,
                                                        std::uint64_t batch_output_bytes) {
  std::unique_ptr<DeviceFrame> result(new DeviceFrame(std::move(device), batch_output_bytes));
  PENSTOCK_TRY(result->open());
  return result;
}

Status DeviceFrame::open() {
  PENSTOCK_ASSIGN(sequences_, batch::build_phase(*device_, sequences_phase));
  PENSTOCK_ASSIGN(positions_, batch::build_phase(*device_, positions_phase));
  PENSTOCK_ASSIGN(literals_, batch::build_phase(*device_, literals_phase));
  PENSTOCK_ASSIGN(sources_,
                  batch::build_phase(*device_, source_indices_phase_on(device_->traits())));
  PENSTOCK_ASSIGN(source_resolver_, batch::SourceResolver::build(device_));
  return {};
}

DeviceFrame::DeviceFrame(std::shared_ptr<Device> device, std::uint64_t batch_output_bytes)
    : device_(std::move(device)),
      batch_output_bytes_(batch_output_bytes != 0 ? batch_output_bytes
                                                  : suitable_batch_bytes(device_->traits())) {}
DeviceFrame::~DeviceFrame() = default;

bool DeviceFrame::fits(const FrameHeader& header, const Traits& traits) {
  const batch::Variant method{.name = "zstd_frame",
                              .format = batch::Format::zstd,
                              .phases = {sequences_phase, positions_phase, literals_phase,
                                         source_indices_phase_on(traits)}};
  return header.window_bytes <= max_window_bytes && header.dictionary_id == 0 &&
         batch::fits(method, traits);
}

Result<DeviceFrame::Decoded> DeviceFrame::decode(Queue& queue, const FrameHeader& header,
                                                 const Target& target) {
  progress_.reset(new Progress{.index = BlockIndex(target.input, target.frame_begin, header)});
  Progress& progress = *progress_;
  progress.window_bytes = static_cast<std::uint32_t>(header.window_bytes),
  progress.block_limit_bytes = header.block_limit_bytes();
  const std::size_t batch_blocks =
      std::max<std::uint64_t>(batch_output_bytes_ / largest_block_bytes, 1);
  progress.index_next(batch_blocks);
  while (!progress.next_rows.empty()) {
    progress.rows.swap(progress.next_rows);
    PENSTOCK_TRY(enqueue(queue, target, progress));
    const Status indexed = progress.indexed;
    progress.index_next(indexed.ok() ? batch_blocks : 0);  // beside the device
    if (!indexed.ok()) progress.indexed = indexed;
    PENSTOCK_TRY(finish(queue, target, progress));
    progress.first_block += progress.rows.size();
    if (target.on_batch) PENSTOCK_TRY(target.on_batch(progress.rows.back().content.end));
  }
  PENSTOCK_TRY(progress.indexed);
  if (header.content_bytes && *header.content_bytes != progress.output_bytes)
    return Status(Code::corrupt,
                  "Zstandard frame: its content has " + std::to_string(progress.output_bytes) +
                      " bytes, and its header says " + std::to_string(*header.content_bytes));
  return Decoded{progress.output_bytes, progress.index.at()};
}

Status DeviceFrame::enqueue(Queue& queue, const Target& target, Progress& progress) {
  const std::uint64_t blocks = progress.rows.size(),
                      output_at = target.output_begin + progress.output_bytes;
  const std::uint64_t kept = std::min<std::uint64_t>(progress.output_bytes, progress.window_bytes);
  progress.base = (output_at - kept) / 16 * 16;
  progress.first = static_cast<std::uint32_t>(output_at - progress.base),
  progress.floor = progress.first - static_cast<std::uint32_t>(kept);
  const std::uint64_t capacity =
      std::min({target.capacity_bytes - progress.output_bytes, blocks * largest_block_bytes,
                max_positions - progress.first});
  progress.limit = progress.first + static_cast<std::uint32_t>(capacity);
  const BlockRow& last = progress.rows.back();
  const std::uint64_t sequences = std::uint64_t{last.first_sequence} + last.sequence_count;
  PENSTOCK_TRY(reserve(*device_, blocks * sizeof(BlockRow), rows_));
  PENSTOCK_TRY(reserve(*device_, blocks * sizeof(BlockPlanWords), plans_));
  PENSTOCK_TRY(reserve(*device_, sequences * 8, list_));
  PENSTOCK_TRY(reserve(*device_, (capacity + 16) * 4, source_words_));
  PENSTOCK_TRY(reserve(*device_, sizeof(State), state_));
  PENSTOCK_TRY(reserve(*device_, sizeof(batch::SourceStream), streams_));
  PENSTOCK_TRY(reserve(*device_, 4, next_block_));
  progress.stream = {progress.base, std::uint64_t{0} - (progress.first & ~std::uint32_t{3}),
                     progress.first, 0};
  PENSTOCK_TRY(queue.upload(*rows_, progress.rows.data(), blocks * sizeof(BlockRow)));
  PENSTOCK_TRY(queue.upload(*state_, &progress.state, sizeof(State)));
  PENSTOCK_TRY(queue.upload(*streams_, &progress.stream, sizeof progress.stream));
  PENSTOCK_TRY(launch_phases(queue, target, progress));
  const batch::SourceBatch batch{.stream_count = 1,
                                 .max_positions = progress.limit - progress.first,
                                 .max_segments = static_cast<std::uint32_t>(blocks),
                                 .streams = streams_,
                                 .source_indices = source_words_,
                                 .output = target.output,
                                 .wrong = state_};
  PENSTOCK_TRY(source_resolver_->enqueue(queue, batch));
  return queue.flush();
}

Status DeviceFrame::launch_phases(Queue& queue, const Target& target, const Progress& progress) {
  const auto blocks = static_cast<std::uint32_t>(progress.rows.size());
  const std::vector<Argument> arguments = {Argument::of(*target.device_input),
                                           Argument::of(*rows_),
                                           Argument::of(*plans_),
                                           Argument::of(*list_),
                                           Argument::of(*target.output),
                                           Argument::of(*source_words_),
                                           Argument::of(*state_),
                                           Argument::of(*streams_),
                                           Argument::of(*next_block_),
                                           Argument::value(blocks),
                                           Argument::value(progress.window_bytes),
                                           Argument::value(progress.block_limit_bytes),
                                           Argument::value(progress.base),
                                           Argument::value(progress.floor),
                                           Argument::value(progress.first),
                                           Argument::value(progress.limit)};
  PENSTOCK_TRY(queue.fill(*next_block_, 0, 4));
  for (const batch::BuiltPhase* const built : {&sequences_, &positions_, &literals_, &sources_})
    PENSTOCK_TRY(queue.launch(*built->program, built->phase->kernel,
                              built->groups(device_->traits(), blocks), arguments));
  return {};
}

Status DeviceFrame::finish(Queue& queue, const Target& target, Progress& progress) {
  PENSTOCK_TRY(queue.download(&progress.state, *state_, sizeof(State)));
  PENSTOCK_TRY(queue.finish());
  if (progress.state.wrong != 0) return error_of(queue, progress, ~progress.state.wrong);
  progress.output_bytes = progress.base + progress.state.end - target.output_begin;
  return {};
}

Status DeviceFrame::error_of(Queue& queue, const Progress& progress, std::uint32_t number) {
  std::vector<BlockPlanWords> plans(progress.rows.size());
  PENSTOCK_TRY(queue.download(plans.data(), *plans_, plans.size() * sizeof(BlockPlanWords)));
  PENSTOCK_TRY(queue.finish());
  const std::string block = block_at(progress.first_block + number,
                                     progress.rows[number].content.begin - block_header_bytes);
  return batch::status_at("Zstandard frame: " + block,
                          static_cast<batch::ErrorCode>(plans[number].error));
}

}  // namespace penstock::zstd
