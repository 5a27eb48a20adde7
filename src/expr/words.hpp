// Values as words of 64 bits, which host and kernels read alike.
#pragma once
#include <cstdint>

#include "penstock/expression.hpp"

namespace penstock::expr {

bool is_sign_extended(Type type);  // in its word
// Reads a value from its word. The word of a string is a code.
Scalar scalar_of_word(Type type, std::uint64_t word);
std::uint64_t word_of_scalar(const Scalar& value);

}  // namespace penstock::expr
