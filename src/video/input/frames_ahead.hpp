// Reads a file's frames some ahead of their scoring, by a thread of its own, so that two files are
// read at once while a device computes.
#pragma once
#include <memory>

#include "base/ordered_window.hpp"
#include "video/input/frame_reader.hpp"

namespace penstock::video {

class FramesAhead {
 public:
  // Reads until `frame_limit` frames were delivered.
  FramesAhead(std::unique_ptr<FrameReader> reader, std::uint64_t frame_limit);

  const FrameReader& reader() const { return *reader_; }
  void read_planes(bool reads) { reader_->read_planes(reads); }
  // Returns the next frame, which is valid until the next call; none at the end.
  Result<std::optional<Picture>> next();

 private:
  struct Frame {
    std::vector<std::byte> memory = {};
    Picture picture = {};
  };
  struct Whole {};  // a frame is read in one part
  using Window = OrderedWindow<Frame, Whole>;
  std::optional<Window::Opened> open();
  Result<bool> read(Frame& frame);

  std::unique_ptr<FrameReader> reader_;
  std::uint64_t frame_limit_, opened_ = 0;
  Frame current_;  // that next() returned
  WindowLock lock_;
  std::vector<std::vector<std::byte>> free_memory_;  // guarded by lock_
  Window window_;                                    // last: it uses the others
};

}  // namespace penstock::video
