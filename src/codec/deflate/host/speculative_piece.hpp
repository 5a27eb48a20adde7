// A part of a Deflate stream that is decoded before what stands in front of it: from a block that
// was found, with a window that is not known. Two ways to leave open what a match reaches into:
//
// - tokens: only the Huffman codes are decoded, to literals and tokens of matches; who knows the
// window copies. The least work in all, but
//   all copies are made by the one thread that finishes pieces in order.
// - markers: symbols of 16 bits, copied as bytes are, that may stand for a byte of the window. More
// work, of which what is left in order
//   is the 32 KiB of a window a piece: any number of threads pays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "codec/deflate/format/inflate_decoder.hpp"
#include "codec/deflate/host/running_checksum.hpp"

namespace penstock::deflate {

using Buffer = std::shared_ptr<std::byte[]>;

// Buffers of one size, used again: fresh pages cost as much as decoding into them.
class BufferPool {
 public:
  explicit BufferPool(std::size_t buffer_bytes) : buffer_bytes_(buffer_bytes) {}
  Buffer take();
  void give(Buffer buffer);

 private:
  const std::size_t buffer_bytes_;
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

// How output is divided, in bytes (or symbols, before they are bytes).
struct PieceSizes {
  std::size_t piece;    // of a piece at most, and a step more
  std::size_t segment;  // of the front's output at a time
  std::size_t step;     // between two looks at what other threads want
};

// What a stream's pieces and segments share.
struct PieceResources {
  PieceSizes sizes;
  Checksum checksum;
  BufferPool ahead;  // of what a piece is decoded to
  BufferPool bytes;
};

class Piece {
 public:
  explicit Piece(std::span<const std::byte> input) : input_(input) {}
  virtual ~Piece() = default;
  Piece(const Piece&) = delete;

  // Decodes the first step from a place where a block may begin. False says that none does.
  bool try_start(std::uint64_t bit);
  // The same inside of the block that `block` is in, from any bit of it: a step is decoded and
  // dropped, behind which it is most likely at the stream's own symbols, as Huffman codes that
  // begin wrongly come to be in step with themselves (Ferguson and Rabinowitz, 1984).
  bool try_inside(const Decoder& block, std::uint64_t bit);
  // Decodes one more step, until a block begins at or behind `boundary_bit`, or a symbol at or
  // behind `symbol_bit`. Stop::output_full is the step's end.
  virtual Decoder::Stop step(std::uint64_t boundary_bit, std::uint64_t symbol_bit) = 0;
  virtual bool has_capacity() const = 0;

  std::unique_ptr<Decoder> decoder;
  Decoder::Stop last_stop = Decoder::Stop::output_full;

 private:
  virtual void clear() = 0;
  std::span<const std::byte> input_;
};

}  // namespace penstock::deflate
