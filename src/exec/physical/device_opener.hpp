// Opens the device of a run in a thread, while the run reads its sources. Records a profile or
// stalls of the device where the run asks for them. A session's device is open already, or opens
// once.
#pragma once
#include <memory>
#include <string>

#include "base/thread_pool.hpp"
#include "exec/profile/recording.hpp"
#include "penstock/session_device.hpp"

namespace penstock::plan {

// Opens the device of a run, or waits for its session's.
Result<std::shared_ptr<Device>> device_of(const RunOptions& options);

class DeviceOpener {
 public:
  // `recording`: null where no profile is asked for. `options` outlive it. `given`: a device that
  // is open already, or null.
  DeviceOpener(const RunOptions& options, std::shared_ptr<Recording> recording,
               std::shared_ptr<Device> given)
      : options_(options), recording_(std::move(recording)), given_(std::move(given)) {}
  // Begins to open the device. Call before each of a run's results.
  Status begin();
  bool is_opening() const { return opening_.valid(); }
  // Waits for the device. Returns whether this call was the first to have it.
  Result<bool> wait();
  // Adds the profile to a report. Call after each result.
  Status finish(RunReport& report);

  const std::shared_ptr<Device>& get() const { return device_; }  // null until wait() has returned
  std::string name() const { return device_ ? device_->traits().id : "the host"; }

 private:
  Result<std::shared_ptr<Device>> open() const;
  Status begin_sampling();

  const RunOptions& options_;
  std::shared_ptr<Recording> recording_;
  std::shared_ptr<Device> given_, device_;
  Task<Result<std::shared_ptr<Device>>> opening_;  // valid until device_ is set
  bool is_open_ = false;                           // given or by the session, and not taken yet
  std::unique_ptr<StallSampler> sampler_;
};

}  // namespace penstock::plan
