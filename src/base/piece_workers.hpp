// Threads that do jobs piece by piece, in the order in which the jobs began.
//
// in_parallel() wakes its helpers for each call and waits for the slowest. For a sequence of jobs
// of a millisecond each that takes longer than the work: it fed four GPUs slower than one. Here
// several jobs are under way at a time, and no thread sleeps while a piece is left.
//
//     PieceWorkers workers(16);
//     PieceJob job = workers.begin(pieces.size(), [&](std::uint64_t i) { return read(pieces[i]);
//     });
//     ...                          // other work, other jobs
//     PENSTOCK_TRY(job.wait());
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_pool.hpp"
#include "penstock/status.hpp"

namespace penstock {

class PieceWorkers;

// A job that has begun. Its destructor leaves out the pieces that have not begun, and waits for the
// pieces under way. Destroy it before its workers.
class PieceJob {
 public:
  PieceJob() = default;
  PieceJob(PieceJob&& other) noexcept = default;
  PieceJob& operator=(PieceJob&& other) noexcept;
  ~PieceJob();
  explicit operator bool() const { return state_ != nullptr; }
  bool has_ended() const;  // wait() does not wait
  // Waits for all pieces. Returns the first failure, after which no further piece was begun. An
  // exception of a piece is a failure.
  Status wait();
  // Leaves out the pieces that have not begun. If there were any, wait() fails with
  // Code::cancelled, even if another thread already waits.
  void leave_out();

 private:
  friend class PieceWorkers;
  struct State;
  PieceJob(PieceWorkers* workers, std::shared_ptr<State> state)
      : workers_(workers), state_(std::move(state)) {}

  PieceWorkers* workers_ = nullptr;
  std::shared_ptr<State> state_;
};

// Thread-safe.
class PieceWorkers {
 public:
  using Work = std::function<Status(std::uint64_t piece)>;
  // No thread starts before the first job.
  explicit PieceWorkers(unsigned thread_count) : thread_count_(thread_count) {}
  ~PieceWorkers();
  PieceWorkers(const PieceWorkers&) = delete;
  PieceWorkers& operator=(const PieceWorkers&) = delete;

  // `work` is called once for each piece below `count`, by several threads at once. Throws
  // std::system_error where the system has no thread at all, and std::bad_alloc.
  PieceJob begin(std::uint64_t count, Work work);

 private:
  friend class PieceJob;
  void start_threads();
  void run();
  void leave_out(PieceJob::State& job);  // the pieces that have not begun; with the lock

  const unsigned thread_count_;
  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  std::deque<std::shared_ptr<PieceJob::State>> jobs_;  // jobs that still have pieces to begin
  bool is_ending_ = false;
  std::vector<Task<void>> threads_;
};

}  // namespace penstock
