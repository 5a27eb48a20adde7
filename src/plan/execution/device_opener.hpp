// The device of a run: opened in a thread of its own, beside what is read meanwhile; with a profile
// or stalls of what it does, where they are asked for.
#pragma once
#include <future>
#include <memory>
#include <string>

#include "plan/profile/recording.hpp"

namespace penstock::plan {

class RunDevice {
 public:
  // `recording`: null where no profile is asked for. `options` outlive it.
  RunDevice(const RunOptions& options, std::shared_ptr<Recording> recording)
      : options_(options), recording_(std::move(recording)) {}
  // Before each of a run's results.
  Status begin();
  bool is_opening() const { return opening_.valid(); }
  // Whether it came just now, and was opening before.
  Result<bool> wait();
  // Behind each result: its profile.
  Status finish(RunReport& report);

  const std::shared_ptr<Device>& get() const { return device_; }  // null until wait() has returned
  std::string name() const { return device_ ? device_->traits().id : "the host"; }

 private:
  Result<std::shared_ptr<Device>> open() const;
  Status begin_sampling();

  const RunOptions& options_;
  std::shared_ptr<Recording> recording_;
  std::shared_ptr<Device> device_;
  std::future<Result<std::shared_ptr<Device>>> opening_;  // valid until device_ is set
  std::unique_ptr<StallSampler> sampler_;
};

}  // namespace penstock::plan
