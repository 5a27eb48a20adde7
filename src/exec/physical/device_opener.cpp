#include "exec/physical/device_opener.hpp"

namespace penstock::plan {

Result<std::shared_ptr<Device>> device_of(const RunOptions& options) {
  return options.session ? options.session->device() : open_device(options.device);
}

Status DeviceOpener::begin() {
  if (device_) return begin_sampling();
  is_open_ = given_ || (options_.session && options_.session->is_open());
  if (is_open_) return {};
  opening_ = ThreadPool::shared().start([this] { return open(); });
  return {};
}

Result<std::shared_ptr<Device>> DeviceOpener::open() const {
  const HostSpan span(recording_.get(), "open the device", Track::open);
  return device_of(options_);
}

Result<bool> DeviceOpener::wait() {
  if (!opening_.valid() && !is_open_) return false;
  if (is_open_) {
    device_ = given_;
    if (!device_) { PENSTOCK_ASSIGN(device_, options_.session->device()); }
    is_open_ = false;
  } else {
    const HostSpan span(recording_.get(), "wait for the device to open", Track::wait);
    opening_.wait_while_wanted();
    PENSTOCK_ASSIGN(device_, opening_.get());
  }
  PENSTOCK_TRY(begin_sampling());
  if (recording_) {
    PENSTOCK_TRY(recording_->set_clock(*device_));
    device_ = recorded(device_, recording_);
  }
  return true;
}

Status DeviceOpener::begin_sampling() {
  if (!options_.stalls) return {};
  PENSTOCK_ASSIGN(sampler_, device_->sample_stalls());
  return {};
}

Status DeviceOpener::finish(RunReport& report) {
  if (recording_) { PENSTOCK_ASSIGN(report.profile, recording_->finish(*device_)); }
  if (!sampler_) return {};
  PENSTOCK_ASSIGN(report.profile->stalls, sampler_->finish());
  sampler_.reset();
  return {};
}

}  // namespace penstock::plan
