#include "video/input/frames_ahead.hpp"

#include <algorithm>

#include "base/exception_boundary.hpp"

namespace penstock::video {
namespace {

// Enough that a slow read and a slow frame even out; a frame of 8K has 50 MB.
constexpr std::uint64_t ahead_bytes = 128 << 20, min_slots = 3, max_slots = 16;

bool is_last(const Result<std::optional<Picture>>& frame) { return !frame.ok() || !*frame; }

}  // namespace

FramesAhead::FramesAhead(std::unique_ptr<FrameReader> reader, std::uint64_t frame_limit)
    : reader_(std::move(reader)), frame_limit_(frame_limit) {
  const std::uint64_t count =
      std::clamp(ahead_bytes / picture_bytes(reader_->format()), min_slots, max_slots);
  for (std::uint64_t i = 0; i < count; i++) {
    slots_.push_back(std::make_unique<Slot>());
    free_.push_back(slots_.back().get());
  }
  reading_ = ThreadPool::shared().start([this] { read_all(); });
}

FramesAhead::~FramesAhead() {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
  changed_.notify_all();
}

FramesAhead::Slot* FramesAhead::take_free_slot() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_ending_ || !free_.empty(); });
  if (is_ending_) return nullptr;
  Slot* const slot = free_.front();
  free_.pop_front();
  return slot;
}

// Ends after the frame that is the last, an error or none.
void FramesAhead::read_all() {
  for (std::uint64_t frame = 0;; frame++) {
    Slot* const slot = take_free_slot();
    if (!slot) return;
    slot->frame = frame == frame_limit_
                      ? std::optional<Picture>()
                      : catch_exceptions([&] { return reader_->next(slot->memory); });
    const bool is_end = is_last(slot->frame);
    const std::lock_guard lock(mutex_);
    full_.push_back(slot);
    changed_.notify_all();
    if (is_end) return;
  }
}

Result<std::optional<Picture>> FramesAhead::next() {
  std::unique_lock lock(mutex_);
  if (current_ && is_last(current_->frame)) return current_->frame;
  if (current_) free_.push_back(current_);
  changed_.notify_all();
  changed_.wait(lock, [this] { return !full_.empty(); });
  current_ = full_.front();
  full_.pop_front();
  return current_->frame;
}

}  // namespace penstock::video
