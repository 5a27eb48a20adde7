#include "codec/deflate/device/device_inflate.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "codec/batch/kernels/batch_limits.h"
#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "codec/deflate/kernels/deflate_limits.h"
#include "device/memory_budget.hpp"

namespace penstock::deflate {
namespace {

constexpr std::uint64_t window_symbols = DEFLATE_WINDOW_SYMBOLS, symbol_bytes = 2,
                        symbol_alignment = 8;
constexpr std::uint64_t list_bytes = DEFLATE_SEGMENT_TOKENS * 4,
                        list_offset = BATCH_SCRATCH_HEAD_WORDS * 4;
constexpr std::uint32_t groups_per_multiprocessor = 6;
// A group takes a run of segments in order: the number of runs for each multiprocessor of the
// device. One and four took as long or longer.
constexpr std::uint32_t runs_per_multiprocessor = 2;
// Output per group, which finds its segment by binary search. 16 KiB were too few: 2.5 ms for 780
// MB instead of 1.56.
constexpr std::uint32_t slice_bytes = 128 << 10;
// One warp each; the host combines them.
constexpr std::uint32_t checksum_run_bytes = 256 << 10;

constexpr std::uint64_t symbols_of(const DeviceSegment& segment) {
  return (window_symbols + segment.output_bytes + symbol_alignment - 1) / symbol_alignment *
         symbol_alignment;
}

// Sorts segments by the bit length of their output size, the longest first, so that the warps that
// take the last ones have short ones.
void put_longest_first(std::span<const DeviceSegment> segments, std::span<std::uint32_t> order) {
  std::array<std::uint32_t, 33> next = {};  // the next index of each bit length, the longest first
  const auto position = [&](const DeviceSegment& segment) {
    return static_cast<std::size_t>(std::countl_zero(segment.output_bytes));
  };
  for (const DeviceSegment& segment : segments) next[position(segment)]++;
  std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
  for (std::size_t i = 0; i < segments.size(); i++)
    order[next[position(segments[i])]++] = static_cast<std::uint32_t>(i);
}

// Groups divide windows evenly where their size is a power of two.
batch::GroupPolicy window_policy(const Traits& traits) {
  constexpr std::uint32_t max_threads = 1024;
  return {traits.wants_single_thread_groups()
              ? 1
              : std::bit_floor(std::min(traits.max_group_size, max_threads)),
          1, 1};
}

// Runs of segments, and how many segments each has; the last may have fewer.
struct Runs {
  std::uint32_t count = 0, segments = 1;
};
Runs runs_of(const Traits& traits, std::uint32_t segment_count) {
  const std::uint32_t limit = std::max(1u, traits.compute_units * runs_per_multiprocessor),
                      segments = std::max(1u, (segment_count + limit - 1) / limit);
  return {(segment_count + segments - 1) / segments, segments};
}

std::uint64_t suitable_bytes(const Traits& traits) {
  // Enough for the segments of a gigabyte of libraries at once.
  constexpr std::uint64_t max_bytes = std::uint64_t{8} << 30, cpu_bytes = 64 << 20;
  return std::min({traits.wants_cache_sized_chunks() ? cpu_bytes : max_bytes,
                   device::MemoryBudget(traits).buffer_of(device::MemoryUse::segments)});
}

}  // namespace

Result<std::unique_ptr<SegmentDecoder>> SegmentDecoder::build(std::shared_ptr<Device> device,
                                                              std::uint64_t batch_symbol_bytes,
                                                              batch::Checksum checksum) {
  auto outputs = std::make_unique<SegmentDecoder>();
  const Traits& traits = device->traits();
  outputs->symbol_policy_ =
      segment_policy(traits, DEFLATE_SEGMENT_WARP_BYTES, groups_per_multiprocessor);
  outputs->window_policy_ = window_policy(traits);
  const std::string_view symbols = traits.wants_single_thread_groups()
                                       ? "deflate/kernels/deflate_marker_symbols_thread"
                                       : "deflate/kernels/deflate_marker_symbols_warp";
  PENSTOCK_ASSIGN(outputs->symbols_program_,
                  batch::build_program(*device, outputs->symbol_policy_, symbols));
  PENSTOCK_ASSIGN(
      outputs->windows_program_,
      batch::build_program(*device, outputs->window_policy_, "deflate/kernels/deflate_windows"));
  PENSTOCK_ASSIGN(auto checksums, batch::RunChecksums::build(device, checksum));
  outputs->checksum_ = checksum, outputs->checksums_ = std::move(checksums);
  outputs->batch_symbol_bytes_ =
      batch_symbol_bytes != 0 ? batch_symbol_bytes : suitable_bytes(traits);
  outputs->device_ = std::move(device);
  return outputs;
}

OutputBatch SegmentDecoder::next_batch(const MeasuredStream& stream, std::size_t first) const {
  OutputBatch batch;
  std::uint64_t symbols = 0;
  for (std::size_t i = first; i < stream.segments.size(); i++) {
    symbols += symbols_of(stream.segments[i]);
    if (i > first && symbols * symbol_bytes > batch_symbol_bytes_) break;
    batch.segment_count++, batch.output_bytes += stream.segments[i].output_bytes;
  }
  return batch;
}

// Uses memory that reserve_batch() has reserved.
void SegmentDecoder::make_tables(std::span<const DeviceSegment> segments) {
  std::uint64_t symbols = 0;
  host_spans_.clear(), host_offsets_.clear();
  for (const DeviceSegment& segment : segments) {
    host_spans_.push_back(
        {segment.header_bit, segment.begin_bit, segment.end_bit, segment.end_bit});
    host_offsets_.push_back(symbols), host_offsets_.push_back(segment.output_at);
    symbols += symbols_of(segment);
  }
  host_offsets_.push_back(symbols),
      host_offsets_.push_back(segments.back().output_at + segments.back().output_bytes);
  put_longest_first(segments, host_order_);
}

Status SegmentDecoder::reserve_batch(const MeasuredStream& stream, std::size_t first) {
  const auto count = static_cast<std::uint32_t>(next_batch(stream, first).segment_count);
  std::uint64_t symbols = 0;
  for (const DeviceSegment& segment : std::span(stream.segments).subspan(first, count))
    symbols += symbols_of(segment);
  const std::uint64_t warps =
      std::uint64_t{batch::groups_of(symbol_policy_, device_->traits(), count)} *
      symbol_policy_.chunks_per_group;
  PENSTOCK_TRY(reserve(*device_, list_offset + warps * list_bytes, scratch_));
  PENSTOCK_TRY(host_spans_.resize(*device_, count));
  PENSTOCK_TRY(host_offsets_.resize(*device_, 2 * (count + std::uint64_t{1})));
  PENSTOCK_TRY(host_order_.resize(*device_, count));
  PENSTOCK_TRY(segment_results_.resize(*device_, count));
  PENSTOCK_TRY(reserve(*device_, host_spans_.bytes(), spans_));
  PENSTOCK_TRY(reserve(*device_, host_offsets_.bytes(), offsets_));
  PENSTOCK_TRY(reserve(*device_, host_order_.bytes(), order_));
  PENSTOCK_TRY(reserve(*device_, segment_results_.bytes(), results_));
  PENSTOCK_TRY(reserve(*device_, symbols * symbol_bytes, symbols_));
  PENSTOCK_TRY(reserve(*device_, window_symbols * symbol_bytes, carried_));
  const std::uint64_t windows = runs_of(device_->traits(), count).count + std::uint64_t{1};
  PENSTOCK_TRY(reserve(*device_, windows * window_symbols * symbol_bytes, windows_));
  return reserve(*device_, windows * window_symbols * symbol_bytes, previous_windows_);
}

Status SegmentDecoder::upload_tables(Queue& queue) {
  PENSTOCK_TRY(queue.upload(*spans_, host_spans_.data(), host_spans_.bytes()));
  PENSTOCK_TRY(queue.upload(*order_, host_order_.data(), host_order_.bytes()));
  return queue.upload(*offsets_, host_offsets_.data(), host_offsets_.bytes());
}

Status SegmentDecoder::enqueue_symbols(Queue& queue, const SegmentFinder& segments,
                                       std::uint32_t segment_count) {
  PENSTOCK_TRY(queue.fill(*scratch_, 0, 4));  // the next segment
  return queue.launch(
      *symbols_program_, "deflate_marker_symbols",
      batch::groups_of(symbol_policy_, device_->traits(), segment_count),
      {{Argument::of(segments.input()), Argument::of(*spans_), Argument::of(*offsets_),
        Argument::of(*symbols_), Argument::of(*results_), Argument::of(*scratch_),
        Argument::value(segment_count), Argument::value(segments.input_bytes()),
        Argument::of(*scratch_), Argument::of(segments.scans()), Argument::of(*order_)}});
}

Status SegmentDecoder::enqueue_windows(Queue& queue, std::uint32_t segment_count) {
  const Runs runs = runs_of(device_->traits(), segment_count);
  PENSTOCK_TRY(queue.launch(
      *windows_program_, "deflate_join_windows", runs.count,
      {{Argument::of(*symbols_), Argument::of(*offsets_), Argument::of(*carried_),
        Argument::of(*windows_), Argument::value(segment_count), Argument::value(runs.segments)}}));
  for (std::uint32_t distance = 1; distance <= runs.count; distance *= 2) {
    PENSTOCK_TRY(queue.launch(
        *windows_program_, "deflate_scan_windows", runs.count + 1,
        {{Argument::of(*windows_), Argument::of(*previous_windows_), Argument::value(distance)}}));
    windows_.swap(previous_windows_);
  }
  return {};
}

Status SegmentDecoder::enqueue_output(Queue& queue, std::uint32_t segment_count,
                                      const Buffer& output, std::uint64_t output_at,
                                      std::uint64_t output_bytes) {
  const Runs runs = runs_of(device_->traits(), segment_count);
  const auto slices = static_cast<std::uint32_t>(
      std::max<std::uint64_t>((output_bytes + slice_bytes - 1) / slice_bytes, 1));
  return queue.launch(*windows_program_, "deflate_resolve_symbols", slices,
                      {{Argument::of(*symbols_), Argument::of(*offsets_), Argument::of(*windows_),
                        Argument::of(output), Argument::value(output_at), Argument::of(*carried_),
                        Argument::value(segment_count), Argument::value(runs.segments),
                        Argument::value(slice_bytes)}});
}

Result<std::uint32_t> SegmentDecoder::checksum(Queue& queue, const std::shared_ptr<Buffer>& output,
                                               std::uint64_t output_at,
                                               std::uint64_t output_bytes) {
  const std::uint64_t run_count = (output_bytes + checksum_run_bytes - 1) / checksum_run_bytes,
                      bytes = run_count * sizeof(std::uint64_t);
  for (auto* const array : {&run_offsets_, &run_sizes_, &run_checksums_})
    PENSTOCK_TRY(array->resize(*device_, run_count));
  for (std::uint64_t i = 0; i < run_count; i++) {
    const std::uint64_t at = i * checksum_run_bytes;
    run_offsets_[i] = output_at + at,
    run_sizes_[i] = std::min<std::uint64_t>(checksum_run_bytes, output_bytes - at);
  }
  for (auto* const buffer : {&runs_.offsets, &runs_.sizes, &runs_.checksums})
    PENSTOCK_TRY(reserve(*device_, bytes, *buffer));
  PENSTOCK_TRY(queue.upload(*runs_.offsets, run_offsets_.data(), bytes));
  PENSTOCK_TRY(queue.upload(*runs_.sizes, run_sizes_.data(), bytes));
  runs_.bytes = output, runs_.run_count = static_cast<std::uint32_t>(run_count);
  PENSTOCK_TRY(checksums_->enqueue(queue, runs_));
  PENSTOCK_TRY(queue.download(run_checksums_.data(), *runs_.checksums, bytes));
  PENSTOCK_TRY(queue.finish());
  const bool is_adler = checksum_ == batch::Checksum::adler32;
  if (run_count == 0) return is_adler ? 1 : 0;
  const std::vector<std::uint32_t> words(run_checksums_.begin(), run_checksums_.end());
  return (is_adler ? checksum::adler32_joined : checksum::crc32_joined)(words, checksum_run_bytes,
                                                                        run_sizes_.back());
}

// Returns the first error in order. Segments that were valid when measured can still have invalid
// distances.
Result<StreamError> SegmentDecoder::chunk_status(std::span<const DeviceSegment> segments) const {
  const HostArray<SegmentResult>& results = segment_results_;
  for (std::size_t i = 0; i < segments.size(); i++) {
    if (results[i].error() != batch::ErrorCode::none)
      return StreamError{results[i].error(), results[i].bit / 8};
    if (results[i].bit != segments[i].end_bit ||
        results[i].output_bytes() != segments[i].output_bytes)
      return Status(Code::internal, "a segment of a Deflate stream, from bit " +
                                        std::to_string(segments[i].begin_bit) +
                                        " on, was decoded differently than it was measured");
  }
  return StreamError();
}

Result<OutputBatch> SegmentDecoder::decode(Queue& queue, const SegmentFinder& segments,
                                           const MeasuredStream& stream, std::size_t first,
                                           const std::shared_ptr<Buffer>& output,
                                           std::uint64_t output_at) {
  OutputBatch batch = next_batch(stream, first);
  const auto count = static_cast<std::uint32_t>(batch.segment_count);
  if (count == 0) return batch;
  if (output->bytes() < output_at + batch.output_bytes)
    return Status(Code::invalid, "the output buffer is too small for a batch of segments");
  const auto taken = std::span(stream.segments).subspan(first, count);
  PENSTOCK_TRY(reserve_batch(stream, first));
  make_tables(taken);
  PENSTOCK_TRY(upload_tables(queue));
  PENSTOCK_TRY(enqueue_symbols(queue, segments, count));
  // A stream's first segment has no window, and the window after a single segment is not used.
  // Small members are so, and there may be many.
  if (stream.segments.size() != 1) PENSTOCK_TRY(enqueue_windows(queue, count));
  PENSTOCK_TRY(enqueue_output(queue, count, *output, output_at, batch.output_bytes));
  PENSTOCK_TRY(queue.download(segment_results_.data(), *results_, segment_results_.bytes()));
  PENSTOCK_ASSIGN(batch.checksum,
                  checksum(queue, output, output_at, batch.output_bytes));  // waits for all work
  PENSTOCK_ASSIGN(batch.error, chunk_status(taken));
  return batch;
}

}  // namespace penstock::deflate
