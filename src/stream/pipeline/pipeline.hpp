// Bytes in pieces and in order, made by several threads.
//
// A way to decode (or to compress) is three stages. take() cuts the next piece off the input, in
// order; work() makes its bytes, several pieces at once; join() sees the pieces in order again, for
// what crosses them. What cannot be split does all of its work in take(), which then still runs
// beside the caller, who writes what came before. Pieces go round in a ring, and keep their memory:
// fresh pages cost as much as LZ4 takes to fill them.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "penstock/stream.hpp"

namespace penstock::stream {

// A way to get bytes: all the ways are this.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // The next bytes; empty at the end. They stay until the next call.
  virtual Result<std::span<const std::byte>> next() = 0;
  // Of the input behind its position: what is decoded already. For progress.
  virtual std::uint64_t bytes_begun() const { return 0; }
  // Of the input before its position: what was found and is not decoded yet.
  virtual std::uint64_t bytes_ahead() const { return 0; }
};

// Independent compressed bytes inside a piece: a block, a member, a frame.
struct Unit {
  std::span<const std::byte> bytes;  // its compressed body
  std::uint64_t offset = 0;          // of the body in the input
  std::uint64_t index = 0;           // of the member, frame or chunk that errors name
  std::uint64_t output_bytes =
      0;  // what it becomes: exactly or at most, as its format knows; once it is decoded, exactly
  std::uint32_t checksum = 0;
  bool is_stored = false, has_checksum = false;
  std::uint32_t head_bytes = 0,
                tail_bytes = 0;  // that stand around the body, where devices check them, too
  // Its matches reach into the units before it, up to the one that begins the stream.
  bool is_linked = false, begins_stream = true;
  // Stored units stay where they are, but where others may reach into them.
  bool is_for_devices() const { return !is_stored || is_linked; }
  std::span<const std::byte> whole() const {
    return {bytes.data() - head_bytes, head_bytes + bytes.size() + tail_bytes};
  }
};

// As which units of less text count, so that a piece has not any number of them: stored blocks of
// no bytes are four bytes of a file each, and what is told of one takes twenty times as much
// memory.
constexpr std::uint64_t min_counted_bytes = 1024;

// What a piece tells join() of the frame that it belongs to; other formats' frames end inside of
// work().
struct FrameEdges {
  bool begins = false, ends = false;
  bool is_summed = false;                           // the frame ends with a checksum of its content
  std::uint32_t checksum = 0;                       // where it ends: this
  std::optional<std::uint64_t> content_bytes = {};  // where it ends: what its header says
  std::uint64_t index = 0, offset = 0;              // of the checksum, or of the end
  std::size_t unit_end =
      0;  // of a frame that others follow in the piece: behind its last unit there
};

struct Piece {
  std::vector<Unit> units;
  std::vector<std::shared_ptr<const void>> owners = {};  // of the units' bytes
  LargeVector<std::byte> memory;                         // grows and never shrinks
  std::span<const std::byte> lent = {};  // the piece's output where it is not in `memory`
  std::shared_ptr<void> tools =
      {};                          // what a way keeps with a place of the ring, as `memory` is kept
  std::size_t begin = 0, end = 0;  // of the piece's output in `memory`
  std::span<const std::byte> input = {};       // compressors: the block
  std::uint64_t capacity = 0;                  // that the units' output may take
  std::vector<FrameEdges> frames_before = {};  // that end in the piece
  FrameEdges frame = {};                       // the last, or the only one
  Status error =
      {};  // of the unit behind `units` where frames end before it, which join() sees first

  void keep(const std::shared_ptr<const void>& owner) {
    if (owner && (owners.empty() || owners.back() != owner)) owners.push_back(owner);
  }
  // A unit is not what it should be, and so is `status`; left to join() where frames end in the
  // piece.
  Status end_before(std::size_t unit, Status status) {
    if (frames_before.empty()) return status;
    units.resize(unit), error = std::move(status);
    return {};
  }
  std::byte* reserve(std::size_t bytes) {
    if (memory.size() < bytes) memory = {}, memory.resize(bytes);  // nothing is copied
    return memory.data();
  }
  std::span<const std::byte> output() const {
    return lent.empty() ? std::span<const std::byte>(memory.data() + begin, end - begin) : lent;
  }
};

class Stages {
 public:
  virtual ~Stages() = default;
  // Fills an empty piece; false where there is nothing more. One thread at a time.
  virtual Result<bool> take(Piece& piece) = 0;
  virtual Status work(Piece&) { return {}; }
  // In the order of take(), on the caller's thread; only of pieces before the first error.
  virtual Status join(Piece&) { return {}; }
};

class Pipeline : public Decoder {
 public:
  // Without threads the caller's does it all. Throws where no thread can be begun.
  Pipeline(std::unique_ptr<Stages> stages, std::uint32_t threads);
  ~Pipeline() override;
  Result<std::span<const std::byte>> next() override;

 private:
  enum class State : unsigned char { empty, busy, ready };
  struct Slot {
    State state = State::empty;
    Piece piece;
    Status status;
    bool is_end = false;
  };
  void run();
  void fill(Slot& slot, std::unique_lock<std::mutex>& lock);
  void fill_here(Slot& slot);
  Slot& wait_for_next();
  void release(Slot& slot);

  std::unique_ptr<Stages> stages_;
  std::mutex mutex_;
  std::condition_variable free_, ready_;
  std::vector<Slot> slots_;
  std::uint64_t taken_ = 0, given_ = 0;  // pieces so far
  bool is_taking_ = false, is_ended_ = false, is_stopping_ = false;
  bool holds_slot_ = false;  // the caller reads the last piece that was given
  std::vector<std::thread> threads_;
};

std::uint32_t thread_count(std::uint32_t asked);  // 0: as many as this process may use

}  // namespace penstock::stream
