#include "stream/pipeline/pipeline.hpp"

#include <sched.h>

#include <algorithm>

#include "base/exception_boundary.hpp"

namespace penstock::stream {

// A piece a thread, one that waits and one that the caller reads: more of them would be out of the
// caches when they are written (LZ4 blocks of 4 MiB on two cores, written to memory: 0.38 s with
// four, 0.47 s with five).
Pipeline::Pipeline(std::unique_ptr<Stages> stages, std::uint32_t threads)
    : stages_(std::move(stages)), slots_(threads + 2) {
  for (std::uint32_t i = 0; i < threads; i++) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (...) {
      if (threads_.empty()) throw;
      break;  // fewer do
    }
  }
}

Pipeline::~Pipeline() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  free_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pipeline::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    free_.wait(lock, [&] {
      return is_stopping_ || is_ended_ ||
             (!is_taking_ && slots_[taken_ % slots_.size()].state == State::empty);
    });
    if (is_stopping_ || is_ended_) return;
    fill(slots_[taken_++ % slots_.size()], lock);
  }
}

void Pipeline::fill(Slot& slot, std::unique_lock<std::mutex>& lock) {
  slot.state = State::busy;
  is_taking_ = true;
  lock.unlock();
  const Result<bool> taken = guard([&] { return stages_->take(slot.piece); });
  const bool goes_on = taken.ok() && *taken;
  slot.status = taken.status();
  slot.is_end = !goes_on;
  lock.lock();
  is_taking_ = false;
  is_ended_ |= !goes_on;
  lock.unlock();
  free_.notify_all();
  if (goes_on) slot.status = guard([&] { return stages_->work(slot.piece); });
  lock.lock();
  slot.state = State::ready;
  ready_.notify_one();
}

void Pipeline::fill_here(Slot& slot) {
  const Result<bool> taken = stages_->take(slot.piece);
  slot.status = taken.status();
  slot.is_end = !taken.ok() || !*taken;
  if (!slot.is_end) slot.status = stages_->work(slot.piece);
  slot.state = State::ready;
}

Pipeline::Slot& Pipeline::wait_for_next() {
  Slot& slot = slots_[given_ % slots_.size()];
  if (threads_.empty()) {
    if (slot.state == State::empty) fill_here(slot);
    return slot;
  }
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] { return slot.state == State::ready; });
  return slot;
}

void Pipeline::release(Slot& slot) {
  Piece& piece = slot.piece;
  piece.units.clear();
  piece.owners.clear();
  piece.input = piece.lent = {};
  piece.begin = piece.end = piece.capacity = 0;
  piece.frames_before.clear();
  piece.frame = {}, piece.error = {};
  {
    const std::lock_guard lock(mutex_);
    slot.state = State::empty;
    given_++;
  }
  free_.notify_all();
}

Result<std::span<const std::byte>> Pipeline::next() {
  for (;;) {
    if (std::exchange(holds_slot_, false)) release(slots_[given_ % slots_.size()]);
    Slot& slot = wait_for_next();
    if (slot.is_end || !slot.status.ok()) {  // it stays, so that the next call says the same
      if (!slot.status.ok()) return slot.status;
      return std::span<const std::byte>();
    }
    holds_slot_ = true;
    if (Status joined = guard([&] { return stages_->join(slot.piece); }); !joined.ok()) {
      holds_slot_ = false;
      slot.status = joined;
      return joined;
    }
    if (!slot.piece.output().empty()) return slot.piece.output();
  }
}

std::uint32_t thread_count(std::uint32_t asked) {
  constexpr std::uint32_t max_threads = 1024;
  if (asked > 0) return std::min(asked, max_threads);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return std::clamp<std::uint32_t>(CPU_COUNT(&set), 1, max_threads);
  return std::clamp<std::uint32_t>(std::thread::hardware_concurrency(), 1, max_threads);
}

}  // namespace penstock::stream
