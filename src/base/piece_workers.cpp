#include "base/piece_workers.hpp"

#include <algorithm>
#include <system_error>

#include "base/exception_boundary.hpp"

namespace penstock {

// Guarded by the workers' mutex, but for `work`.
struct PieceJob::State {
  std::uint64_t count = 0, begun = 0, done = 0;
  PieceWorkers::Work work;
  Status failed;
  bool has_ended() const { return begun == count && done == begun; }
};

PieceWorkers::~PieceWorkers() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  begun_.notify_all();
  threads_.clear();  // waits for them
}

// If the system runs out of threads half-way, the threads that started are used. The rest is not
// tried again.
void PieceWorkers::start_threads() {
  threads_.reserve(std::max(thread_count_, 1u));  // a task that is dropped would wait for itself
  while (threads_.size() < std::max(thread_count_, 1u)) {
    try {
      threads_.push_back(ThreadPool::shared().start([this] { run(); }));
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      return;  // the threads that started are enough
    }
  }
}

PieceJob PieceWorkers::begin(std::uint64_t count, Work work) {
  auto job = std::make_shared<PieceJob::State>();
  job->count = count;
  job->work = std::move(work);
  {
    const std::lock_guard lock(mutex_);
    if (threads_.empty()) start_threads();
    if (count > 0) jobs_.push_back(job);
  }
  begun_.notify_all();
  return {this, std::move(job)};
}

void PieceWorkers::leave_out(PieceJob::State& job) {
  job.count = job.begun;
  std::erase_if(jobs_, [&](const auto& each) { return each.get() == &job; });
}

void PieceWorkers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return is_ending_ || !jobs_.empty(); });
    if (is_ending_) return;
    const std::shared_ptr<PieceJob::State> job = jobs_.front();
    const std::uint64_t piece = job->begun++;
    if (job->begun == job->count) jobs_.pop_front();
    lock.unlock();
    Status status = catch_exceptions([&] { return job->work(piece); });
    lock.lock();
    job->done++;
    if (!status.ok()) leave_out(*job);
    if (!status.ok() && job->failed.ok()) job->failed = std::move(status);
    if (job->has_ended()) ended_.notify_all();
  }
}

bool PieceJob::has_ended() const {
  const std::lock_guard lock(workers_->mutex_);
  return state_->has_ended();
}

void PieceJob::leave_out() {
  const std::lock_guard lock(workers_->mutex_);
  if (state_->begun < state_->count && state_->failed.ok())
    state_->failed = Status(Code::cancelled, "the rest of a job was left out");
  workers_->leave_out(*state_);
  if (state_->has_ended()) workers_->ended_.notify_all();
}

Status PieceJob::wait() {
  std::unique_lock lock(workers_->mutex_);
  workers_->ended_.wait(lock, [this] { return state_->has_ended(); });
  return state_->failed;
}

PieceJob::~PieceJob() {
  if (!state_) return;
  {
    const std::lock_guard lock(workers_->mutex_);
    if (!state_->has_ended()) workers_->leave_out(*state_);
  }
  static_cast<void>(wait());
}

PieceJob& PieceJob::operator=(PieceJob&& other) noexcept {
  PieceJob ends(std::move(*this));
  workers_ = other.workers_;
  state_ = std::move(other.state_);
  return *this;
}

}  // namespace penstock
