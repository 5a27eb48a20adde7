// Reads a file's frames some ahead of their scoring, by a thread of its own, so that two files are
// read at once while a device computes.
#pragma once
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "base/thread_pool.hpp"
#include "video/input/frame_reader.hpp"

namespace penstock::video {

class FramesAhead {
 public:
  // Reads until `frame_limit` frames were delivered.
  FramesAhead(std::unique_ptr<FrameReader> reader, std::uint64_t frame_limit);
  ~FramesAhead();  // waits for a read that has begun
  FramesAhead(const FramesAhead&) = delete;
  FramesAhead& operator=(const FramesAhead&) = delete;

  const FrameReader& reader() const { return *reader_; }
  void read_planes(bool reads) { reader_->read_planes(reads); }
  // Returns the next frame, which is valid until the next call; none at the end.
  Result<std::optional<Picture>> next();

 private:
  struct Slot {
    std::vector<std::byte> memory;
    Result<std::optional<Picture>> frame = std::optional<Picture>();
  };
  void read_all();
  Slot* take_free_slot();  // null if the reading ends

  std::unique_ptr<FrameReader> reader_;
  std::uint64_t frame_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<Slot*> free_, full_;
  Slot* current_ = nullptr;  // that next() returned
  bool is_ending_ = false;
  Task<void> reading_;  // last: it uses the other members
};

}  // namespace penstock::video
