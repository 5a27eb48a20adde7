#include "codec/batch/chunk_program.hpp"

#include <algorithm>

#include "kernel/kernel_source.hpp"
#include "primitive/primitive_source.hpp"

namespace penstock::batch {

Result<std::shared_ptr<Program>> build_program(Device& device, const GroupPolicy& policy,
                                               std::string_view file) {
  const std::string path = "codec/" + std::string(file) + ".kc";
  const kernel::KernelFiles files{
      kernel::codec_source,
      {path},
      primitive::groups_per_multiprocessor(policy.groups_per_multiprocessor)};
  return device.build(
      kernel::program_source(device.traits().target, files, policy.group_size, file));
}

std::uint32_t groups_of(const GroupPolicy& policy, const Traits& traits,
                        std::uint32_t chunk_count) {
  const std::uint64_t wanted =
      (std::uint64_t{chunk_count} + policy.chunks_per_group - 1) / policy.chunks_per_group;
  return static_cast<std::uint32_t>(
      std::min(wanted, std::uint64_t{traits.compute_units} * policy.groups_per_multiprocessor));
}

}  // namespace penstock::batch
