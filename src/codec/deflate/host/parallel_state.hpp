// What the threads of a ParallelInflate share: the front and what it has finished
// (parallel_inflate.cpp), and the pieces that others decode ahead of it (decode_ahead.cpp).
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "codec/deflate/host/parallel_inflate.hpp"
#include "codec/deflate/host/sequential_decoder.hpp"

namespace penstock::deflate {

// A piece as threads see it; all but `piece` is read and written under the lock, or alone.
struct Ahead {
  std::uint64_t from_bit = 0,
                end_bit = 0;  // where its block is looked for; where it ends or means to
  std::optional<std::uint64_t> start_bit;  // once found
  std::optional<std::uint64_t>
      block_bit;  // of the block inside of which it begins; none where it begins a block
  bool is_done = false;
  std::atomic<bool> should_stop = false;
  std::unique_ptr<Piece> piece;
};
using AheadPointer = std::shared_ptr<Ahead>;
using SegmentPointer = std::shared_ptr<Segment>;

struct ParallelInflate::State {
  State(std::span<const std::byte> bytes, const InflateOptions& asked);
  ~State() { close(); }

  // Each of these is entered with the lock held, and gives it up while it decodes.
  using Lock = std::unique_lock<std::mutex>;
  Result<std::span<const std::byte>> next();
  std::span<const std::byte> deliver();
  bool resolve_one(Lock& lock, std::size_t segments);
  void advance(Lock& lock);
  void decode_segment(Lock& lock);
  AheadPointer pass(bool is_at_block);
  void adopt(Lock& lock, const AheadPointer& ahead);
  struct Target {
    std::uint64_t boundary_bit, symbol_bit;
  };
  static Target target_of(const Ahead* next, std::uint64_t otherwise);
  Target front_target() const;
  void keep_block();
  bool may_advance() const {
    return !front_is_taken && !is_finished && output.size() < 2 * thread_count + 2;
  }
  void begin_threads();
  void close();

  // decode_ahead.cpp
  void work();
  AheadPointer claim();
  void speculate(Lock& lock, const AheadPointer& mine);
  std::unique_ptr<Piece> make_piece();
  bool search(Lock& lock, const AheadPointer& mine);
  std::optional<std::uint64_t> search_block(const AheadPointer& mine);
  void decode_ahead(Lock& lock, const AheadPointer& mine);
  std::uint64_t piece_bits() const;

  const std::span<const std::byte> input;
  const InflateOptions options;
  const std::size_t thread_count;
  const bool uses_tokens;
  PieceResources resources;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<AheadPointer> ahead;     // in the order of their places
  std::deque<SegmentPointer> output;  // in order, not all of it ready
  bool front_is_taken = false, is_finished = false, is_closing = false, may_speculate = true,
       is_idle = false;
  std::uint64_t claims = 0, searched_to_bit = 0;
  std::atomic<std::uint64_t> front_bit = 0;
  double bits_per_byte = 2;
  double front_share =
      0.5;  // what the front decodes between pieces, of a piece; found while it runs
  std::shared_ptr<const Decoder>
      long_block;  // a decoder inside of the front's block, where that is longer than a piece
  Status status;
  Pieces pieces;

  Front front;               // of the thread that has taken it
  SegmentPointer delivered;  // what next() gave last
  RunningChecksum checksum;
  std::vector<std::thread> threads;
};

}  // namespace penstock::deflate
