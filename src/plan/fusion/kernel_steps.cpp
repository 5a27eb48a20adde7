#include "plan/fusion/kernel_steps.hpp"

#include <algorithm>

#include "plan/fusion/columns_read.hpp"
#include "plan/fusion/kernel_parameters.hpp"

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
    const bool prunes = !wanted.empty() && consumers_[at] <= 1 && keeps_columns(step.kind);
    PENSTOCK_ASSIGN(kernel.programs, prunes ? fuse_slices(plan_, kernel.base, at, wanted)
                                            : fuse_slices(plan_, kernel.base, at, top_k));
    for (std::size_t i = 0; i < kernel.programs[0].lookups.size(); i++) {
      const Step& join = plan_.step(kernel.programs[0].lookups[i].step);
      PENSTOCK_TRY(add_input(join.inputs[1], columns_looked_up(join, kernel.programs, i)));
    }
    if (kernel.base != at) PENSTOCK_TRY(add_input(kernel.base, columns_scanned(kernel.programs)));
    kernels_.push_back(std::move(kernel));
    return {};
  }
  Status add_input(StepId input, const Columns& wanted) {
    return plan_.step(input).kind == StepKind::source ? Status() : add(input, {}, wanted);
  }

  const Plan& plan_;
  const StepId result_;
  const std::vector<std::uint32_t>& consumers_;
  std::vector<KernelStep> kernels_;
};

}  // namespace

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
