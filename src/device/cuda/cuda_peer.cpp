#include <algorithm>
#include <map>
#include <mutex>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/peer_kernel.hpp"
#include "device/device_range.hpp"
#include "device/wrapped_device.hpp"

namespace penstock::cuda {
namespace {

const CudaDevice* gpu_of(const device::DeviceRange& range) {
  return dynamic_cast<const CudaDevice*>(&device::device_of_driver(*range.device));
}

// Lets one GPU access the memory of another. Without peer access the driver copies by way of the
// host. Returns whether the access is over NVLink: it has atomics, unlike PCIe.
bool reaches_over_nvlink(const Context& from, const Context& to) {
  const Api& api = from.api;
  if (&from == &to) return true;
  if (!api.cuCtxEnablePeerAccess) return false;
  const CUresult enabled = api.cuCtxEnablePeerAccess(to.handle(), 0);
  int has_atomics = 0;
  return (enabled == CUDA_SUCCESS || enabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) &&
         api.cuDeviceGetP2PAttribute &&
         api.cuDeviceGetP2PAttribute(&has_atomics, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
                                     from.device, to.device) == CUDA_SUCCESS &&
         has_atomics != 0;
}

// Asks the driver once. `from` is current.
bool has_nvlink(const Context& from, const Context& to) {
  static std::mutex mutex;
  static std::map<std::pair<CUcontext, CUcontext>, bool> known;
  const std::lock_guard lock(mutex);
  const auto [found, is_new] = known.try_emplace({from.handle(), to.handle()});
  if (is_new) found->second = reaches_over_nvlink(from, to);
  return found->second;
}

bool is_between_gpus(const device::DeviceCopy& copy) {
  const CudaDevice* const target = gpu_of(copy.to);
  return target && gpu_of(copy.from) && target->context()->api.cuMemcpyPeerAsync &&
         dynamic_cast<const device::PooledBuffer*>(copy.to.buffer) &&
         dynamic_cast<const device::PooledBuffer*>(copy.from.buffer);
}

CUdeviceptr source_of(const device::DeviceCopy& copy) {
  return dynamic_cast<const device::PooledBuffer&>(*copy.from.buffer).handle() + copy.from.offset;
}

// The driver's copies, one after another.
Status begin_copies(std::span<const device::DeviceCopy> copies, Queue& queue) {
  for (const device::DeviceCopy& copy : copies)
    PENSTOCK_TRY(copy_from_peer(queue, *copy.to.buffer, copy.to.offset, source_of(copy),
                                gpu_of(copy.from)->context()->handle(), copy.bytes));
  return {};
}

// Takes each `step`th copy from the `first` on.
Status launch_copies(std::span<const device::DeviceCopy> copies, std::size_t first,
                     std::size_t step, const Kernel& kernel, Queue& queue) {
  PeerCopies list{.copies = {}, .count = 0};
  std::uint64_t max_bytes = 0;
  for (std::size_t i = first; i < copies.size(); i += step) {
    const device::DeviceCopy& copy = copies[i];
    PENSTOCK_ASSIGN(const CUdeviceptr to, address_for(queue, *copy.to.buffer));
    list.copies[list.count++] = {to + copy.to.offset, source_of(copy), copy.bytes};
    max_bytes = std::max(max_bytes, copy.bytes);
  }
  return launch_with(queue, kernel, groups_of_copies(list.count, max_bytes), &list);
}

// One launch does all copies, so that a GPU reads all its peers at once, and as much of each. A GPU
// serves the driver's own copies in the order of the requests: a late request holds the next one
// back. On four GPUs that exchange 0.7 GB the driver's copies took twice the link's time. Copies
// are listed device by device: if they need several launches, each launch reads from all devices.
Status begin_kernel(std::span<const device::DeviceCopy> copies, const Program& program,
                    Queue& queue) {
  const auto* const built = dynamic_cast<const CudaProgram*>(&program);
  if (!built) return Status(Code::internal, "a GPU's program is not of CUDA");
  PENSTOCK_ASSIGN(const Kernel* const kernel, built->kernel("copy_from_peers"));
  const std::size_t launches = (copies.size() + peer_copies_limit - 1) / peer_copies_limit;
  for (std::size_t launch = 0; launch < launches; launch++)
    PENSTOCK_TRY(launch_copies(copies, launch, launches, *kernel, queue));
  return {};
}

bool are_over_nvlink(std::span<const device::DeviceCopy> copies, const Context& context) {
  bool are_all = true;
  for (const device::DeviceCopy& copy : copies)  // asks for each: access is enabled, too
    are_all &= has_nvlink(context, *gpu_of(copy.from)->context());
  return are_all;
}

// Without a compiler, as in packages with kernels compiled ahead, the driver copies.
Status begin(std::span<const device::DeviceCopy> copies, const Context& context, Queue& queue) {
  if (!are_over_nvlink(copies, context)) return begin_copies(copies, queue);
  const device::DeviceRange& to = copies[0].to;
  const auto program =
      gpu_of(to)->copies_from_peers().get([&] { return to.device->build(peer_kernel_source()); });
  return program.ok() ? begin_kernel(copies, **program, queue) : begin_copies(copies, queue);
}

// No small download tells when the memory is free: it would wait for large ones of other queues.
Result<bool> copy_over_link(std::span<const device::DeviceCopy> copies) {
  if (!std::ranges::all_of(copies, is_between_gpus)) return false;
  const ContextPointer& context = gpu_of(copies[0].to)->context();
  const Current current(*context);
  PENSTOCK_ASSIGN(const auto queue, make_queue(context));
  const Status begun = begin(copies, *context, *queue);
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
