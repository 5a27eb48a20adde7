// The sequential decoder of a ParallelInflate, which continues after all finished output, and its
// output in slices.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>

#include "codec/deflate/host/marker_segment.hpp"
#include "codec/deflate/host/token_segment.hpp"

namespace penstock::deflate {

using Window = std::array<std::uint8_t, window_bytes>;

// A slice of output. That of a segment of marker symbols is made by resolve(), on any thread: its
// window is with it.
struct OutputSlice {
  enum class State : std::uint8_t { symbols, being_resolved, ready };

  OutputSlice(BufferPool& from, Buffer held, Checksum kind)
      : buffer(std::move(held)), checksum(kind), pool(from) {}
  ~OutputSlice() { pool.give(std::move(buffer)); }
  OutputSlice(const OutputSlice&) = delete;
  void resolve();
  std::uint8_t* begin() { return reinterpret_cast<std::uint8_t*>(buffer.get()) + offset; }
  std::span<const std::byte> bytes() { return {buffer.get() + offset, count}; }

  Buffer buffer;
  std::size_t offset = 0, count = 0;  // of bytes in the buffer; before resolve() of symbols
  State state = State::ready;
  std::unique_ptr<Window> window;  // of symbols
  RunningChecksum checksum;
  BufferPool& pool;
};

class SequentialDecoder {
 public:
  static std::size_t slice_buffer_bytes(const SegmentSizes& sizes) {
    return window_bytes + sizes.slice + std::max(output_slack, execute_slack);
  }

  SequentialDecoder(std::span<const std::byte> input, SegmentResources& resources);

  // Returns an empty slice for step(), after a copy of the window.
  std::shared_ptr<OutputSlice> begin_slice();
  // Decodes one more step into the slice, as Decoder::run() does. The matches of an adopted segment
  // are copied first.
  Decoder::Stop step(OutputSlice& slice, std::uint64_t boundary_bit, std::uint64_t symbol_bit);
  bool is_full(const OutputSlice& slice) const { return slice.count >= resources_.sizes.slice; }
  // Completes a slice: its last bytes become the window.
  void end_slice(OutputSlice& slice);

  // Continues after a segment that begins here. Needs a whole window. The output of a segment of
  // markers is appended to `output` at once.
  void adopt(std::unique_ptr<TokenSegment> segment);
  void adopt(MarkerSegment& segment, std::deque<std::shared_ptr<OutputSlice>>& output);

  bool has_whole_window() const { return produced_bytes_ >= window_bytes; }
  bool is_executing() const { return executing_ != nullptr; }
  std::uint64_t bit_position() const { return decoder_->bit_position(); }
  const Decoder& decoder() const { return *decoder_; }
  std::uint64_t bytes_used() const { return decoder_->bytes_used(); }
  // Includes the output of adopted tokens.
  std::uint64_t produced_bytes() const { return produced_bytes_; }
  Status error() const { return decoder_->error(blocks_before_); }

 private:
  void take_decoder(HostSegment& segment);
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<TokenSegment> executing_;
  std::uint64_t blocks_before_ = 0, produced_bytes_ = 0;
  Window window_;
  SegmentResources& resources_;
};

}  // namespace penstock::deflate
