// The work that `penstock tune` measures, for each family of variants with a policy that has
// numbers to choose.
#pragma once
#include <memory>
#include <span>

#include "penstock/device.hpp"

namespace penstock::bench {

// Work on a device that a family's kernel does again and again.
class TunedWork {
 public:
  virtual ~TunedWork() = default;
  // Builds the kernels by the current policy.
  virtual Status build() = 0;
  // Runs once and compares the answer. Code::internal if it is wrong.
  virtual Status verify() = 0;
  virtual Result<double> run_seconds() = 0;  // of the device
};

// A row of the list of such work. A family may have several, of other shapes.
struct TunedFamily {
  const char *family, *data;
  Result<std::unique_ptr<TunedWork>> (*open)(const std::shared_ptr<Device>& device);
};
std::span<const TunedFamily> tuned_families();

// Each in a file of its kind: <kind>_work.cpp.
Result<std::unique_ptr<TunedWork>> open_filter(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_sum(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_groups(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_sort(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_sort_of_rows(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_scan(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_fsst(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_lz4(const std::shared_ptr<Device>& device);
Result<std::unique_ptr<TunedWork>> open_vif(const std::shared_ptr<Device>& device);

// The rows of pipelines, sorts and scans: enough to fill a device, few enough to be measured often.
inline std::uint64_t tuned_rows(const Device& device) {
  return device.traits().shares_host_cores() ? 1 << 22 : 1 << 27;
}
// Returns the device's time from the first launch of `enqueue` to the end of the last.
template <class Enqueue> Result<double> seconds_on(Queue& queue, const Enqueue& enqueue) {
  PENSTOCK_ASSIGN(const auto begun, queue.record());
  PENSTOCK_TRY(enqueue());
  PENSTOCK_ASSIGN(const auto done, queue.record());
  PENSTOCK_TRY(done->wait());
  return done->seconds_since(*begun);
}

}  // namespace penstock::bench
