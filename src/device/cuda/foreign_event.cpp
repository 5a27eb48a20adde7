#include "device/cuda/foreign_event.hpp"

#include "device/cuda/cuda_device.hpp"

namespace penstock::cuda {

Status wait_for_event(Device& device, std::uint64_t event) {
  const auto* const cuda = dynamic_cast<const CudaDevice*>(&device.underlying());
  if (cuda == nullptr) return {Code::invalid, device.traits().id + " has no events of CUDA"};
  const Context& context = *cuda->context();
  const Current current(context);
  return context.check(context.api.cuEventSynchronize(reinterpret_cast<CUevent>(event)),
                       "cuEventSynchronize");
}

}  // namespace penstock::cuda
