// A piece (speculative_piece.hpp) of symbols with markers. Once the last 32 KiB of them have none,
// bytes follow.
#pragma once
#include "codec/deflate/format/markers.hpp"
#include "codec/deflate/host/speculative_piece.hpp"

namespace penstock::deflate {

class MarkerPiece final : public Piece {
 public:
  static std::size_t buffer_bytes(const PieceSizes& sizes) {
    return sizeof(std::uint16_t) * byte_buffer_bytes(sizes);
  }
  static std::size_t byte_buffer_bytes(const PieceSizes& sizes) {
    return window_bytes + sizes.piece + sizes.step + output_slack;
  }

  MarkerPiece(std::span<const std::byte> input, PieceResources& resources);
  ~MarkerPiece() override;
  Decoder::Stop step(std::uint64_t boundary_bit, std::uint64_t symbol_bit) override;
  bool has_capacity() const override { return symbol_count + byte_count < resources_.sizes.piece; }

  // What the 32 KiB in front of the piece's end are, from those in front of its begin; they may be
  // the same memory.
  void next_window(const std::uint8_t* window, std::uint8_t* next) const;

  // Symbols, and the bytes that follow them.
  Buffer symbols, bytes;  // each behind a window
  std::size_t symbol_count = 0, byte_count = 0;
  RunningChecksum byte_checksum;

 private:
  void clear() override;
  void begin_bytes();
  std::uint16_t* symbols_begin() {
    return reinterpret_cast<std::uint16_t*>(symbols.get()) + window_bytes;
  }
  std::uint8_t* bytes_begin() {
    return reinterpret_cast<std::uint8_t*>(bytes.get()) + window_bytes;
  }
  PieceResources& resources_;
};

}  // namespace penstock::deflate
