// Small Zstandard frames as units, of which a device decodes thousands at once. One after another
// (zstd_device.cpp) each costs a dozen launches and two waits, whatever it has; a batch takes an
// item for a frame's sequences, so that it is for frames of few blocks.
#include <algorithm>

#include "codec/zstd/host/frame_decoder.hpp"
#include "stream/device/device_batch.hpp"
#include "stream/zstd/zstd_format.hpp"

namespace penstock::stream {
namespace {

// Before and after. A frame of one block has no more at once by itself than in a batch; one of
// several is decoded sooner by its blocks, unless as many frames are there as it has blocks.
constexpr std::uint64_t max_lone_output_bytes = 128 << 10, max_frame_bytes = 1 << 20;
constexpr std::uint32_t min_company = max_frame_bytes / max_lone_output_bytes;

struct SmallFrame {
  ZstdFrameHeader header;
  ZstdExtent extent;
  std::uint64_t capacity;
};

// The one at the input's position, behind skippable ones. None where the input ends, and where a
// frame is not small.
Result<std::optional<SmallFrame>> next_small_frame(Input& input, std::uint64_t frame) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(input, frame));
  if (!header || header->dictionary_id != 0) return std::optional<SmallFrame>();
  PENSTOCK_ASSIGN(const auto extent, measure_zstd_frame(input, *header, max_frame_bytes,
                                                        {Format::zstd, frame, input.offset()}));
  if (!extent) return std::optional<SmallFrame>();
  // A batch has to be told of room: a frame of no text has a byte of it.
  const std::uint64_t capacity = std::max<std::uint64_t>(
      std::min(extent->remaining_output_bytes, extent->max_blocks_bytes), 1);
  return std::optional(SmallFrame{*header, *extent, capacity});
}

// Whether min_company small frames stand at the position of a mapped input, whatever is behind
// them.
Result<bool> is_in_company(Input& input) {
  PENSTOCK_ASSIGN(const auto rest, input.peek(1));
  PENSTOCK_ASSIGN(const auto ahead, Input::open(Source::memory(rest)));
  for (std::uint32_t i = 0; i < min_company; i++) {
    const auto frame = next_small_frame(*ahead, i + 1);
    if (!frame.ok() || !*frame) return false;
    ahead->skip((*frame)->extent.frame_bytes);
  }
  return true;
}

class SmallFrames final : public UnitStages {
 public:
  SmallFrames(Context& context, std::uint64_t piece_bytes)
      : context_(context), piece_bytes_(piece_bytes) {}

  // Frames before one that is not sound are a piece by themselves: they have the first word.
  Result<bool> take(Piece& piece) override {
    PENSTOCK_TRY(failed_);
    failed_ = take_frames(piece);
    if (piece.units.empty()) PENSTOCK_TRY(failed_);
    return !piece.units.empty();
  }

  // Frames with their checksums, which devices verify.
  batch::Format chunk_format() const override { return batch::Format::zstd; }
  bool reads_outputs() const override { return false; }
  // In the words of the host's decoder, which names block and byte.
  Status refuse(const Unit& unit, batch::ChunkStatus chunk_status) const override {
    const Place place{Format::zstd, unit.index, unit.offset};
    std::vector<std::byte> output(unit.output_bytes);
    const auto made = zstd::decode_frame(
        unit.bytes, output, {.threads = 1, .window_limit_bytes = max_zstd_window_bytes});
    if (made.status().code() == Code::no_memory) return made.status();
    const Code code = made.status().code() == Code::truncated ? Code::truncated : Code::corrupt;
    const std::string found = made.ok() ? "at its byte " + std::to_string(chunk_status.offset) +
                                              ": " + std::string(batch::message(chunk_status.error))
                                        : made.status().message();
    return place.error(code, "in the frame that begins here: " + found);
  }

  static Result<bool> is_for_batch(Context& context, const SmallFrame& frame) {
    if (frame.capacity <= max_lone_output_bytes) return true;
    return is_in_company(context.input);
  }

 private:
  Status take_frames(Piece& piece) {
    std::uint64_t max_output = min_counted_bytes, input_bytes = 0;
    while (input_bytes < piece_bytes_) {
      PENSTOCK_ASSIGN(const auto frame,
                      next_small_frame(context_.input, context_.member_count + 1));
      if (!frame) return {};
      // A batch has the scratch memory of as many of its longest frame.
      max_output = std::max(max_output, frame->capacity);
      if (!piece.units.empty() && (piece.units.size() + 1) * max_output > piece_bytes_) return {};
      PENSTOCK_ASSIGN(const bool fits, is_for_batch(*frame, piece.units.size()));
      if (!fits) return {};
      PENSTOCK_TRY(add(*frame, piece));
      input_bytes += frame->extent.frame_bytes;
    }
    return {};
  }
  Result<bool> is_for_batch(const SmallFrame& frame, std::size_t taken) {
    if (taken >= min_company) return true;
    return is_for_batch(context_, frame);
  }
  Status add(const SmallFrame& frame, Piece& piece) {
    const std::uint64_t bytes = frame.extent.frame_bytes;
    PENSTOCK_ASSIGN(const auto there, context_.input.peek(bytes));
    piece.units.push_back({.bytes = there.first(bytes),
                           .offset = context_.input.offset(),
                           .index = ++context_.member_count,
                           .output_bytes = frame.capacity});
    piece.capacity += frame.capacity;
    piece.keep(context_.input.owner());
    context_.unchecked_member_count += !frame.header.has_checksum;
    context_.input.skip(bytes);
    return {};
  }

  Context& context_;
  std::uint64_t piece_bytes_;
  Status failed_;  // what the next piece would begin with; an input is not asked twice, as it is
                   // behind what it has skipped
};

}  // namespace

// Text that stays on a device is made frame by frame, each in its place.
Result<bool> fits_zstd_frames_device(Context& context) {
  if (!context.input.is_mapped() || !context.options.dictionary.empty() || context.stays_on_device)
    return false;
  PENSTOCK_ASSIGN(const auto frame, next_small_frame(context.input, context.member_count + 1));
  if (!frame || batch::Decoder::variants(batch::Format::zstd, context.device->device()->traits(),
                                         {frame->capacity})
                    .empty())
    return false;
  return SmallFrames::is_for_batch(context, *frame);
}
std::unique_ptr<UnitStages> zstd_units(Context& context, std::uint64_t piece_bytes) {
  return std::make_unique<SmallFrames>(context, piece_bytes);
}

}  // namespace penstock::stream
