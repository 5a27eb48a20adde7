// The number in the name of a device's architecture.
#pragma once
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "penstock/device.hpp"

namespace penstock::device {

// Returns 90 for "sm_90"; 0 for other names.
inline int architecture_number(const Traits& traits) {
  int number = 0;
  if (traits.architecture.starts_with("sm_"))
    std::from_chars(traits.architecture.data() + 3,
                    traits.architecture.data() + traits.architecture.size(), number);
  return number;
}

// Returns whether the device's compiler takes PTX instructions of an architecture (inline assembly
// of CUDA C++).
inline bool accepts_ptx(const Traits& traits, int architecture) {
  return traits.target == Target::cuda && architecture_number(traits) >= architecture;
}

// Returns whether kernels may have LLVM's functions of NVIDIA's instructions through SYCL:
// AdaptiveCpp leaves them as they are, unless ACPP_TARGETS has it compile for named targets.
inline bool has_nvvm(const Traits& traits) {
  if (traits.target != Target::sycl || architecture_number(traits) < 70) return false;
  const char* const targets = std::getenv("ACPP_TARGETS");
  return traits.compiler.find("AdaptiveCpp") != std::string::npos &&
         (!targets || !*targets || std::string_view(targets) == "generic");
}

}  // namespace penstock::device
