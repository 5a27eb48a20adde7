#include <mutex>
#include <set>

#include "device/cuda/cuda_device.hpp"
#include "device/device_range.hpp"

namespace penstock::cuda {
namespace {

const CudaDevice* gpu_of(const device::DeviceRange& range) {
  return dynamic_cast<const CudaDevice*>(range.device);
}

// Lets a GPU reach another one's memory, once. Where it cannot, the driver copies by the host.
void allow_access(const Api& api, CUcontext from, CUcontext to) {
  static std::mutex mutex;
  static std::set<std::pair<CUcontext, CUcontext>> known;
  const std::lock_guard lock(mutex);
  if (from == to || !api.cuCtxEnablePeerAccess || !known.insert({from, to}).second) return;
  static_cast<void>(api.cuCtxEnablePeerAccess(to, 0));
}

Result<bool> copy_over_link(const device::DeviceRange& to, const device::DeviceRange& from,
                            std::uint64_t bytes) {
  const CudaDevice *const target = gpu_of(to), *const source = gpu_of(from);
  if (!target || !source || !target->context()->api.cuMemcpyPeerAsync) return false;
  // A queue's first use of a buffer waits for whatever used its memory before.
  std::uint32_t unused = 0;
  PENSTOCK_ASSIGN(const auto queue, to.device->queue());
  PENSTOCK_TRY(queue->download(&unused, *to.buffer, sizeof unused, 0));
  PENSTOCK_TRY(queue->finish());
  const auto* const into = dynamic_cast<const device::PooledBuffer*>(to.buffer);
  const auto* const out_of = dynamic_cast<const device::PooledBuffer*>(from.buffer);
  if (!into || !out_of) return false;
  const Context& context = *target->context();
  const Current current(context);
  allow_access(context.api, context.context, source->context()->context);
  CUstream stream = nullptr;
  PENSTOCK_TRY(
      context.check(context.api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate"));
  const CUresult begun = context.api.cuMemcpyPeerAsync(into->handle() + to.offset, context.context,
                                                       out_of->handle() + from.offset,
                                                       source->context()->context, bytes, stream);
  const CUresult done = context.api.cuStreamSynchronize(stream);
  context.api.cuStreamDestroy(stream);
  PENSTOCK_TRY(context.check(begun, "cuMemcpyPeerAsync"));
  PENSTOCK_TRY(context.check(done, "cuStreamSynchronize"));
  return true;
}

}  // namespace
}  // namespace penstock::cuda

namespace penstock::device {

Result<bool> copy_over_cuda_link(const DeviceRange& to, const DeviceRange& from,
                                 std::uint64_t bytes) {
  return cuda::copy_over_link(to, from, bytes);
}

}  // namespace penstock::device
