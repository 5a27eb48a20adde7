// Lets the threads of several shares wait for one another. They may spin before they sleep: a
// thread runs some 50 to 300 us after it is woken, and threads that wait for it run later still.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "penstock/status.hpp"
#include "table/exchange/collective.hpp"

namespace penstock::plan {

// The error of a share that ends because another one left.
inline Status another_share_has_ended() {
  return {Code::cancelled, "another device's share has ended"};
}

class Meeting {
 public:
  explicit Meeting(Shares shares)
      : awake_seconds_(shares.awake_seconds), has_entered_(shares.count), has_left_(shares.count) {}

  std::size_t shares() const { return has_left_.size(); }
  // Call before a share writes what the other shares read. Returns false for a share that begins
  // again: it has left, and the other shares may be reading what it wrote.
  bool enter(std::size_t share);
  // Waits for the other shares to come to a phase: 0, then 1, and so on. Returns false if one has
  // left before, as every later phase will.
  bool meet(std::size_t share, std::size_t phase);
  // Call when a share has ended: the other shares then wait for it no more.
  void leave(std::size_t share);

 private:
  void change();  // under the lock

  const double awake_seconds_;
  std::atomic<std::size_t> changes_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<bool> has_entered_, has_left_;
  std::vector<std::vector<bool>> arrivals_;  // of shares, by phase
};

}  // namespace penstock::plan
