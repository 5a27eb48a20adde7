#include "plan/order/meeting.hpp"

#include <algorithm>

namespace penstock::plan {

bool Meeting::enter(std::size_t share) {
  const std::lock_guard lock(mutex_);
  const bool begins_anew = has_entered_[share];
  has_entered_[share] = true;
  has_left_[share] = has_left_[share] || begins_anew;
  arrived_.notify_all();
  return !begins_anew;
}

bool Meeting::meet(std::size_t share, std::size_t phase) {
  std::unique_lock lock(mutex_);
  while (arrivals_.size() <= phase) arrivals_.emplace_back(has_left_.size());
  arrivals_[phase][share] = true;
  arrived_.notify_all();
  const auto are_all_here = [&] { return std::ranges::count(arrivals_[phase], false) == 0; };
  arrived_.wait(lock, [&] { return are_all_here() || std::ranges::count(has_left_, true) > 0; });
  return are_all_here();
}

void Meeting::leave(std::size_t share) {
  const std::lock_guard lock(mutex_);
  has_left_[share] = true;
  arrived_.notify_all();
}

}  // namespace penstock::plan
