#include "plan/join/join_kernels.hpp"

#include "plan/codegen/emit_pipeline_parts.hpp"
#include "plan/rows/row_kernels.hpp"

namespace penstock::plan {

std::shared_ptr<JoinKernels> JoinKernels::begin(std::shared_ptr<Device> device) {
  ProgramSource source =
      row_kernels_source(device->traits(), {"join_table", "join_pairs", "join_buckets"});
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
  return row_groups(device_->traits(), *compiled_, count);
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
