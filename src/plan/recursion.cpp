#include "plan/recursion.hpp"

#include <algorithm>

namespace penstock::plan {

Result<std::unique_ptr<BatchStream>> Recursion::scan(std::span<const std::uint32_t>,
                                                     const ScanOptions&) const {
  return Status(Code::internal, "a recursion has no rows before a run has computed them");
}

const Recursion* recursion_of(const Step& step) {
  return dynamic_cast<const Recursion*>(step.source.get());
}

bool has_recursion(const Plan& plan) {
  for (StepId id = 0; id < plan.size(); id++)
    if (recursion_of(plan.step(id)) != nullptr) return true;
  return false;
}

Plan with_sources_replaced(const Plan& plan, const Replacements& replacements) {
  Plan replaced = plan;
  for (StepId id = 0; id < plan.size(); id++) {
    const Step& step = plan.step(id);
    if (const auto found = replacements.find(step.source.get()); found != replacements.end()) {
      replaced.replace_source(id, found->second);
    } else if (const Recursion* const inner = recursion_of(step)) {
      RecursionParts parts = inner->parts();
      parts.outside = with_sources_replaced(parts.outside, replacements);
      replaced.replace_source(id, std::make_shared<Recursion>(inner->schema(), std::move(parts)));
    }
  }
  return replaced;
}

}  // namespace penstock::plan
