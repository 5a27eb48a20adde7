#include "kernel/kernel_text.hpp"

#include <algorithm>

namespace penstock::kernel {

Result<double> copy_bandwidth(Device& device) {
  const std::uint64_t bytes = device.traits().is_cpu ? std::uint64_t{256} << 20 : std::uint64_t{1} << 30;
  PENSTOCK_ASSIGN(const auto from, device.allocate(bytes));
  PENSTOCK_ASSIGN(const auto to, device.allocate(bytes));
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(queue->fill(*from, 1, bytes));
  PENSTOCK_TRY(queue->fill(*to, 2, bytes));
  std::vector<double> seconds;
  for (int i = 0; i < 8; i++) {
    PENSTOCK_ASSIGN(const auto begun, queue->record());
    PENSTOCK_TRY(queue->copy(*to, *from, bytes));
    PENSTOCK_ASSIGN(const auto done, queue->record());
    PENSTOCK_TRY(done->wait());
    PENSTOCK_ASSIGN(const double once, done->seconds_since(*begun));
    seconds.push_back(once);
  }
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(bytes) / seconds[seconds.size() / 2];
}

}  // namespace penstock::kernel
