#include "stream/pipeline/pipeline.hpp"

#include <sched.h>

#include <algorithm>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"

namespace penstock::stream {

// One slot for each thread, one that waits and one that the caller reads. More would fall out of
// the caches before they are written: LZ4 blocks of 4 MiB on two cores, written to memory, took
// 0.38 s with four slots and 0.47 s with five.
template <class JobType>
Pipeline<JobType>::Pipeline(std::unique_ptr<Stages<JobType>> stages, std::uint32_t threads,
                            std::function<Status()> after_job)
    : stages_(std::move(stages)), after_job_(std::move(after_job)), slots_(threads + 2) {
  for (std::uint32_t i = 0; i < threads; i++) {
    try {
      workers_.push_back(ThreadPool::shared().start([this] { run(); }));
    } catch (...) {
      if (workers_.empty()) throw;
      break;  // runs with fewer
    }
  }
}

template <class JobType> Pipeline<JobType>::~Pipeline() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  slot_freed_.notify_all();
  workers_.clear();  // waits for them
}

template <class JobType> void Pipeline<JobType>::run() {
  const CancellationScope of_caller(cancellation_);
  std::unique_lock lock(mutex_);
  for (;;) {
    slot_freed_.wait(lock, [&] {
      return is_stopping_ || is_ended_ ||
             (!is_taking_ && slots_[taken_ % slots_.size()].state == State::empty);
    });
    if (is_stopping_ || is_ended_) return;
    fill(slots_[taken_++ % slots_.size()], lock);
  }
}

template <class JobType>
void Pipeline<JobType>::fill(Slot& slot, std::unique_lock<std::mutex>& lock) {
  slot.state = State::busy;
  is_taking_ = true;
  lock.unlock();
  const Result<bool> taken = catch_exceptions([&] { return stages_->take(slot.job); });
  const bool has_job = taken.ok() && *taken;
  slot.status = taken.status();
  slot.is_end = !has_job;
  lock.lock();
  is_taking_ = false;
  is_ended_ |= !has_job;
  lock.unlock();
  slot_freed_.notify_all();
  if (has_job) slot.status = catch_exceptions([&] { return stages_->work(slot.job); });
  lock.lock();
  slot.state = State::ready;
  slot_ready_.notify_one();
}

template <class JobType> void Pipeline<JobType>::fill_on_caller(Slot& slot) {
  const Result<bool> taken = stages_->take(slot.job);
  slot.status = taken.status();
  slot.is_end = !taken.ok() || !*taken;
  if (!slot.is_end) slot.status = stages_->work(slot.job);
  slot.state = State::ready;
}

template <class JobType> typename Pipeline<JobType>::Slot& Pipeline<JobType>::wait_for_next() {
  Slot& slot = slots_[delivered_ % slots_.size()];
  if (workers_.empty()) {
    if (slot.state == State::empty) fill_on_caller(slot);
    return slot;
  }
  std::unique_lock lock(mutex_);
  const auto is_ready = [&] { return slot.state == State::ready; };
  while (!slot_ready_.wait_for(lock, std::chrono::milliseconds(5), is_ready)) {
    lock.unlock();
    check_cancelled();
    lock.lock();
  }
  return slot;
}

template <class JobType> void Pipeline<JobType>::release(Slot& slot) {
  slot.job.clear();
  {
    const std::lock_guard lock(mutex_);
    slot.state = State::empty;
    delivered_++;
  }
  slot_freed_.notify_all();
}

template <class JobType> Status Pipeline<JobType>::join(Slot& slot) {
  PENSTOCK_TRY(catch_exceptions([&] { return stages_->join(slot.job); }));
  return after_job_ ? after_job_() : Status();
}

template <class JobType> Result<std::span<const std::byte>> Pipeline<JobType>::next() {
  for (;;) {
    if (std::exchange(holds_slot_, false)) release(slots_[delivered_ % slots_.size()]);
    Slot& slot = wait_for_next();
    if (slot.is_end || !slot.status.ok()) {  // not released: the next call returns the same
      if (!slot.status.ok()) return slot.status;
      return std::span<const std::byte>();
    }
    if (Status joined = join(slot); !joined.ok()) {
      slot.status = joined;
      return joined;
    }
    holds_slot_ = true;
    if (!slot.job.output().empty()) return slot.job.output();
  }
}

template class Pipeline<DecodeJob>;
template class Pipeline<EncodeJob>;

std::uint32_t thread_count(std::uint32_t asked) {
  constexpr std::uint32_t max_threads = 1024;
  if (asked > 0) return std::min(asked, max_threads);
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return std::clamp<std::uint32_t>(CPU_COUNT(&set), 1, max_threads);
  return std::clamp<std::uint32_t>(host_core_count(), 1, max_threads);
}

}  // namespace penstock::stream
