// LZ4 frames: independent blocks several at once, linked ones in order; by liblz4, or what
// units.hpp says.
#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/checksum/xxhash.hpp"
#include "stream/device/device_batch.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/input/skippable_frame.hpp"
#include "stream/lz4/lz4_format.hpp"
#include "stream/methods.hpp"
#include "stream/pipeline/units.hpp"

namespace penstock::stream {
namespace {

constexpr std::size_t window_bytes = 64 << 10;  // how far a match reaches back

Status check_block(const Unit& unit) {
  if (!unit.has_checksum) return {};
  const std::uint32_t found = checksum::xxh32(unit.bytes);
  const Place place{Format::lz4, unit.index, unit.offset + unit.bytes.size()};
  return found == unit.checksum
             ? Status()
             : place.wrong_checksum("checksum of the block", found, unit.checksum);
}

// `out` has room for max_bytes; the window lies before it, or in `dictionary`.
Status decode_block(const Unit& unit, std::byte* out, std::uint64_t max_bytes,
                    std::span<const std::byte> dictionary, std::size_t& made) {
  const Place place{Format::lz4, unit.index, unit.offset};
  PENSTOCK_TRY(check_block(unit));
  made = unit.bytes.size();
  if (unit.is_stored) return std::memcpy(out, unit.bytes.data(), made), Status();
  const int bytes = LZ4_decompress_safe_usingDict(
      reinterpret_cast<const char*>(unit.bytes.data()), reinterpret_cast<char*>(out),
      static_cast<int>(made), static_cast<int>(max_bytes),
      reinterpret_cast<const char*>(dictionary.data()), static_cast<int>(dictionary.size()));
  if (bytes < 0) return place.corrupt("the block that begins here is damaged");
  made = static_cast<std::size_t>(bytes);
  return {};
}

class Lz4Blocks : public UnitStages {
 public:
  // Linked blocks are decoded when they are found, unless they are units for others.
  Lz4Blocks(Context& context, bool is_linked, bool is_for_others, std::uint64_t piece_bytes)
      : context_(context),
        is_linked_(is_linked),
        is_decoded_at_once_(is_linked && !is_for_others),
        piece_bytes_(piece_bytes),
        dictionary_(context.options.dictionary.last(
            std::min(context.options.dictionary.size(), window_bytes))) {}

  // Blocks before one that is not there as its frame says are a piece by themselves: they have the
  // first word.
  Result<bool> take(Piece& piece) override {
    PENSTOCK_TRY(failed_);
    if (!is_inside_) {
      PENSTOCK_ASSIGN(is_inside_, begin_frame(piece));
      if (!is_inside_) return false;
    }
    piece.frame.is_summed = header_.has_content_checksum;
    if (is_decoded_at_once_) begin_linked(piece);
    failed_ = take_blocks(piece);
    if (is_decoded_at_once_) {
      PENSTOCK_TRY(failed_);
      end_linked(piece);
      return true;
    }
    const bool has_some = !piece.units.empty() || !piece.frames_before.empty() || piece.frame.ends;
    if (!has_some) PENSTOCK_TRY(failed_);
    return true;
  }

  Status work(Piece& piece) override {
    if (is_decoded_at_once_) return {};
    std::byte* const memory = piece.reserve(piece.capacity);
    for (std::size_t i = 0; i < piece.units.size(); i++) {
      std::size_t made = 0;
      Unit& unit = piece.units[i];
      if (Status decoded =
              decode_block(unit, memory + piece.end, unit.output_bytes, dictionary_, made);
          !decoded.ok())
        return piece.end_before(i, std::move(decoded));
      piece.end += made, unit.output_bytes = made;
    }
    return {};
  }

  Status join(Piece& piece) override {
    auto text = piece.output();
    std::size_t unit = 0;
    for (const FrameEdges& frame : piece.frames_before) {
      std::uint64_t bytes = 0;
      if (frame.unit_end > piece.units.size()) return piece.error;
      for (; unit < frame.unit_end; unit++) bytes += piece.units[unit].output_bytes;
      PENSTOCK_TRY(join(frame, text.first(bytes)));
      text = text.subspan(bytes);
    }
    PENSTOCK_TRY(piece.error);
    return join(piece.frame, text);
  }

  batch::Format chunk_format() const override { return batch::Format::lz4; }
  bool is_linked() const override { return is_linked_; }
  Status check_input(const Unit& unit) const override { return check_block(unit); }
  Status refuse(const Unit& unit, batch::ChunkStatus chunk_status) const override {
    return Place{Format::lz4, unit.index, unit.offset + chunk_status.offset}.corrupt(
        "the block that begins at byte " + std::to_string(unit.offset) +
        " is damaged: " + std::string(batch::message(chunk_status.error)));
  }

 private:
  Status join(const FrameEdges& frame, std::span<const std::byte> text) {
    if (frame.begins) content_ = checksum::Xxh32(), content_bytes_ = 0;
    if (frame.is_summed) content_.update(text);
    content_bytes_ += text.size();
    if (!frame.ends) return {};
    const Place place{Format::lz4, frame.index, frame.offset};
    if (frame.content_bytes && *frame.content_bytes != content_bytes_)
      return place.corrupt("the content has " + std::to_string(content_bytes_) +
                           " bytes, and the header says " + std::to_string(*frame.content_bytes));
    if (frame.is_summed && content_.digest() != frame.checksum)
      return place.wrong_checksum("checksum of the content", content_.digest(), frame.checksum);
    return {};
  }

  Status take_blocks(Piece& piece) {
    max_capacity_ = min_counted_bytes;
    for (bool goes_on = true; goes_on;) {
      while (is_inside_) {
        PENSTOCK_ASSIGN(const bool has_place, this->has_place(piece));
        if (!has_place) return {};
        PENSTOCK_ASSIGN(auto unit, take_block(piece));
        if (!unit) break;
        if (is_decoded_at_once_)
          PENSTOCK_TRY(decode_linked(*unit, piece));
        else
          piece.units.push_back(*unit);
        piece.keep(context_.input.owner());
        piece.capacity += unit->output_bytes;
      }
      PENSTOCK_ASSIGN(goes_on, begins_another_frame(piece));
    }
    return {};
  }
  // For the next block. A device's batch may have the memory of as many of its largest one.
  Result<bool> has_place(const Piece& piece) {
    if (is_decoded_at_once_) return piece.capacity < piece_bytes_;
    PENSTOCK_ASSIGN(const auto bytes, context_.input.peek(4));
    if (bytes.size() >= 4)
      max_capacity_ = std::max(max_capacity_, capacity_of(ByteReader(bytes).u32() &
                                                          (header_.is_legacy ? ~0u : ~stored_bit)));
    return piece.units.empty() || (piece.units.size() + 1) * max_capacity_ <= piece_bytes_;
  }
  // A byte becomes 255 at most; linked blocks have no gaps between their rooms, whatever these are.
  std::uint64_t capacity_of(std::uint32_t size) const {
    return is_linked_ ? header_.block_bytes
                      : std::min<std::uint64_t>(header_.block_bytes, std::uint64_t{255} * size);
  }
  // Behind the end of a frame; small ones, of which there may be thousands, share pieces.
  Result<bool> begins_another_frame(Piece& piece) {
    constexpr std::size_t max_frames = 1 << 16;
    if (is_linked_ || piece.frames_before.size() == max_frames) return false;
    FrameEdges before = std::exchange(piece.frame, {});
    before.unit_end = piece.units.size();
    const auto begun = begin_frame(piece);
    is_inside_ = begun.ok() && *begun;
    if (!is_inside_) {
      piece.frame = before;
      return begun;
    }
    piece.frame.is_summed = header_.has_content_checksum;
    piece.frames_before.push_back(before);
    return true;
  }

  // False where the input ends, or a frame follows that another way takes.
  Result<bool> begin_frame(Piece& piece) {
    PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context_.input, context_.member_count + 1));
    if (!header || header->is_linked != is_linked_) return false;
    header_ = *header;
    const Place place{Format::lz4, ++context_.member_count, context_.input.offset()};
    if (header_.dictionary_id && dictionary_.empty())
      return place.error(
          Code::invalid,
          "it needs dictionary " + std::to_string(*header_.dictionary_id) + ", and none was given");
    context_.unchecked_member_count +=
        !header_.has_content_checksum && !header_.has_block_checksums;
    context_.input.skip(header_.header_bytes);
    has_block_ = false;
    piece.frame.begins = true;
    return true;
  }

  // The next block; none where the frame ended.
  Result<std::optional<Unit>> take_block(Piece& piece) {
    Input& input = context_.input;
    const Place place{Format::lz4, context_.member_count, input.offset()};
    PENSTOCK_ASSIGN(auto bytes, input.peek(4));
    if (header_.is_legacy && bytes.empty()) return end_frame(piece, 0);
    if (bytes.size() < 4) return place.at(place.offset + bytes.size()).ended();
    const std::uint32_t word = ByteReader(bytes).u32(),
                        size = header_.is_legacy ? word : word & ~stored_bit;
    if (header_.is_legacy && size > max_lz4_block_bytes(legacy_block_bytes))
      return end_frame(piece, 0);
    if (!header_.is_legacy && word == 0) return end_frame(piece, 4);
    if (!header_.is_legacy && size > header_.block_bytes)
      return place.corrupt("a block of " + std::to_string(size) + " bytes, more than the frame's " +
                           std::to_string(header_.block_bytes));
    const std::size_t checksum_bytes = header_.has_block_checksums ? 4 : 0,
                      end = std::size_t{4} + size;
    PENSTOCK_ASSIGN(bytes, input.peek(end + checksum_bytes));
    if (bytes.size() < end + checksum_bytes) return place.at(place.offset + bytes.size()).ended();
    input.skip(end + checksum_bytes);
    return std::optional(
        Unit{.bytes = bytes.subspan(4, size),
             .offset = place.offset + 4,
             .index = place.index,
             .output_bytes = capacity_of(size),
             .checksum = checksum_bytes > 0 ? ByteReader(bytes.subspan(end)).u32() : 0,
             .is_stored = !header_.is_legacy && (word & stored_bit),
             .has_checksum = checksum_bytes > 0,
             .is_linked = is_linked_,
             .begins_stream = !std::exchange(has_block_, true)});
  }

  Result<std::optional<Unit>> end_frame(Piece& piece, std::size_t mark_bytes) {
    Input& input = context_.input;
    const Place place{Format::lz4, context_.member_count, input.offset()};
    const std::size_t end = mark_bytes + (header_.has_content_checksum ? 4 : 0);
    PENSTOCK_ASSIGN(const auto bytes, input.peek(end));
    if (bytes.size() < end) return place.at(place.offset + bytes.size()).ended();
    piece.frame.ends = true;
    piece.frame.checksum =
        header_.has_content_checksum ? ByteReader(bytes.subspan(mark_bytes)).u32() : 0;
    piece.frame.content_bytes = header_.content_bytes;
    piece.frame.index = place.index, piece.frame.offset = place.offset + mark_bytes;
    input.skip(end);
    is_inside_ = false;
    return std::optional<Unit>();
  }

  // A linked block's window lies before it: the piece's memory begins with what came before the
  // piece.
  void begin_linked(Piece& piece) {
    std::byte* const memory = piece.reserve(window_bytes + piece_bytes_ + header_.block_bytes);
    if (piece.frame.begins) {
      window_.fill({});
      if (!dictionary_.empty())
        std::memcpy(window_.data() + window_bytes - dictionary_.size(), dictionary_.data(),
                    dictionary_.size());
      window_end_ = dictionary_.size();
    }
    std::memcpy(memory, window_.data(), window_bytes);
    piece.begin = piece.end = window_bytes;
  }

  Status decode_linked(Unit& unit, Piece& piece) {
    std::byte* const out = piece.memory.data() + piece.end;
    const std::size_t before = std::min(window_bytes, window_end_ + (piece.end - piece.begin));
    PENSTOCK_TRY(
        decode_block(unit, out, header_.block_bytes, {out - before, before}, unit.output_bytes));
    piece.end += unit.output_bytes;
    return {};
  }

  void end_linked(const Piece& piece) {
    window_end_ = std::min(window_bytes, window_end_ + (piece.end - piece.begin));
    std::memcpy(window_.data(), piece.memory.data() + piece.end - window_bytes, window_bytes);
  }

  Context& context_;
  bool is_linked_, is_decoded_at_once_, is_inside_ = false, has_block_ = false;
  std::uint64_t piece_bytes_, max_capacity_ = 0;  // of the piece's blocks
  Status failed_;                                 // what the next piece would begin with
  Lz4FrameHeader header_;
  std::span<const std::byte> dictionary_;
  std::array<std::byte, window_bytes>
      window_{};  // linked: the last bytes, of which window_end_ count
  std::size_t window_end_ = 0;
  checksum::Xxh32 content_;  // join()'s
  std::uint64_t content_bytes_ = 0;
};

}  // namespace

std::unique_ptr<UnitStages> lz4_units(Context& context, std::uint64_t piece_bytes) {
  return std::make_unique<Lz4Blocks>(context, false, true, piece_bytes);
}
std::unique_ptr<UnitStages> lz4_linked_units(Context& context, std::uint64_t piece_bytes) {
  return std::make_unique<Lz4Blocks>(context, true, true, piece_bytes);
}

Result<bool> fits_lz4_blocks(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.member_count + 1));
  return !header || !header->is_linked;
}
Result<std::unique_ptr<Decoder>> make_lz4_blocks(Context& context) {
  return in_pipeline(context, lz4_units(context, host_piece_bytes));
}
Result<std::unique_ptr<Decoder>> make_lz4_linked(Context& context) {
  return in_pipeline(context, std::make_unique<Lz4Blocks>(context, true, false, host_piece_bytes),
                     true);
}

Result<bool> fits_lz4_device(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.member_count + 1));
  return !header || (!header->is_linked && context.options.dictionary.empty());
}

Result<bool> fits_lz4_linked_device(Context& context) {
  PENSTOCK_ASSIGN(const auto header, next_lz4_frame(context.input, context.member_count + 1));
  const Traits& traits = context.device->device()->traits();
  return header && header->is_linked && context.options.dictionary.empty() &&
         !batch::Decoder::variants(batch::Format::lz4, traits, {header->block_bytes, true}).empty();
}

}  // namespace penstock::stream
