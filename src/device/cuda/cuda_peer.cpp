#include <algorithm>
#include <mutex>
#include <set>

#include "device/cuda/cuda_device.hpp"
#include "device/device_range.hpp"
#include "device/wrapped_device.hpp"

namespace penstock::cuda {
namespace {

const CudaDevice* gpu_of(const device::DeviceRange& range) {
  return dynamic_cast<const CudaDevice*>(&device::device_of_driver(*range.device));
}

// Lets a GPU reach another one's memory, once. Where it cannot, the driver copies by the host.
void allow_access(const Api& api, CUcontext from, CUcontext to) {
  static std::mutex mutex;
  static std::set<std::pair<CUcontext, CUcontext>> known;
  const std::lock_guard lock(mutex);
  if (from == to || !api.cuCtxEnablePeerAccess || !known.insert({from, to}).second) return;
  static_cast<void>(api.cuCtxEnablePeerAccess(to, 0));
}

bool is_between_gpus(const device::DeviceCopy& copy) {
  const CudaDevice* const target = gpu_of(copy.to);
  return target && gpu_of(copy.from) && target->context()->api.cuMemcpyPeerAsync &&
         dynamic_cast<const device::PooledBuffer*>(copy.to.buffer) &&
         dynamic_cast<const device::PooledBuffer*>(copy.from.buffer);
}

Status begin_copy(const Context& context, const device::DeviceCopy& copy, Queue& queue) {
  const CUcontext source = gpu_of(copy.from)->context()->context;
  allow_access(context.api, context.context, source);
  const auto& out_of = dynamic_cast<const device::PooledBuffer&>(*copy.from.buffer);
  return copy_from_peer(queue, *copy.to.buffer, copy.to.offset, out_of.handle() + copy.from.offset,
                        source, copy.bytes);
}

// No small download tells when the memory is free: it would wait for large ones of other queues.
Result<bool> copy_over_link(std::span<const device::DeviceCopy> copies) {
  if (!std::ranges::all_of(copies, is_between_gpus)) return false;
  const ContextPointer& context = gpu_of(copies[0].to)->context();
  const Current current(*context);
  PENSTOCK_ASSIGN(const auto queue, make_queue(context));
  Status begun;
  for (std::size_t i = 0; i < copies.size() && begun.ok(); i++)
    begun = begin_copy(*context, copies[i], *queue);
  const Status done = queue->finish();
  PENSTOCK_TRY(begun);
  PENSTOCK_TRY(done);
  return true;
}

}  // namespace
}  // namespace penstock::cuda

namespace penstock::device {

Result<bool> copy_over_cuda_link(std::span<const DeviceCopy> copies) {
  return cuda::copy_over_link(copies);
}

}  // namespace penstock::device
