#include "fuse/program/fuse_chain.hpp"

#include "fuse/program/kernel_parameters.hpp"

namespace penstock::plan {

Result<std::vector<TileProgram>> fuse_chain(const Plan& plan, StepId base, StepId last,
                                            const Columns& wanted, const std::optional<TopK>& top_k,
                                            bool ranks_strings) {
  return wanted.empty() ? fuse_slices(plan, base, last, top_k, ranks_strings)
                        : fuse_slices(plan, base, last, wanted);
}

Columns columns_kept(const Plan& plan, StepId id, const Columns& wanted,
                     const std::vector<std::uint32_t>& consumers) {
  return keeps_columns(plan.step(id).kind) && consumers[id] <= 1 ? wanted : Columns();
}

}  // namespace penstock::plan
