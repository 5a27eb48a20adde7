// Waits for a queue where a function ends, also by an error. Declare it after the host memory that
// the queue reads or writes.
#pragma once
#include "penstock/device.hpp"

namespace penstock::plan {

class FinishAtEnd {
 public:
  explicit FinishAtEnd(Queue& queue) : queue_(queue) {}
  ~FinishAtEnd() { static_cast<void>(queue_.finish()); }
  FinishAtEnd(const FinishAtEnd&) = delete;
  FinishAtEnd& operator=(const FinishAtEnd&) = delete;

 private:
  Queue& queue_;
};

}  // namespace penstock::plan
