// A segment of a Deflate stream that is decoded before the output before it is known: from a block
// that was found, with an unknown window. There are two representations of matches:
//
// - tokens: only the Huffman codes are decoded, to literals and match tokens. The thread that knows
//   the window copies. This is the least work in all, but one thread makes all copies in order.
// - marker symbols (pugz, rapidgzip): 16-bit symbols that are copied like bytes and may stand for a
//   byte of the window. This is more work, but only the 32 KiB window per segment is sequential, so
//   any number of threads helps.
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

// Reuses buffers of one size: touching fresh pages costs as much as decoding into them.
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

// The division of output, in bytes (or in symbols that become bytes).
struct SegmentSizes {
  std::size_t segment;  // the limit of a segment, plus a step
  std::size_t slice;    // of the sequential decoder's output
  std::size_t step;     // between checks for other threads' requests
};

// Shared by the segments and slices of a stream.
struct SegmentResources {
  SegmentSizes sizes;
  Checksum checksum;
  StepReads reads;
  BufferPool speculative;  // for a segment's output
  BufferPool bytes;
};

class HostSegment {
 public:
  HostSegment(std::span<const std::byte> input, const StepReads& reads)
      : input_(input), reads_(reads) {}
  virtual ~HostSegment() = default;
  HostSegment(const HostSegment&) = delete;

  // Decodes the first step from a bit where a block may begin. Returns false if none does.
  bool try_start(std::uint64_t bit);
  // Does the same inside the block that `block` is in, from any bit of it. The first step is
  // decoded and dropped, after which the decoder is most likely at real code boundaries: Huffman
  // codes are self-synchronising (Ferguson and Rabinowitz, 1984).
  bool try_inside(const Decoder& block, std::uint64_t bit);
  // Decodes one more step, until a block begins at or after `boundary_bit`, or a symbol at or after
  // `symbol_bit`. Stop::output_full is the step's end. Stop::error also where the input cannot be
  // read.
  Decoder::Stop step(std::uint64_t boundary_bit, std::uint64_t symbol_bit);
  virtual bool has_capacity() const = 0;

  std::unique_ptr<Decoder> decoder;
  Decoder::Stop last_stop = Decoder::Stop::output_full;

 private:
  virtual void clear() = 0;
  virtual Decoder::Stop decode(std::uint64_t boundary_bit, std::uint64_t symbol_bit) = 0;
  std::span<const std::byte> input_;
  StepReads reads_;
};

}  // namespace penstock::deflate
