#include "plan/rows/row_kernels.hpp"

#include <algorithm>
#include <vector>

#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {

ProgramSource row_kernels_source(const Traits& traits, std::initializer_list<const char*> names) {
  std::vector<kernel::SourcePart> parts;
  for (const char* name : names)
    parts.push_back(
        {"plan/codegen/kernels/" + std::string(name) + ".kc", std::string(template_source(name))});
  ProgramSource source;
  source.text = kernel::assemble(traits.target, parts, kernel::plan_source);
  source.group_size =
      traits.wants_single_thread_groups() ? 1 : std::min(256u, traits.max_group_size);
  source.label = std::string(*names.begin()) + ".kc";
  return source;
}

std::uint32_t row_groups(const Traits& traits, const Program& program, std::uint64_t count) {
  const std::uint64_t group_size = program.group_size(),
                      max_groups = std::uint64_t{traits.compute_units} *
                                   (traits.wants_single_thread_groups() ? 4 : 16);
  return static_cast<std::uint32_t>(std::min((count + group_size - 1) / group_size, max_groups));
}

}  // namespace penstock::plan
