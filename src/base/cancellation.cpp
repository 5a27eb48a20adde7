#include "base/cancellation.hpp"

#include <atomic>
#include <thread>
#include <utility>

#include "base/clock.hpp"

namespace penstock {

class Cancellation {
 public:
  explicit Cancellation(std::function<bool()> goes_on) : goes_on_(std::move(goes_on)) {}

  bool is_cancelled() {
    if (is_cancelled_.load(std::memory_order_relaxed)) return true;
    if (std::this_thread::get_id() != owner_) return false;
    const double now = now_seconds();
    if (now < next_seconds_) return false;
    next_seconds_ = now + seconds_between_questions;
    // May be called where nothing may be thrown: the question's exception is kept for throw_it().
    try {
      if (goes_on_()) return false;
    } catch (...) { of_question_ = std::current_exception(); }
    is_cancelled_ = true;
    return true;
  }
  [[noreturn]] void throw_it() const {
    if (std::this_thread::get_id() == owner_ && of_question_) std::rethrow_exception(of_question_);
    throw Cancelled();
  }

 private:
  static constexpr double seconds_between_questions = 0.01;

  const std::function<bool()> goes_on_;
  const std::thread::id owner_ = std::this_thread::get_id();
  double next_seconds_ = 0;         // of the owner
  std::exception_ptr of_question_;  // of the owner
  std::atomic<bool> is_cancelled_ = false;
};

namespace {
thread_local std::shared_ptr<Cancellation> current;
}

std::shared_ptr<Cancellation> current_cancellation() { return current; }

CancellationScope::CancellationScope(std::function<bool()> goes_on)
    : CancellationScope(goes_on ? std::make_shared<Cancellation>(std::move(goes_on)) : nullptr) {}

CancellationScope::CancellationScope(std::shared_ptr<Cancellation> other)
    : before_(std::exchange(current, std::move(other))) {}

CancellationScope::~CancellationScope() { current = std::move(before_); }

bool is_cancelled() { return current && current->is_cancelled(); }

void check_cancelled() {
  if (is_cancelled()) current->throw_it();
}

}  // namespace penstock
