// Bodies of users' functions: what they call.
#pragma once
#include <string>

#include "penstock/status.hpp"

namespace penstock::session {

// Returns a body with C's names of mathematical functions as Kernel C has them: sqrt(x) is
// MATH_SQRT_F64(x), and sqrtf(x) MATH_SQRT_F32(x). Refuses other functions of the C library: the
// compiler would assume types that they do not have.
Result<std::string> body_in_kernel_c(const std::string& body);

}  // namespace penstock::session
