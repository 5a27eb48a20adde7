// The steps of a plan as text.
#pragma once
#include <string>
#include <vector>

#include "penstock/plan.hpp"

namespace penstock::plan {

// A line for each step below a result, in their order, with its expressions and literals.
std::string describe_steps(const Plan& plan, StepId result);
// "semi join on o_orderkey = l_orderkey"
std::string describe_join(const Plan& plan, const Step& step);
// "l, m with numbers"
std::string describe_unnesting(const Unnesting& unnesting, const Schema& input);
std::string list(const std::vector<std::string>& parts);  // "a, b"

}  // namespace penstock::plan
