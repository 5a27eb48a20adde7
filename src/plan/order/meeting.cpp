#include "plan/order/meeting.hpp"

#include <algorithm>

namespace penstock::plan {

bool Meeting::meet(std::size_t phase) {
  std::unique_lock lock(mutex_);
  if (arrivals_.size() <= phase) arrivals_.resize(phase + 1);
  arrivals_[phase]++;
  arrived_.notify_all();
  const auto are_all_here = [&] { return arrivals_[phase] == has_left_.size(); };
  arrived_.wait(lock, [&] { return are_all_here() || std::ranges::count(has_left_, true) > 0; });
  return are_all_here();
}

void Meeting::leave(std::size_t share) {
  const std::lock_guard lock(mutex_);
  has_left_[share] = true;
  arrived_.notify_all();
}

}  // namespace penstock::plan
