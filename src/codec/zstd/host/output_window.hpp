// The destination of a frame's output, and what its matches reach back to: a buffer of the caller's
// for all of it, or a ring of the window's size. In a ring, output continues at the beginning when
// the next block does not fit before the end. Matches then reach into the output before that end,
// just as they first reach into a dictionary.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"
#include "codec/zstd/host/hot_loops.hpp"

namespace penstock::zstd {

// The places of parts of the output in memory.
struct OutputSpans {
  const Byte* begin = nullptr;
  const Byte* before_end = nullptr;
  std::uint64_t segment_first = 0;  // the byte of the output at the memory's beginning
  // Returns bytes [from, to) of the output, as many as are contiguous. The ring must still have
  // them.
  std::span<const Byte> bytes(std::uint64_t from, std::uint64_t to) const;
};

class OutputWindow {
 public:
  // All of the output goes to `buffer`.
  OutputWindow(std::span<Byte> buffer, std::span<const Byte> dictionary);
  // A ring that keeps the last `kept_bytes` while blocks of up to `block_bytes` are written. Throws
  // std::bad_alloc.
  OutputWindow(std::uint64_t kept_bytes, std::uint32_t block_bytes,
               std::span<const Byte> dictionary);

  // Makes room for a block. Returns false if the caller's buffer has none.
  bool make_capacity(std::uint64_t bytes);
  Byte* at() const { return at_; }
  // Returns whether copy_slack_bytes may be written after a block.
  bool has_slack(std::uint64_t bytes) const {
    return static_cast<std::uint64_t>(end_ - at_) >= bytes + copy_slack_bytes;
  }
  MatchSource source() const { return source_; }
  void advance(std::uint64_t bytes) { at_ += bytes; }

  OutputSpans spans() const { return {source_.begin, source_.before_end, segment_first_}; }

 private:
  std::shared_ptr<Byte[]> ring_;  // null: the caller's
  Byte* at_ = nullptr;
  Byte* end_ = nullptr;
  MatchSource source_;
  std::uint64_t segment_first_ = 0;
};

}  // namespace penstock::zstd
