// What the parameters of kernel templates are, whatever the statement: one list for all templates.
#pragma once
#include <string_view>

#include "fuse/variants/variants.hpp"

namespace penstock::plan {

// Returns what is known of a parameter of a template's kernel, and of "groups", how many groups a
// launch has. Empty where that depends on the statement, or nothing is known.
std::string_view parameter_text(Algorithm algorithm, std::string_view kernel,
                                std::string_view parameter);

}  // namespace penstock::plan
