#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/thread_pool.hpp"

namespace penstock {

void run_in_parallel(std::uint64_t count, std::uint64_t min_range,
                     void (*call)(const void* work, std::uint64_t first, std::uint64_t last),
                     const void* work) {
  const std::uint64_t ranges = std::clamp<std::uint64_t>(
      count / std::max<std::uint64_t>(min_range, 1), 1, host_core_count());
  check_cancelled();
  if (ranges == 1) return call(work, 0, count);
  std::atomic<std::uint64_t> next_range = 0;
  std::mutex mutex;
  std::exception_ptr error;
  ThreadPool::shared().run_on(static_cast<unsigned>(ranges), [&] {
    for (std::uint64_t range; (range = next_range++) < ranges;) {
      try {
        check_cancelled();
        call(work, count * range / ranges, count * (range + 1) / ranges);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
      }
    }
  });
  if (error) std::rethrow_exception(error);
}

}  // namespace penstock
