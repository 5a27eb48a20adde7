// The steps of a plan as text.
#pragma once
#include <string>

#include "penstock/plan.hpp"

namespace penstock::plan {

// A line for each step below a result, in their order, with its expressions and literals.
std::string describe_steps(const Plan& plan, StepId result);

}  // namespace penstock::plan
