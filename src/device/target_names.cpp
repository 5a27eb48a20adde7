#include <array>

#include "penstock/device.hpp"

namespace penstock {
namespace {

constexpr std::array<std::string_view, 6> target_names = {"cuda", "opencl", "metal",
                                                          "sycl", "cpu",    "host"};
static_assert(target_names.size() == static_cast<std::size_t>(Target::host) + 1);

}  // namespace

std::string_view name_of(Target target) { return target_names[static_cast<std::size_t>(target)]; }

Result<Target> target_from_name(std::string_view name) {
  for (std::size_t i = 0; i < target_names.size(); i++)
    if (target_names[i] == name) return static_cast<Target>(i);
  return Status(Code::invalid, "no target '" + std::string(name) +
                                   "': it is one of cuda, opencl, metal, sycl, cpu, host");
}

std::string_view name_of(CpuTier tier) { return tier == CpuTier::quick ? "quick" : "optimising"; }

std::string_view name_of(CacheResult result) {
  constexpr std::array<std::string_view, 3> names = {"memory", "disk", "compiled"};
  return names[static_cast<std::size_t>(result)];
}

}  // namespace penstock
