// Where the threads of several shares wait for one another.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace penstock::plan {

class Meeting {
 public:
  explicit Meeting(std::size_t shares) : has_left_(shares) {}

  std::size_t shares() const { return has_left_.size(); }
  // Waits for the other shares to come to a phase: 0, then 1, and so on. Returns false where one
  // has left before, as will every later phase.
  bool meet(std::size_t phase);
  // Call when a share has ended: the others then wait for it no more.
  void leave(std::size_t share);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<bool> has_left_;
  std::vector<std::size_t> arrivals_;  // by phase
};

}  // namespace penstock::plan
