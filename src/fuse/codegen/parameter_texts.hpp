// Describes the parameters of kernel templates for any statement: one list for all templates.
#pragma once
#include <string_view>

#include "fuse/variants/variants.hpp"

namespace penstock::plan {

// Returns the known text of a parameter of a template's kernel; for "groups", how many groups a
// launch has. Empty if that depends on the statement, or is not known.
std::string_view parameter_text(Algorithm algorithm, std::string_view kernel,
                                std::string_view parameter);

}  // namespace penstock::plan
