// Framed Snappy: chunks of at most 64 KiB, several at once; by libsnappy, or what units.hpp says.
//
// https://github.com/google/snappy/blob/main/framing_format.txt
#include <snappy-c.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "codec/checksum/crc32c.hpp"
#include "stream/input/byte_reader.hpp"
#include "stream/pipeline/units.hpp"

namespace penstock::stream {
namespace {

using namespace std::string_view_literals;

enum ChunkKind : unsigned {
  compressed_chunk = 0,
  stored_chunk = 1,
  first_skippable_chunk = 0x80,
  stream_identifier = 0xff
};
constexpr std::size_t max_chunk_output_bytes = 65536;

// Rotated and shifted, so that the CRC of bytes that hold CRCs is a sound one.
std::uint32_t masked(std::uint32_t checksum) {
  return (checksum >> 15 | checksum << 17) + 0xa282ead8u;
}

class SnappyChunks : public UnitStages {
 public:
  SnappyChunks(Context& context, std::uint64_t piece_bytes)
      : context_(context), piece_bytes_(piece_bytes) {
    context_.member_count = 1;
  }

  Result<bool> take(Piece& piece) override {
    Input& input = context_.input;
    while (piece.capacity < piece_bytes_) {
      PENSTOCK_ASSIGN(auto bytes, input.peek(4));
      if (bytes.empty()) break;
      const Place place{Format::snappy, ++chunk_count_, input.offset()};
      if (bytes.size() < 4) return place.at(place.offset + bytes.size()).ended();
      ByteReader reader(bytes);
      const unsigned kind = reader.u8();
      const auto size = static_cast<std::size_t>(reader.number(3));
      if (chunk_count_ == 1 && kind != stream_identifier)
        return place.corrupt("the stream does not begin with its identifier");
      PENSTOCK_ASSIGN(bytes, input.peek(4 + size));
      if (bytes.size() < 4 + size) return place.at(place.offset + bytes.size()).ended();
      PENSTOCK_TRY(take_chunk(kind, bytes.subspan(4, size), place, piece));
      input.skip(4 + size);
    }
    return !piece.units.empty();
  }

  Status work(Piece& piece) override {
    std::byte* const memory = piece.reserve(piece.capacity);
    for (const Unit& unit : piece.units) {
      PENSTOCK_TRY(decode_chunk(unit, memory + piece.end));
      PENSTOCK_TRY(check_output(unit, {memory + piece.end, unit.output_bytes}, {}));
      piece.end += unit.output_bytes;
    }
    return {};
  }

  batch::Format chunk_format() const override { return batch::Format::snappy; }
  Status check_output(const Unit& unit, std::span<const std::byte> output,
                      batch::ChunkStatus) const override {
    const std::uint32_t found = masked(checksum::crc32c(output));
    const Place place{Format::snappy, unit.index, unit.offset - 4};
    return found == unit.checksum
               ? Status()
               : place.wrong_checksum("masked CRC-32C of the chunk", found, unit.checksum);
  }
  Status refuse(const Unit& unit, batch::ChunkStatus chunk_status) const override {
    return Place{Format::snappy, unit.index, unit.offset + chunk_status.offset}.corrupt(
        "the Snappy block that begins at byte " + std::to_string(unit.offset) +
        " is damaged: " + std::string(batch::message(chunk_status.error)));
  }

 private:
  Status take_chunk(unsigned kind, std::span<const std::byte> bytes, const Place& place,
                    Piece& piece) {
    if (kind == stream_identifier) {
      const bool is_right = bytes.size() == 6 && std::memcmp(bytes.data(), "sNaPpY", 6) == 0;
      return is_right ? Status() : place.corrupt("a stream identifier that is not 'sNaPpY'");
    }
    if (kind >= first_skippable_chunk) return {};
    if (kind > stored_chunk)
      return place.error(Code::unsupported, "a chunk of reserved type " + std::to_string(kind));
    if (bytes.size() < 4) return place.corrupt("a chunk without room for its checksum");
    const auto body = bytes.subspan(4);
    std::size_t output_bytes = body.size();
    if (kind == compressed_chunk &&
        snappy_uncompressed_length(reinterpret_cast<const char*>(body.data()), body.size(),
                                   &output_bytes) != SNAPPY_OK)
      return place.corrupt("the chunk's length is damaged");
    if (output_bytes > max_chunk_output_bytes) return place.corrupt("a chunk of more than 64 KiB");
    piece.units.push_back({.bytes = body,
                           .offset = place.offset + 8,
                           .index = place.index,
                           .output_bytes = output_bytes,
                           .checksum = ByteReader(bytes).u32(),
                           .is_stored = kind == stored_chunk,
                           .has_checksum = true});
    piece.keep(context_.input.owner());
    piece.capacity += std::max<std::uint64_t>(output_bytes, min_counted_bytes);
    return {};
  }

  static Status decode_chunk(const Unit& unit, std::byte* out) {
    const Place place{Format::snappy, unit.index, unit.offset};
    std::size_t made = unit.output_bytes;
    if (unit.is_stored) {
      if (made > 0) std::memcpy(out, unit.bytes.data(), made);
    } else if (snappy_uncompress(reinterpret_cast<const char*>(unit.bytes.data()),
                                 unit.bytes.size(), reinterpret_cast<char*>(out),
                                 &made) != SNAPPY_OK) {
      return place.corrupt("the Snappy block that begins here is damaged");
    }
    return {};
  }

  Context& context_;
  std::uint64_t piece_bytes_;
  std::uint64_t chunk_count_ = 0;
};

}  // namespace

std::unique_ptr<UnitStages> snappy_units(Context& context, std::uint64_t piece_bytes) {
  return std::make_unique<SnappyChunks>(context, piece_bytes);
}

Result<std::unique_ptr<Decoder>> make_snappy_chunks(Context& context) {
  return in_pipeline(context, snappy_units(context, host_piece_bytes));
}

}  // namespace penstock::stream
