// Steps that stand for others as long as keys are unique.
#include <algorithm>

#include "penstock/plan.hpp"

namespace penstock {

void Plan::expect_unique_keys(StepId join, std::shared_ptr<ExpectedKeys> keys) {
  steps_[join].expected_keys = std::move(keys);
}

Status Plan::prefer(StepId step, StepId otherwise, std::shared_ptr<const ExpectedKeys> keys) {
  const auto are_alike = [](const Field& a, const Field& b) {
    return a.name == b.name && a.type == b.type && a.nullable == b.nullable;
  };
  if (step >= size() || otherwise >= step || !keys ||
      !std::ranges::equal(steps_[step].schema, steps_[otherwise].schema, are_alike))
    return Status(Code::invalid, "a step is preferred to an earlier one of the same schema");
  preferences_.push_back({step, otherwise, std::move(keys)});
  return {};
}

// The step becomes a copy of the other one, which its readers read then.
template <class Drops> Plan Plan::without(const Drops& drops) const {
  Plan plan = *this;
  for (const Preference& one : preferences_)
    if (drops(one)) plan.steps_[one.step] = Step(plan.steps_[one.otherwise]);
  std::erase_if(plan.preferences_, drops);
  return plan;
}

std::optional<Plan> Plan::with_repeats_found() const {
  const auto repeat = [](const Preference& one) { return one.keys->repeat.load(); };
  if (std::ranges::none_of(preferences_, repeat)) return std::nullopt;
  return without(repeat);
}

Plan Plan::without_preferences() const {
  return without([](const Preference&) { return true; });
}

}  // namespace penstock
