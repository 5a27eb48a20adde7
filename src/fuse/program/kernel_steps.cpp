#include "fuse/program/kernel_steps.hpp"

#include <algorithm>

#include "fuse/program/kernel_parameters.hpp"

namespace penstock::plan {
namespace {

class KernelSteps {
 public:
  KernelSteps(const Plan& plan, StepId result, const std::vector<std::uint32_t>& consumers)
      : plan_(plan), result_(result), consumers_(consumers) {}
  Result<std::vector<KernelStep>> find() {
    PENSTOCK_TRY(add(result_, {}, {}));
    return std::move(kernels_);
  }

 private:
  Status add(StepId at, const std::optional<TopK>& top_k, const Columns& wanted) {
    const Step& step = plan_.step(at);
    if (step.kind == StepKind::order_by)
      return add(step.inputs[0],
                 top_k_of(plan_, at, *rows_asked_for(plan_, result_, at), consumers_), {});
    if (has_no_kernel(plan_, at)) return add(step.inputs[0], {}, {});
    const bool is_here = std::any_of(kernels_.begin(), kernels_.end(),
                                     [at](const KernelStep& kernel) { return kernel.last == at; });
    if (is_here) return {};
    KernelStep kernel{chain_base(plan_, at, consumers_), at, {}};
    PENSTOCK_ASSIGN(
        kernel.programs,
        fuse_chain(plan_, kernel.base, at, columns_kept(plan_, at, wanted, consumers_), top_k));
    for (const ChainInput& input : chain_inputs(plan_, kernel.base, at, kernel.programs))
      PENSTOCK_TRY(add(input.step, {}, input.columns));
    kernels_.push_back(std::move(kernel));
    return {};
  }

  const Plan& plan_;
  const StepId result_;
  const std::vector<std::uint32_t>& consumers_;
  std::vector<KernelStep> kernels_;
};

}  // namespace

Result<std::vector<TileProgram>> fuse_chain(const Plan& plan, StepId base, StepId last,
                                            const Columns& wanted,
                                            const std::optional<TopK>& top_k) {
  return wanted.empty() ? fuse_slices(plan, base, last, top_k)
                        : fuse_slices(plan, base, last, wanted);
}

Columns columns_kept(const Plan& plan, StepId id, const Columns& wanted,
                     const std::vector<std::uint32_t>& consumers) {
  return keeps_columns(plan.step(id).kind) && consumers[id] <= 1 ? wanted : Columns();
}

std::vector<ChainInput> chain_inputs(const Plan& plan, StepId base, StepId last,
                                     const std::vector<TileProgram>& programs) {
  std::vector<ChainInput> inputs;
  for (std::size_t i = 0; i < programs[0].lookups.size(); i++) {
    const Step& join = plan.step(programs[0].lookups[i].step);
    inputs.push_back({join.inputs[1], columns_looked_up(join, programs, i)});
  }
  if (base != last) inputs.push_back({base, columns_scanned(programs)});
  std::erase_if(inputs, [&](const ChainInput& input) {
    return plan.step(input.step).kind == StepKind::source;
  });
  return inputs;
}

Result<std::vector<KernelStep>> kernel_steps(const Plan& plan, StepId result,
                                             const std::vector<std::uint32_t>& consumers) {
  return KernelSteps(plan, result, consumers).find();
}

std::optional<std::uint64_t> rows_asked_for(const Plan& plan, StepId at, StepId wanted,
                                            std::uint64_t rows) {
  if (at == wanted) return rows;
  for (const StepId input : plan.step(at).inputs)
    if (const auto found = rows_asked_for(plan, input, wanted, rows_needed(plan.step(at), rows)))
      return found;
  return std::nullopt;
}

}  // namespace penstock::plan
