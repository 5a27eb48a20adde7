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
constexpr std::uint64_t most_lone_text_bytes = 128 << 10, most_frame_bytes = 1 << 20;
constexpr std::uint32_t least_company = most_frame_bytes / most_lone_text_bytes;

struct SmallFrame {
  ZstdFrameHeader header;
  ZstdExtent extent;
  std::uint64_t room;
};

// The one at the input's position, behind skippable ones. None where the input ends, and where a
// frame is not small.
Result<std::optional<SmallFrame>> next_small_frame(Input& input, std::uint64_t frame) {
  PENSTOCK_ASSIGN(const auto header, next_zstd_frame(input, frame));
  if (!header || header->dictionary_id != 0) return std::optional<SmallFrame>();
  PENSTOCK_ASSIGN(const auto extent, measure_zstd_frame(input, *header, most_frame_bytes,
                                                        {Format::zstd, frame, input.offset()}));
  if (!extent) return std::optional<SmallFrame>();
  // A batch has to be told of room: a frame of no text has a byte of it.
  const std::uint64_t room =
      std::max<std::uint64_t>(std::min(extent->most_output_bytes, extent->most_blocks_bytes), 1);
  return std::optional(SmallFrame{*header, *extent, room});
}

// Whether least_company small frames stand at the position of a mapped input, whatever is behind
// them.
Result<bool> is_in_company(Input& input) {
  PENSTOCK_ASSIGN(const auto rest, input.peek(1));
  PENSTOCK_ASSIGN(const auto ahead, Input::open(Source::memory(rest)));
  for (std::uint32_t i = 0; i < least_company; i++) {
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
  chunks::Format chunk_format() const override { return chunks::Format::zstd; }
  bool reads_texts() const override { return false; }
  // In the words of the host's decoder, which names block and byte.
  Status refuse(const Unit& unit, chunks::Verdict verdict) const override {
    const Place place{Format::zstd, unit.index, unit.offset};
    std::vector<std::byte> text(unit.output_bytes);
    const auto made = zstd::decode_frame(
        unit.bytes, text, {.threads = 1, .window_limit_bytes = most_zstd_window_bytes});
    if (made.status().code() == Code::no_memory) return made.status();
    const Code code = made.status().code() == Code::truncated ? Code::truncated : Code::corrupt;
    const std::string found = made.ok() ? "at its byte " + std::to_string(verdict.offset) + ": " +
                                              std::string(words_of(verdict.fault))
                                        : made.status().message();
    return place.error(code, "in the frame that begins here: " + found);
  }

  static Result<bool> is_for_batch(Context& context, const SmallFrame& frame) {
    if (frame.room <= most_lone_text_bytes) return true;
    return is_in_company(context.input);
  }

 private:
  Status take_frames(Piece& piece) {
    std::uint64_t most_text = least_counted_bytes, input_bytes = 0;
    while (input_bytes < piece_bytes_) {
      PENSTOCK_ASSIGN(const auto frame,
                      next_small_frame(context_.input, context_.member_count + 1));
      if (!frame) return {};
      // A batch has the scratch memory of as many of its longest frame.
      most_text = std::max(most_text, frame->room);
      if (!piece.units.empty() && (piece.units.size() + 1) * most_text > piece_bytes_) return {};
      PENSTOCK_ASSIGN(const bool fits, is_for_batch(*frame, piece.units.size()));
      if (!fits) return {};
      PENSTOCK_TRY(add(*frame, piece));
      input_bytes += frame->extent.frame_bytes;
    }
    return {};
  }
  Result<bool> is_for_batch(const SmallFrame& frame, std::size_t taken) {
    if (taken >= least_company) return true;
    return is_for_batch(context_, frame);
  }
  Status add(const SmallFrame& frame, Piece& piece) {
    const std::uint64_t bytes = frame.extent.frame_bytes;
    PENSTOCK_ASSIGN(const auto there, context_.input.peek(bytes));
    piece.units.push_back({.bytes = there.first(bytes),
                           .offset = context_.input.offset(),
                           .index = ++context_.member_count,
                           .output_bytes = frame.room});
    piece.room += frame.room;
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
  if (!frame || chunks::Decoder::variants(chunks::Format::zstd, context.device->device()->traits(),
                                          {frame->room})
                    .empty())
    return false;
  return SmallFrames::is_for_batch(context, *frame);
}
std::unique_ptr<UnitStages> zstd_units(Context& context, std::uint64_t piece_bytes) {
  return std::make_unique<SmallFrames>(context, piece_bytes);
}

}  // namespace penstock::stream
