// Decodes small Zstandard frames on a device, thousands at once. One after another
// (zstd_device.cpp), each costs a dozen launches and two waits, whatever its size. A batch gives a
// thread to a frame's sequences, so that it is for frames of few blocks.
#include <algorithm>

#include "codec/zstd/host/frame_decoder.hpp"
#include "stream/device/device_session.hpp"
#include "stream/zstd/zstd_decoders.hpp"

namespace penstock::stream {
namespace {

// Compressed and decompressed. A frame of one block is decoded no sooner by itself than in a batch.
// One of several blocks is decoded sooner block by block, unless as many frames follow as it has
// blocks.
constexpr std::uint64_t max_single_output_bytes = 128 << 10, max_frame_bytes = 1 << 20;
constexpr std::uint32_t min_neighbours = max_frame_bytes / max_single_output_bytes;

struct SmallFrame {
  ZstdFrameHeader header;
  ZstdExtent extent;
  std::uint64_t capacity;
};

// Returns the frame at the input's position, after skippable ones. Returns nothing at the input's
// end, or if the frame is not small.
Result<std::optional<SmallFrame>> next_small_frame(Input& input, std::uint64_t frame,
                                                   std::uint64_t max_window_bytes) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(input, frame, max_window_bytes));
  if (!header || header->dictionary_id != 0) return std::optional<SmallFrame>();
  PENSTOCK_ASSIGN(const auto extent, measure_zstd_frame(input, *header, max_frame_bytes,
                                                        {Format::zstd, frame, input.offset()}));
  if (!extent) return std::optional<SmallFrame>();
  // A capacity of 0 would stand for an unknown one, so that an empty frame has a byte.
  const std::uint64_t capacity =
      std::max<std::uint64_t>(std::min(extent->max_output_bytes, extent->max_blocks_bytes), 1);
  return std::optional(SmallFrame{*header, *extent, capacity});
}

// Returns whether min_neighbours small frames stand at the input's position.
Result<bool> has_neighbours(Input& input) {
  PENSTOCK_ASSIGN(const auto rest, input.peek(min_neighbours * max_frame_bytes));
  PENSTOCK_ASSIGN(const auto following, Input::open(Source::memory(rest)));
  for (std::uint32_t i = 0; i < min_neighbours; i++) {
    const auto frame = next_small_frame(*following, i + 1, max_zstd_window_bytes);
    if (!frame.ok() || !*frame) return false;
    following->skip((*frame)->extent.frame_bytes);
  }
  return true;
}

class SmallFrames final : public ChunkStages {
 public:
  SmallFrames(Context& context, std::uint64_t job_bytes)
      : context_(context), job_bytes_(job_bytes) {}

  // Frames before one that cannot be found end a job, so that their errors are returned first.
  Result<bool> take(DecodeJob& job) override {
    PENSTOCK_TRY(discovery_error_);
    discovery_error_ = take_frames(job);
    if (job.chunks.empty()) PENSTOCK_TRY(discovery_error_);
    return !job.chunks.empty();
  }

  // Devices take whole frames and verify their checksums.
  batch::Format chunk_format() const override { return batch::Format::zstd; }
  bool reads_outputs() const override { return false; }
  // The host decodes the frame again, so that the message names block and byte and does not depend
  // on the device.
  Status error_of(const Chunk& chunk, batch::ChunkStatus chunk_status) const override {
    std::vector<std::byte> output(chunk.output_bytes);
    const auto decoded = decode_whole_frame(chunk, output, nullptr);
    if (!decoded.ok()) return decoded.status();
    return ErrorLocation{Format::zstd, chunk.index, chunk.offset + chunk_status.offset}.corrupt(
        batch::message(chunk_status.error));
  }

  static Result<bool> is_for_batch(Context& context, const SmallFrame& frame) {
    if (frame.capacity <= max_single_output_bytes) return true;
    return has_neighbours(context.input);
  }

 private:
  Status take_frames(DecodeJob& job) {
    std::uint64_t max_output = min_counted_output_bytes, input_bytes = 0;
    while (input_bytes < job_bytes_) {
      PENSTOCK_ASSIGN(const auto frame, next_small_frame(context_.input, context_.next_member(),
                                                         context_.options.max_window_bytes));
      if (!frame) return {};
      // A batch has scratch memory for as many frames of the largest size.
      max_output = std::max(max_output, frame->capacity);
      if (!job.chunks.empty() && (job.chunks.size() + 1) * max_output > job_bytes_) return {};
      PENSTOCK_ASSIGN(const bool fits, is_for_batch(*frame, job.chunks.size()));
      if (!fits) return {};
      PENSTOCK_TRY(add(*frame, job));
      input_bytes += frame->extent.frame_bytes;
    }
    return {};
  }
  Result<bool> is_for_batch(const SmallFrame& frame, std::size_t taken) {
    if (taken >= min_neighbours) return true;
    return is_for_batch(context_, frame);
  }
  Status add(const SmallFrame& frame, DecodeJob& job) {
    const std::uint64_t bytes = frame.extent.frame_bytes;
    PENSTOCK_ASSIGN(const auto found, context_.input.peek(bytes));
    job.chunks.push_back({.bytes = found.first(bytes),
                          .offset = context_.input.offset(),
                          .index = ++context_.report.member_count,
                          .output_bytes = frame.capacity});
    job.capacity += frame.capacity;
    job.keep_alive(context_.input.owner());
    context_.report.unchecked_member_count += !frame.header.has_checksum;
    context_.input.skip(bytes);
    return {};
  }

  Context& context_;
  std::uint64_t job_bytes_;
  // The next job begins with it: nothing is read twice, since the input is already past the skipped
  // frames.
  Status discovery_error_;
};

}  // namespace

// Output that is kept on a device is made frame by frame, by zstd_device.cpp.
Result<bool> fits_small_frames_on_device(Context& context) {
  if (!context.input.size() || !context.options.dictionary.empty() ||
      context.keeps_output_on_device)
    return false;
  PENSTOCK_ASSIGN(const auto frame, next_small_frame(context.input, context.next_member(),
                                                     context.options.max_window_bytes));
  if (!frame || batch::Decoder::variants(batch::Format::zstd, context.session->device()->traits(),
                                         {frame->capacity})
                    .empty())
    return false;
  return SmallFrames::is_for_batch(context, *frame);
}
std::unique_ptr<ChunkStages> make_small_frame_chunks(Context& context, std::uint64_t job_bytes) {
  return std::make_unique<SmallFrames>(context, job_bytes);
}

}  // namespace penstock::stream
