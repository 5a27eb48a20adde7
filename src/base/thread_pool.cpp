#include "base/thread_pool.hpp"

#include <algorithm>
#include <system_error>

#include "base/clock.hpp"

namespace penstock {
namespace {

// One run_on(): it waits for helpers that have entered, and turns away all others.
struct SharedRun {
  std::mutex mutex;
  std::condition_variable left;
  const std::function<void()>* work;
  unsigned inside = 0;
  bool is_closed = false;

  void help() {
    {
      const std::lock_guard lock(mutex);
      if (is_closed) return;
      inside++;
    }
    (*work)();
    const std::lock_guard lock(mutex);
    if (--inside == 0) left.notify_all();
  }
  // Meanwhile this thread asks whether the work is wanted, so that the helpers know.
  void close() {
    std::unique_lock lock(mutex);
    is_closed = true;
    while (!left.wait_for(lock, std::chrono::milliseconds(5), [&] { return inside == 0; })) {
      lock.unlock();
      static_cast<void>(is_cancelled());
      lock.lock();
    }
  }
};

}  // namespace

unsigned host_core_count() {
  static const unsigned count = std::max(1u, std::thread::hardware_concurrency());
  return count;
}

ThreadPool& ThreadPool::shared() {
  static ThreadPool& pool = *new ThreadPool(host_core_count());
  return pool;
}

ThreadPool::~ThreadPool() {
  std::unique_lock lock(mutex_);
  is_ending_ = true;
  job_added_.notify_all();
  thread_ended_.wait(lock, [&] { return thread_count_ == 0; });
}

void ThreadPool::enqueue(Job job) {
  const std::lock_guard lock(mutex_);
  enqueue_locked(std::move(job));
}

// Every job that waits has an idle thread that will take it: otherwise a thread is made for it. A
// thread that is awake looks for jobs before it sleeps.
void ThreadPool::enqueue_locked(Job job) {
  if (idle_threads_ <= jobs_.size()) {
    std::thread([this] { run_jobs(); }).detach();
    thread_count_++, idle_threads_++;
  }
  jobs_.push_back(std::move(job));
  has_jobs_ = true;
  if (jobs_.size() > awake_threads_) job_added_.notify_one();
}

void ThreadPool::stay_awake(std::unique_lock<std::mutex>& lock, double seconds) {
  if (seconds <= 0 || !jobs_.empty()) return;
  awake_threads_++;
  lock.unlock();
  for (const double end = now_seconds() + seconds; !has_jobs_ && now_seconds() < end;) {}
  lock.lock();
  awake_threads_--;
}

void ThreadPool::count_helpers(int more) {
  const std::lock_guard lock(mutex_);
  helper_count_ += more;
}

bool ThreadPool::start_helper(std::function<void()> help) {
  const std::lock_guard lock(mutex_);
  if (helper_count_ >= std::ptrdiff_t{core_count_}) return false;
  enqueue_locked({[this, help = std::move(help)] {
    help();
    const std::lock_guard count_lock(mutex_);
    helper_count_--;
  }});
  helper_count_++;
  return true;
}

void ThreadPool::run_jobs() {
  std::unique_lock lock(mutex_);
  for (;;) {
    job_added_.wait(lock, [&] { return !jobs_.empty() || is_ending_; });
    if (jobs_.empty()) break;
    double awake_seconds = 0;
    {
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      has_jobs_ = !jobs_.empty();
      idle_threads_--;
      awake_seconds = job.awake_seconds;
      lock.unlock();
      job.work();
    }
    lock.lock();
    idle_threads_++;
    if (idle_threads_ > std::size_t{2} * core_count_ + jobs_.size()) break;
    stay_awake(lock, awake_seconds);
  }
  idle_threads_--, thread_count_--;
  thread_ended_.notify_all();
}

void ThreadPool::run_on(unsigned thread_count, const std::function<void()>& work) {
  const auto run = std::make_shared<SharedRun>();
  run->work = &work;
  struct Closing {
    SharedRun& run;
    ~Closing() { run.close(); }
  } const closing{*run};
  try {
    for (unsigned i = 1; i < thread_count; i++)
      if (!start_helper([run, scope = current_cancellation()] {
            const CancellationScope same(scope);
            run->help();
          }))
        break;
  } catch (const std::system_error&) {}  // no further thread: the existing threads do the work
  work();
}

}  // namespace penstock
