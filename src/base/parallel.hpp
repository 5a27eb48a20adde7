// Work on ranges of rows by as many threads as there are cores.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/cancellation.hpp"

namespace penstock {

// Fewer rows than this are not worth a thread of their own, where the work of a row is a few
// nanoseconds.
constexpr std::uint64_t min_rows_per_thread = 1 << 14;

// Does what in_parallel() does, with `call(work, first, last)` for `work(first, last)`. One
// function for all kinds of work: compiling the handling of threads wherever there is work for them
// took as long as a file's own code.
void run_in_parallel(std::uint64_t count, std::uint64_t min_range,
                     void (*call)(const void* work, std::uint64_t first, std::uint64_t last),
                     const void* work);

// Calls work(first, last) for ranges that cover [0, count), none but the last shorter than
// `min_range`, and returns when all calls have returned. Rethrows what a call threw, and throws
// Cancelled before a range if the work is no longer wanted. May be called by the work itself.
template <class Work>
void in_parallel(std::uint64_t count, std::uint64_t min_range, const Work& work) {
  const auto call = [](const void* one, std::uint64_t first, std::uint64_t last) {
    (*static_cast<const Work*>(one))(first, last);
  };
  run_in_parallel(count, min_range, call, &work);
}

// Calls work(i) for each i from `first` to `last` on this thread, and looks now and then whether
// the work is still wanted.
template <class Work>
void for_wanted_rows(std::uint64_t first, std::uint64_t last, const Work& work) {
  while (first < last) {
    check_cancelled();
    const std::uint64_t end = std::min(last, first + rows_between_checks);
    for (; first < end; first++) work(first);
  }
}

// Calls work(i) for each i below `count`, in ranges by threads.
template <class Work> void for_rows(std::uint64_t count, const Work& work) {
  in_parallel(count, min_rows_per_thread,
              [&](std::uint64_t first, std::uint64_t last) { for_wanted_rows(first, last, work); });
}

}  // namespace penstock
