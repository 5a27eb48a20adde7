#include "table/exchange/collective.hpp"

#include <thread>

#include "base/clock.hpp"

namespace penstock::plan {
namespace {

bool is_of_memory(const Status& status) {
  return status.code() == Code::no_memory || status.code() == Code::capacity;
}

Status another_share_has_ended(const Status& error) {
  const Status ended(Code::cancelled, "another device's share has ended");
  return error.ok() ? ended : ended.with(error.text());
}

}  // namespace

bool Collective::may_begin(std::size_t share) {
  const std::lock_guard lock(mutex_);
  return !has_left_[share];
}

Collective::Step& Collective::step_of(std::size_t share) {
  while (steps_.size() <= next_step_[share]) steps_.emplace_back();
  return steps_[next_step_[share]];
}

Agreement Collective::meet(std::size_t share, const Agreement& own) {
  if (own.outcome() == Outcome::error && !is_of_memory(own.error())) {
    leave(share, own);
    return own;
  }
  std::unique_lock lock(mutex_);
  if (has_left_[share]) return Agreement::refused();
  Step& step = step_of(share);
  next_step_[share]++;
  step.arrived++;
  step.is_refused |= !own.ok();
  change();
  const auto are_all_here = [&] { return step.arrived == shares(); };
  wait(lock, [&] { return are_all_here() || !ending_.ok(); });
  step.values.reset();  // those who came have them
  if (!are_all_here()) return ending_;
  return step.is_refused ? Agreement::refused() : Agreement();
}

template <class IsOver>
void Collective::wait(std::unique_lock<std::mutex>& lock, const IsOver& is_over) {
  for (const double end = now_seconds() + awake_seconds_; !is_over() && now_seconds() < end;) {
    const std::size_t seen = changes_;
    lock.unlock();
    while (changes_ == seen && now_seconds() < end) std::this_thread::yield();
    lock.lock();
  }
  changed_.wait(lock, is_over);
}

void Collective::leave(std::size_t share) {
  const std::lock_guard lock(mutex_);
  end(share, next_step_[share] == 0 ? Agreement::refused() : another_share_has_ended({}));
}

void Collective::leave(std::size_t share, const Agreement& how) {
  const std::lock_guard lock(mutex_);
  end(share, how.outcome() == Outcome::error ? another_share_has_ended(how.error())
                                             : Agreement::refused());
}

void Collective::end(std::size_t share, const Agreement& how) {
  if (ending_.ok()) ending_ = how;
  has_left_[share] = true;
  change();
}

void Collective::change() {
  changes_++;
  changed_.notify_all();
}

}  // namespace penstock::plan
