#include "kernel/bandwidth.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "kernel/kernel_source.hpp"

namespace penstock::kernel {
namespace {

struct Buffers {
  std::shared_ptr<Buffer> from, to;
  std::uint64_t bytes = 0;
};

// Two buffers, halved in size until they fit; below 16 MiB a figure would be that of a cache.
Result<Buffers> take_buffers(Device& device) {
  constexpr std::uint64_t mebibyte = 1 << 20, min_bytes = 16 * mebibyte;
  std::uint64_t bytes = device.traits().shares_host_cores() ? 256 * mebibyte : 1024 * mebibyte;
  for (;; bytes /= 2) {
    auto from = device.allocate(bytes), to = device.allocate(bytes);
    if (from.ok() && to.ok()) return Buffers{std::move(from).value(), std::move(to).value(), bytes};
    if (bytes / 2 < min_bytes)
      return (from.ok() ? to : from)
          .with("while measuring the copy bandwidth of " + device.traits().id);
  }
}

// The median of several runs, the first of which (page faults, clocks rising) does not count.
template <class Enqueue> Result<double> median_seconds(Queue& queue, Enqueue enqueue) {
  constexpr int run_count = 9;
  std::vector<double> seconds;
  for (int i = 0; i <= run_count; i++) {
    PENSTOCK_ASSIGN(const auto begun, queue.record());
    PENSTOCK_TRY(enqueue());
    PENSTOCK_ASSIGN(const auto done, queue.record());
    PENSTOCK_TRY(done->wait());
    PENSTOCK_ASSIGN(const double once, done->seconds_since(*begun));
    if (i > 0) seconds.push_back(once);
  }
  std::nth_element(seconds.begin(), seconds.begin() + run_count / 2, seconds.end());
  return seconds[run_count / 2];
}

struct CopyKernel {
  const char* name;
  std::uint32_t group_size, groups;
};

// A CPU core runs a work item as a loop; more chunks than cores even out their speeds. A GPU is
// filled a few times over.
CopyKernel kernel_for(const Traits& traits) {
  if (traits.wants_single_thread_groups()) return {"copy_chunks", 1, traits.compute_units * 4};
  return {"copy_wide", std::min(512u, traits.max_group_size), traits.compute_units * 16};
}

Result<std::shared_ptr<Program>> build(Device& device, const CopyKernel& kernel) {
  return device.build(program_source(device.traits().target, {kernel_source, {"kernel/copy.kc"}},
                                     kernel.group_size, "copy"));
}

Result<double> measure(Device& device) {
  PENSTOCK_ASSIGN(const Buffers buffers, take_buffers(device));
  const CopyKernel kernel = kernel_for(device.traits());
  PENSTOCK_ASSIGN(const auto program, build(device, kernel));
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_TRY(queue->fill(*buffers.from, 1, buffers.bytes));
  PENSTOCK_TRY(queue->fill(*buffers.to, 2, buffers.bytes));
  PENSTOCK_ASSIGN(const double drivers, median_seconds(*queue, [&] {
                    return queue->copy(*buffers.to, *buffers.from, buffers.bytes);
                  }));
  const Argument arguments[] = {Argument::of(*buffers.from), Argument::of(*buffers.to),
                                Argument::value(buffers.bytes / 4)};
  PENSTOCK_ASSIGN(const double ours, median_seconds(*queue, [&] {
                    return queue->launch(*program, kernel.name, kernel.groups, arguments);
                  }));
  return 2.0 * static_cast<double>(buffers.bytes) / std::min(drivers, ours);
}

}  // namespace

Status build_copy(Device& device) { return build(device, kernel_for(device.traits())).status(); }

Result<double> copy_bandwidth(Device& device) {
  static std::mutex mutex;
  static std::map<std::string, double, std::less<>> measured;
  const std::lock_guard guard(mutex);
  if (const auto known = measured.find(device.traits().id); known != measured.end())
    return known->second;
  PENSTOCK_ASSIGN(const double bytes_per_second, measure(device));
  return measured[device.traits().id] = bytes_per_second;
}

}  // namespace penstock::kernel
