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

// A queue's first use of a buffer waits for whatever used its memory before.
Status wait_for_memory(std::span<const device::DeviceCopy> copies) {
  PENSTOCK_ASSIGN(const auto queue, copies[0].to.device->queue());
  std::set<const Buffer*> waited_for;
  std::uint32_t unused = 0;
  for (const device::DeviceCopy& copy : copies)
    if (waited_for.insert(copy.to.buffer).second)
      PENSTOCK_TRY(queue->download(&unused, *copy.to.buffer, sizeof unused, 0));
  return queue->finish();
}

CUresult begin_copy(const Context& context, const device::DeviceCopy& copy, CUstream stream) {
  const CUcontext source = gpu_of(copy.from)->context()->context;
  allow_access(context.api, context.context, source);
  const auto& into = dynamic_cast<const device::PooledBuffer&>(*copy.to.buffer);
  const auto& out_of = dynamic_cast<const device::PooledBuffer&>(*copy.from.buffer);
  return context.api.cuMemcpyPeerAsync(into.handle() + copy.to.offset, context.context,
                                       out_of.handle() + copy.from.offset, source, copy.bytes,
                                       stream);
}

Result<bool> copy_over_link(std::span<const device::DeviceCopy> copies) {
  if (!std::ranges::all_of(copies, is_between_gpus)) return false;
  PENSTOCK_TRY(wait_for_memory(copies));
  const Context& context = *gpu_of(copies[0].to)->context();
  const Current current(context);
  CUstream stream = context.idle_streams.take();
  if (!stream)
    PENSTOCK_TRY(context.check(context.api.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING),
                               "cuStreamCreate"));
  CUresult begun = CUDA_SUCCESS;
  for (std::size_t i = 0; i < copies.size() && begun == CUDA_SUCCESS; i++)
    begun = begin_copy(context, copies[i], stream);
  const CUresult done = context.api.cuStreamSynchronize(stream);
  if (!context.idle_streams.keep(stream)) context.api.cuStreamDestroy(stream);
  PENSTOCK_TRY(context.check(begun, "cuMemcpyPeerAsync"));
  PENSTOCK_TRY(context.check(done, "cuStreamSynchronize"));
  return true;
}

}  // namespace
}  // namespace penstock::cuda

namespace penstock::device {

Result<bool> copy_over_cuda_link(std::span<const DeviceCopy> copies) {
  return cuda::copy_over_link(copies);
}

}  // namespace penstock::device
