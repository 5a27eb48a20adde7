#include "video/input/frames_ahead.hpp"

#include <algorithm>

namespace penstock::video {
namespace {

// Enough that a slow read and a slow frame even out; a frame of 8K has 50 MB.
constexpr std::uint64_t ahead_bytes = 128 << 20, min_frames = 3, max_frames = 16;

}  // namespace

FramesAhead::FramesAhead(std::unique_ptr<FrameReader> reader, std::uint64_t frame_limit)
    : reader_(std::move(reader)),
      frame_limit_(frame_limit),
      window_(lock_, {.open = [this](bool) { return open(); },
                      .fill = [this](Frame& frame, Whole&, std::size_t) { return read(frame); }}) {
  const std::size_t frames =
      std::clamp(ahead_bytes / picture_bytes(reader_->format()), min_frames, max_frames);
  window_.start({.first = frames, .later = frames - 1}, 1);  // one is with the reader then
}

std::optional<FramesAhead::Window::Opened> FramesAhead::open() {
  if (opened_ == frame_limit_) return std::nullopt;
  opened_++;
  Frame frame;
  if (!free_memory_.empty()) {
    frame.memory = std::move(free_memory_.back());
    free_memory_.pop_back();
  }
  return Window::Opened{std::move(frame), {Whole()}};
}

Result<bool> FramesAhead::read(Frame& frame) {
  PENSTOCK_ASSIGN(std::optional<Picture> picture, reader_->next(frame.memory));
  if (!picture) return false;
  frame.picture = std::move(*picture);
  return true;
}

Result<std::optional<Picture>> FramesAhead::next() {
  {
    const std::lock_guard lock(lock_.mutex);
    if (!current_.memory.empty()) free_memory_.push_back(std::exchange(current_.memory, {}));
  }
  PENSTOCK_ASSIGN(std::optional<Frame> frame, window_.next());
  if (!frame) return std::optional<Picture>();
  current_ = std::move(*frame);
  return std::optional(current_.picture);
}

}  // namespace penstock::video
