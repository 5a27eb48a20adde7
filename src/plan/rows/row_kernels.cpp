#include "plan/rows/row_kernels.hpp"

#include <algorithm>
#include <vector>

#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {
namespace {

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

}  // namespace

RowKernels::RowKernels(std::shared_ptr<Device> device, std::initializer_list<const char*> names)
    : device_(std::move(device)) {
  ProgramSource source = row_kernels_source(device_->traits(), names);
  source_ = source.text;
  building_ = ThreadPool::shared().start(
      [on = device_, source = std::move(source)] { return on->build(source); });
}

Status RowKernels::wait() {
  if (!compiled_) { PENSTOCK_ASSIGN(compiled_, building_.get()); }
  return {};
}

std::uint32_t RowKernels::groups_for(std::uint64_t count) const {
  const Traits& traits = device_->traits();
  const std::uint64_t group_size = compiled_->group_size(),
                      max_groups = std::uint64_t{traits.compute_units} *
                                   (traits.wants_single_thread_groups() ? 4 : 16);
  return static_cast<std::uint32_t>(std::min((count + group_size - 1) / group_size, max_groups));
}

Status RowKernels::launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                          std::span<const Argument> arguments) {
  PENSTOCK_TRY(wait());
  launches_++;
  return queue.launch(*compiled_, kernel, groups_for(count), arguments);
}

void RowKernels::add_to(RunReport& report, std::string_view name,
                        const KernelFigures& figures) const {
  add_kernel(report, std::string(name), source_, *compiled_, figures);
}

}  // namespace penstock::plan
