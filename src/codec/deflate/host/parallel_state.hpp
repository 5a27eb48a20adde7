// The state that the threads of a ParallelInflate share: the sequential decoder and its output
// (parallel_inflate.cpp), and the segments that other threads decode (speculation.cpp).
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "base/thread_pool.hpp"
#include "codec/deflate/host/parallel_inflate.hpp"
#include "codec/deflate/host/sequential_decoder.hpp"

namespace penstock::deflate {

// A segment that is decoded speculatively. All but `segment` is accessed under the lock, or by one
// thread alone.
struct SpeculativeSegment {
  // The start of the search for its block; its actual or planned end.
  std::uint64_t from_bit = 0, end_bit = 0;
  std::optional<std::uint64_t> start_bit;  // once found
  // The block that it begins inside of; nothing if it begins with a block.
  std::optional<std::uint64_t> block_bit;
  bool is_done = false;
  std::atomic<bool> should_stop = false;
  std::unique_ptr<HostSegment> segment;
};
using SpeculativeSegmentPointer = std::shared_ptr<SpeculativeSegment>;
using OutputSlicePointer = std::shared_ptr<OutputSlice>;

struct ParallelInflate::State {
  State(std::span<const std::byte> bytes, const InflateOptions& given_options);
  ~State() { close(); }

  // Each of these is entered with the lock held, and releases it while it decodes.
  using Lock = std::unique_lock<std::mutex>;
  Result<std::span<const std::byte>> next();
  std::span<const std::byte> deliver();
  bool resolve_one(Lock& lock, std::size_t slices);
  void advance(Lock& lock);
  void decode_slice(Lock& lock);
  SpeculativeSegmentPointer pass(bool is_at_block);
  void adopt(Lock& lock, const SpeculativeSegmentPointer& speculative);
  struct Target {
    std::uint64_t boundary_bit, symbol_bit;
  };
  static Target target_of(const SpeculativeSegment* next, std::uint64_t otherwise);
  Target sequential_target() const;
  void keep_block();
  bool may_advance() const {
    return !sequential_is_taken && !is_finished && output.size() < 2 * thread_count + 2;
  }
  void begin_threads();
  void close();

  // speculation.cpp
  void work();
  SpeculativeSegmentPointer claim();
  void speculate(Lock& lock, const SpeculativeSegmentPointer& own);
  std::unique_ptr<HostSegment> make_segment();
  bool search(Lock& lock, const SpeculativeSegmentPointer& own);
  std::optional<std::uint64_t> search_block(const SpeculativeSegmentPointer& own);
  void decode_speculatively(Lock& lock, const SpeculativeSegmentPointer& own);
  std::uint64_t segment_input_bits() const;

  const std::span<const std::byte> input;
  const InflateOptions options;
  const std::size_t thread_count;
  const bool uses_tokens;
  SegmentResources resources;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<SpeculativeSegmentPointer> speculative;  // in stream order
  std::deque<OutputSlicePointer> output;  // in order; the first may be ready before later ones
  bool sequential_is_taken = false, is_finished = false, is_closing = false, may_speculate = true,
       is_idle = false;
  std::uint64_t claims = 0, searched_to_bit = 0;
  std::atomic<std::uint64_t> sequential_bit = 0;
  double bits_per_byte = 2;
  // The sequential decoder's part between segments, as a fraction of a segment. Adapted.
  double sequential_share = 0.5;
  // A decoder inside the current block, if the block is longer than a segment.
  std::shared_ptr<const Decoder> long_block;
  Status status;
  Segments segments;

  SequentialDecoder sequential;  // owned by the thread that has taken it
  OutputSlicePointer delivered;  // the last result of next()
  RunningChecksum checksum;
  std::vector<Task<void>> helpers;
};

}  // namespace penstock::deflate
