// A value that is made on first use, and read without a lock from then on.
//
// Threads that come at the same time may each make one: one of the values is published, the rest is
// dropped. An exception of make() passes through, and the next call tries again.
#pragma once
#include <atomic>
#include <memory>

namespace penstock {

template <class T> class Published {
 public:
  Published() = default;
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;
  ~Published() { delete value_.load(std::memory_order_relaxed); }

  // make() returns a std::unique_ptr<T>.
  template <class Make> T& get(const Make& make) {
    if (T* const known = value_.load(std::memory_order_acquire)) return *known;
    std::unique_ptr<T> made = make();
    T* expected = nullptr;
    if (value_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
      return *made.release();
    return *expected;
  }

 private:
  std::atomic<T*> value_ = nullptr;
};

}  // namespace penstock
