#include "table/exchange/meeting.hpp"

#include <algorithm>
#include <thread>

#include "base/clock.hpp"

namespace penstock::plan {

bool Meeting::enter(std::size_t share) {
  const std::lock_guard lock(mutex_);
  const bool begins_anew = has_entered_[share];
  has_entered_[share] = true;
  has_left_[share] = has_left_[share] || begins_anew;
  change();
  return !begins_anew;
}

bool Meeting::meet(std::size_t share, std::size_t phase) {
  std::unique_lock lock(mutex_);
  while (arrivals_.size() <= phase) arrivals_.emplace_back(has_left_.size());
  arrivals_[phase][share] = true;
  change();
  const auto are_all_here = [&] { return std::ranges::count(arrivals_[phase], false) == 0; };
  const auto is_over = [&] { return are_all_here() || std::ranges::count(has_left_, true) > 0; };
  for (const double end = now_seconds() + awake_seconds_; !is_over() && now_seconds() < end;) {
    const std::size_t seen = changes_;
    lock.unlock();
    while (changes_ == seen && now_seconds() < end) std::this_thread::yield();
    lock.lock();
  }
  arrived_.wait(lock, is_over);
  return are_all_here();
}

void Meeting::leave(std::size_t share) {
  const std::lock_guard lock(mutex_);
  has_left_[share] = true;
  change();
}

void Meeting::change() {
  changes_++;
  arrived_.notify_all();
}

}  // namespace penstock::plan
