// The decoder at the end of what is finished, and its output in segments.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "codec/deflate/host/marker_piece.hpp"
#include "codec/deflate/host/token_piece.hpp"

namespace penstock::deflate {

using Window = std::array<std::uint8_t, window_bytes>;

// A run of output. Of a piece's symbols it is made by resolve(), which any thread may do, as their
// window is with them.
struct Segment {
  enum class State : std::uint8_t { symbols, being_resolved, ready };

  Segment(BufferPool& from, Buffer held, Checksum kind)
      : buffer(std::move(held)), checksum(kind), pool(from) {}
  ~Segment() { pool.give(std::move(buffer)); }
  Segment(const Segment&) = delete;
  void resolve();
  std::uint8_t* begin() { return reinterpret_cast<std::uint8_t*>(buffer.get()) + offset; }
  std::span<const std::byte> bytes() { return {buffer.get() + offset, count}; }

  Buffer buffer;
  std::size_t offset = 0,
              count = 0;  // of bytes in the buffer; before resolve() `count` symbols are there
  State state = State::ready;
  std::unique_ptr<Window> window;  // of symbols
  RunningChecksum checksum;
  BufferPool& pool;
};

class Front {
 public:
  static std::size_t segment_buffer_bytes(const PieceSizes& sizes) {
    return window_bytes + sizes.segment + std::max(output_slack, execute_slack);
  }

  Front(std::span<const std::byte> input, PieceResources& resources);

  // An empty segment for step(), behind a copy of the window.
  std::shared_ptr<Segment> begin_segment();
  // Decodes one more step into the segment, as Decoder::run() does; of a piece that was adopted its
  // matches are copied first.
  Decoder::Stop step(Segment& segment, std::uint64_t boundary_bit, std::uint64_t symbol_bit);
  bool is_full(const Segment& segment) const { return segment.count >= resources_.sizes.segment; }
  // Nothing more goes into it: its last bytes become the window.
  void end_segment(Segment& segment);

  // Goes on behind a piece that begins here. Requirements a whole window. Of markers, the output
  // stands at the end of `output` at once.
  void adopt(std::unique_ptr<TokenPiece> piece);
  void adopt(MarkerPiece& piece, std::deque<std::shared_ptr<Segment>>& output);

  bool has_whole_window() const { return produced_bytes_ >= window_bytes; }
  bool is_executing() const { return executing_ != nullptr; }
  std::uint64_t bit_position() const { return decoder_->bit_position(); }
  const Decoder& decoder() const { return *decoder_; }
  std::uint64_t bytes_used() const { return decoder_->bytes_used(); }
  std::uint64_t produced_bytes() const {
    return produced_bytes_;
  }  // those that adopted tokens become among them
  Status error() const { return decoder_->error(blocks_before_); }

 private:
  void take_decoder(Piece& piece);
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<TokenPiece> executing_;
  std::uint64_t blocks_before_ = 0, produced_bytes_ = 0;
  Window window_;
  PieceResources& resources_;
};

}  // namespace penstock::deflate
