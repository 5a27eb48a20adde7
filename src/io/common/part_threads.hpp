// Threads that several readers share for the parts of large reads, so that all threads work for any
// reader.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "base/thread_pool.hpp"

namespace penstock::io {

class PartThreads {
 public:
  // Starts so many threads, or as many as the system allows; none is no error.
  explicit PartThreads(std::uint64_t threads);
  ~PartThreads();
  // Calls part(0) ... part(count - 1) after the parts of earlier callers, and returns when all have
  // ended. Rethrows the first exception then; without threads, an exception ends the loop at once.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& part);

 private:
  struct Work {
    const std::function<void(std::int64_t)>& part;
    std::int64_t next, count, left;
    std::exception_ptr thrown = nullptr;  // the first
  };
  void work();

  std::mutex mutex_;
  std::condition_variable wanted_, done_;
  std::deque<Work*> waiting_;  // of which parts have not begun
  bool stopping_ = false;
  std::vector<Task<void>> workers_;
};

}  // namespace penstock::io
