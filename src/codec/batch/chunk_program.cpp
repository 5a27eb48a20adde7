#include "codec/batch/chunk_program.hpp"

#include <algorithm>

#include "kernel/kernel_source.hpp"
#include "primitive/primitive_source.hpp"

namespace penstock::kernel {
std::string_view codec_text(std::string_view name);  // cmake/Embed.cmake
}

namespace penstock::batch {

Result<std::shared_ptr<Program>> build_program(Device& device, const GroupPolicy& policy,
                                               std::span<const std::string_view> files) {
  std::vector<kernel::TextPart> parts;
  parts.push_back({"definitions", primitive::groups_per_unit(policy.groups_per_multiprocessor)});
  const auto add = [&](std::string_view file) {
    const std::string path = "codec/" + std::string(file) + ".kc";
    parts.push_back({path, std::string(kernel::codec_text(path))});
  };
  add("batch/kernels/chunk_batch");
  add("lz/kernels/warp");
  for (const std::string_view file : files) add(file);
  ProgramSource source;
  source.text = kernel::assemble(device.traits().target, parts);
  source.group_size = policy.group_size;
  source.label = files.back();
  return device.build(source);
}

std::uint32_t groups_of(const GroupPolicy& policy, const Traits& traits,
                        std::uint32_t chunk_count) {
  const std::uint64_t wanted =
      (std::uint64_t{chunk_count} + policy.chunks_per_group - 1) / policy.chunks_per_group;
  return static_cast<std::uint32_t>(
      std::min(wanted, std::uint64_t{traits.compute_units} * policy.groups_per_multiprocessor));
}

}  // namespace penstock::batch
