// Work on ranges of rows by as many threads as there are cores.
#pragma once
#include <cstdint>

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
// `min_range`, and returns when all calls have returned. Rethrows what a call threw. May be called
// by the work itself.
template <class Work>
void in_parallel(std::uint64_t count, std::uint64_t min_range, const Work& work) {
  const auto call = [](const void* one, std::uint64_t first, std::uint64_t last) {
    (*static_cast<const Work*>(one))(first, last);
  };
  run_in_parallel(count, min_range, call, &work);
}

// Calls work(i) for each i below `count`, in ranges by threads.
template <class Work> void for_rows(std::uint64_t count, const Work& work) {
  in_parallel(count, min_rows_per_thread, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; i++) work(i);
  });
}

}  // namespace penstock
