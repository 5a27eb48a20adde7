#include "device/cuda/cuda_ahead_of_time.hpp"

#include "device/architecture.hpp"
#include "device/program_source.hpp"

namespace penstock::cuda {

int shipped_architecture(int architecture) {
  switch (architecture) {
    case 89: return 86;
    case 103: return 100;
    case 121: return 120;
    default: return architecture;
  }
}

device::AheadOfTime programs_ahead_of_time(const Traits& traits, const ProgramSource& source,
                                           const std::vector<std::string>& options) {
  static const auto& shipped = *new device::AheadOfTime(device::shipped_programs(
      "PENSTOCK_CUDA_PROGRAMS", "penstock_cuda.programs",
      reinterpret_cast<const void*>(&programs_ahead_of_time)));  // kept for threads
  Traits common;
  common.target = traits.target;
  common.architecture =
      "sm_" + std::to_string(shipped_architecture(device::architecture_number(traits)));
  device::AheadOfTime ahead = shipped;
  ahead.key = device::cache_key(common, device::key_options(options, source), source);
  return ahead;
}

}  // namespace penstock::cuda
