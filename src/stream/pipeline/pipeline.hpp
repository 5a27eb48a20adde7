// Runs jobs through three stages on several threads and delivers their output in order.
//
// take() cuts the next job off the input, in order. work() makes its output, several jobs at once.
// join() sees the jobs in order again, for what crosses them. A method that cannot be split does
// all of its work in take(), which still runs beside the caller, who writes earlier output.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/cancellation.hpp"
#include "base/thread_pool.hpp"
#include "penstock/stream.hpp"
#include "stream/pipeline/job.hpp"

namespace penstock::stream {

// Produces bytes in order. Every method ends in one of these.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Returns the next bytes, which are valid until the next call; empty at the end.
  virtual Result<std::span<const std::byte>> next() = 0;
  // Bytes after the input's position that are decoded already. For progress.
  virtual std::uint64_t bytes_decoded_ahead() const { return 0; }
  // Bytes before the input's position that are not decoded yet. For progress.
  virtual std::uint64_t bytes_pending() const { return 0; }
  // Whether the method found at the end that it does not fit the member at the input's position.
  virtual bool rejects_member() const { return false; }
};

template <class JobType> class Stages {
 public:
  virtual ~Stages() = default;
  // Fills an empty job. Returns false at the end of what this method decodes. One thread at a time.
  virtual Result<bool> take(JobType& job) = 0;
  virtual Status work(JobType&) { return {}; }
  // Called in the order of take(), on the caller's thread, for jobs before the first error.
  virtual Status join(JobType&) { return {}; }
  virtual bool rejects_member() const { return false; }  // asked after take() returned false
};
using DecodeStages = Stages<DecodeJob>;
using EncodeStages = Stages<EncodeJob>;

template <class JobType> class Pipeline : public Decoder {
 public:
  // With no threads, the caller's does all the work. `after_job` is called on the caller's thread
  // after each job, also after jobs without output; its error ends the pipeline. Throws where no
  // thread can be created. The stages work for the cancellation scope of this thread.
  Pipeline(std::unique_ptr<Stages<JobType>> stages, std::uint32_t threads,
           std::function<Status()> after_job = {});
  ~Pipeline() override;
  Result<std::span<const std::byte>> next() override;
  bool rejects_member() const override { return stages_->rejects_member(); }

 private:
  enum class State : unsigned char { empty, busy, ready };
  struct Slot {
    State state = State::empty;
    JobType job;
    Status status;
    bool is_end = false;
  };
  void run();
  void fill(Slot& slot, std::unique_lock<std::mutex>& lock);
  void fill_on_caller(Slot& slot);
  Slot& wait_for_next();
  void release(Slot& slot);
  Status join(Slot& slot);

  std::unique_ptr<Stages<JobType>> stages_;
  std::function<Status()> after_job_;
  const std::shared_ptr<Cancellation> cancellation_ = current_cancellation();
  std::mutex mutex_;
  std::condition_variable slot_freed_, slot_ready_;
  std::vector<Slot> slots_;
  std::uint64_t taken_ = 0, delivered_ = 0;  // jobs so far
  bool is_taking_ = false, is_ended_ = false, is_stopping_ = false;
  bool holds_slot_ = false;  // the caller reads the job that was delivered last
  std::vector<Task<void>> workers_;
};
extern template class Pipeline<DecodeJob>;
extern template class Pipeline<EncodeJob>;

// Returns the number of threads to run; 0 means as many as this process may use.
std::uint32_t thread_count(std::uint32_t asked);

}  // namespace penstock::stream
