#include "video/device/frame_pieces.hpp"

#include <algorithm>

#include "video/sample_bits.hpp"

namespace penstock::video {
namespace {

// A 4K frame of 12 MB has enough pieces for several threads. A piece is still in the caches when it
// is uploaded or its samples are checked.
constexpr std::uint64_t piece_bytes = 1 << 20;

}  // namespace

FramePieces::FramePieces(const Picture& reference, const Picture& distorted,
                         const DeviceLayout& layout, std::byte* to)
    : format_(layout.format), reference_(reference.stored), distorted_(distorted.stored) {
  add(*reference_, layout, to);
  add(*distorted_, layout, to + layout.bytes);
}

void FramePieces::add(const StoredPlanes& stored, const DeviceLayout& layout, std::byte* to) {
  clear_padding(layout, to);
  std::uint64_t first_byte = 0;
  for (std::uint32_t plane = 0; plane < plane_count(layout.format); plane++) {
    const std::uint64_t bytes = layout.plane_bytes[plane];
    for (std::uint64_t done = 0; done < bytes; done += piece_bytes) {
      const std::size_t size = std::min(piece_bytes, bytes - done);
      pieces_.push_back({&stored, first_byte + done, {to + layout.first_byte[plane] + done, size}});
    }
    first_byte += bytes;
  }
}

Status FramePieces::read(std::uint64_t number) const {
  const Piece& piece = pieces_[number];
  PENSTOCK_TRY(piece.from->read(piece.first_byte, piece.to));
  return check_bits(bits_of_row(piece.to.data(), piece.to.size(), format_.bits), format_);
}

}  // namespace penstock::video
