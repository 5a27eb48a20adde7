#include "io/common/part_threads.hpp"

#include <exception>

namespace penstock::io {

PartThreads::PartThreads(std::uint64_t threads) {
  workers_.reserve(threads);
  try {
    while (workers_.size() < threads)
      workers_.push_back(ThreadPool::shared().start([this] { work(); }));
  } catch (const std::exception&) {}  // no more threads, or no memory for one: those there are do
}

PartThreads::~PartThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_all();
  workers_.clear();  // waits for them
}

void PartThreads::run(std::int64_t count, const std::function<void(std::int64_t)>& part) {
  if (count <= 1 || workers_.empty()) {
    for (std::int64_t index = 0; index < count; index++) part(index);
    return;
  }
  Work work{part, 0, count, count};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&work);
  wanted_.notify_all();
  done_.wait(lock, [&] { return work.left == 0; });
  if (work.thrown) std::rethrow_exception(work.thrown);
}

void PartThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Work& now = *waiting_.front();
    const std::int64_t index = now.next++;
    if (now.next == now.count) waiting_.pop_front();
    lock.unlock();
    std::exception_ptr thrown;
    try {
      now.part(index);
    } catch (...) { thrown = std::current_exception(); }
    lock.lock();
    if (!now.thrown) now.thrown = std::move(thrown);
    if (--now.left == 0) done_.notify_all();
  }
}

}  // namespace penstock::io
