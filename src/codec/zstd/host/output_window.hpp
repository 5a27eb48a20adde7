// Where a frame's bytes are written, and what its matches reach back to: a buffer that the caller
// gave for all of it, or a ring of the window's size. In a ring, bytes continue at its beginning
// when the next block has no place before its end; matches then reach into what stands before that
// end, as at first they reach into a dictionary.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "codec/zstd/format/zstd_constants.hpp"
#include "codec/zstd/host/hot_loops.hpp"

namespace penstock::zstd {

// Where bytes of the output stand at some time.
struct OutputPlaces {
  const Byte* begin = nullptr;
  const Byte* before_end = nullptr;
  std::uint64_t segment_first = 0;  // which byte of the output stands at the memory's beginning
  // Bytes [from, to) of the output, as many as stand together; the ring still has them.
  std::span<const Byte> bytes(std::uint64_t from, std::uint64_t to) const;
};

class OutputWindow {
 public:
  // All of the output goes to `buffer`.
  OutputWindow(std::span<Byte> buffer, std::span<const Byte> dictionary);
  // A ring in which the last `kept_bytes` stay as they are while blocks of up to `block_bytes` are
  // written. Throws std::bad_alloc.
  OutputWindow(std::uint64_t kept_bytes, std::uint32_t block_bytes,
               std::span<const Byte> dictionary);

  // Finds the place of a block. False where the caller's buffer has none.
  bool make_capacity(std::uint64_t bytes);
  Byte* at() const { return at_; }
  // Whether copy_slack_bytes may be written behind a block.
  bool has_slack(std::uint64_t bytes) const {
    return static_cast<std::uint64_t>(end_ - at_) >= bytes + copy_slack_bytes;
  }
  MatchSource source() const { return source_; }
  void advance(std::uint64_t bytes) { at_ += bytes; }

  OutputPlaces places() const { return {source_.begin, source_.before_end, segment_first_}; }

 private:
  std::shared_ptr<Byte[]> ring_;  // null: the caller's
  Byte* at_ = nullptr;
  Byte* end_ = nullptr;
  MatchSource source_;
  std::uint64_t segment_first_ = 0;
};

}  // namespace penstock::zstd
