// The host threads of the process, kept and used again.
//
//     Task<int> task = ThreadPool::shared().start([] { return 42; });
//     int answer = task.get();
//
// A task starts at once, on an idle thread or on a new one, so tasks may wait for one another and
// for a disk or a compiler. Work that is bound by the CPU belongs into in_parallel()
// (parallel.hpp), which takes no more threads than there are cores.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"

namespace penstock {

// Returns how many cores the process may use, at least 1. Asked once: the C++ library opens a file
// each time, which took 50 us.
unsigned host_core_count();

// The result of a task that was started. Its destructor waits for the task, so that a task may
// refer to objects declared before it.
template <class T> class Task {
 public:
  Task() = default;
  explicit Task(std::future<T> result) : result_(std::move(result)) {}
  Task(Task&&) noexcept = default;
  Task& operator=(Task&& other) noexcept {
    if (result_.valid()) result_.wait();
    result_ = std::move(other.result_);
    return *this;
  }
  ~Task() {
    if (result_.valid()) result_.wait();
  }
  bool valid() const { return result_.valid(); }                           // until get() was called
  bool has_ended() const { return ends_within(std::chrono::seconds(0)); }  // get() does not wait
  bool ends_within(std::chrono::milliseconds time) const {
    return result_.wait_for(time) == std::future_status::ready;
  }
  void wait() const { result_.wait(); }
  // Throws Cancelled if this thread's work is no longer wanted. The task goes on.
  void wait_while_wanted() const {
    while (!ends_within(std::chrono::milliseconds(5))) check_cancelled();
  }
  T get() { return result_.get(); }  // throws what the task threw

 private:
  std::future<T> result_;
};

class ThreadPool {
 public:
  // The process's own pool. It is never destroyed: at exit idle threads end with the process, in no
  // order with the destructors of other libraries. A forked child has none of its threads.
  static ThreadPool& shared();

  // At most `core_count` threads help in run_on(). Twice as many idle threads are kept: the threads
  // of several devices and the helpers together outnumber the cores.
  explicit ThreadPool(unsigned core_count) : core_count_(core_count) {}
  ~ThreadPool();  // waits for all tasks
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Starts `work()`. Throws std::system_error if the system has no further thread. Afterwards the
  // thread spins for `awake_seconds` before it sleeps: waking it costs the next task 30 to 80 us,
  // and its core's caches are cold then.
  template <class Work>
  Task<std::invoke_result_t<Work&>> start(Work work, double awake_seconds = 0) {
    auto started = std::make_shared<Started<Work>>(std::move(work));
    auto result =
        started->result.get_future();  // no Task yet: it would wait where enqueue() throws
    enqueue({[started] { started->run(); }, awake_seconds});
    return Task<std::invoke_result_t<Work&>>(std::move(result));
  }

  // Starts fire-and-forget work. It must not throw, and may be cut off by the end of the process.
  void start_detached(std::function<void()> work) { enqueue({std::move(work), 0}); }

  // Calls `work()` on up to `thread_count` threads at once, this one among them, and returns when
  // all calls have returned. Fewer threads help where other calls of run_on() occupy the cores, so
  // that nested calls do not multiply threads. A helper that has not begun when this thread's call
  // returns does not begin at all, so that a call never waits for a thread. Throws what this
  // thread's call throws; the helpers' calls must not throw. They belong to this thread's
  // cancellation scope.
  void run_on(unsigned thread_count, const std::function<void()>& work);

  // While it lives, the thread that made it has a core: run_on() takes one helper less. For threads
  // that do the same work side by side already, each of which may call in_parallel().
  class TakenCore {
   public:
    explicit TakenCore(ThreadPool& pool) : pool_(pool) { pool_.count_helpers(1); }
    ~TakenCore() { pool_.count_helpers(-1); }
    TakenCore(const TakenCore&) = delete;
    TakenCore& operator=(const TakenCore&) = delete;

   private:
    ThreadPool& pool_;
  };

 private:
  // Destroys the work before its result arrives. Otherwise this thread could release the work's
  // captures, such as a device, while the process already exits.
  template <class Work> struct Started {
    using Value = std::invoke_result_t<Work&>;
    explicit Started(Work given) : work(std::move(given)) {}
    void run() {
      try {
        if constexpr (std::is_void_v<Value>) {
          (*work)();
          work.reset();
          result.set_value();
        } else {
          Value value = (*work)();
          work.reset();
          result.set_value(std::move(value));
        }
      } catch (...) {
        work.reset();
        result.set_exception(std::current_exception());
      }
    }
    std::optional<Work> work;
    std::promise<Value> result;
  };
  struct Job {
    std::function<void()> work;
    double awake_seconds = 0;
  };
  void enqueue(Job job);
  void enqueue_locked(Job job);
  void stay_awake(std::unique_lock<std::mutex>& lock, double seconds);
  bool start_helper(std::function<void()> help);  // false if all cores have one
  void count_helpers(int more);
  void run_jobs();

  const unsigned core_count_;
  std::mutex mutex_;
  std::condition_variable job_added_, thread_ended_;
  std::deque<Job> jobs_;
  std::atomic<bool> has_jobs_ = false;  // for threads that are awake
  std::size_t idle_threads_ = 0, awake_threads_ = 0, thread_count_ = 0;
  std::ptrdiff_t helper_count_ = 0;
  bool is_ending_ = false;
};

}  // namespace penstock
