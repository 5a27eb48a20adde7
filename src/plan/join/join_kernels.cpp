#include "plan/join/join_kernels.hpp"

#include <algorithm>

#include "kernel/kernel_source.hpp"
#include "plan/codegen/emit_pipeline_parts.hpp"

namespace penstock::plan {

std::shared_ptr<JoinKernels> JoinKernels::begin(std::shared_ptr<Device> device) {
  const Traits& traits = device->traits();
  const kernel::SourcePart parts[] = {
      {"plan/codegen/kernels/join_table.kc", template_source("join_table")},
      {"plan/codegen/kernels/join_pairs.kc", template_source("join_pairs")}};
  ProgramSource source;
  source.text = kernel::assemble(traits.target, parts, kernel::plan_source);
  source.group_size =
      traits.wants_single_thread_groups() ? 1 : std::min(256u, traits.max_group_size);
  source.label = "join_table.kc";
  std::shared_ptr<JoinKernels> kernels(new JoinKernels(device));
  kernels->source_ = source.text;
  kernels->building_ = ThreadPool::shared().start(
      [on = std::move(device), source = std::move(source)] { return on->build(source); });
  return kernels;
}

Status JoinKernels::wait() {
  if (!compiled_) { PENSTOCK_ASSIGN(compiled_, building_.get()); }
  return {};
}

std::uint32_t JoinKernels::groups_for(std::uint64_t count) const {
  const Traits& traits = device_->traits();
  const std::uint64_t group_size = compiled_->group_size(),
                      max_groups = std::uint64_t{traits.compute_units} *
                                   (traits.wants_single_thread_groups() ? 4 : 16);
  return static_cast<std::uint32_t>(std::min((count + group_size - 1) / group_size, max_groups));
}

Status JoinKernels::launch(Queue& queue, std::string_view kernel, std::uint64_t count,
                           std::span<const Argument> arguments) {
  PENSTOCK_TRY(wait());
  launches_++;
  return queue.launch(*compiled_, kernel, groups_for(count), arguments);
}

KernelReport& JoinKernels::add_to(RunReport& report, const std::string& name) const {
  KernelReport kernel;
  kernel.name = kernel.variant = name;
  kernel.source = source_;
  kernel.build = compiled_->report();
  return report.kernels.emplace_back(std::move(kernel));
}

std::vector<Argument> arguments_of(std::initializer_list<const Buffer*> buffers) {
  std::vector<Argument> arguments;
  for (const Buffer* buffer : buffers) arguments.push_back(Argument::of(*buffer));
  return arguments;
}

}  // namespace penstock::plan
