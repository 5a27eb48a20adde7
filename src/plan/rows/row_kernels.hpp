// Kernels over rows or groups in device memory (kernels/row_share.kc): threads share them out, so
// that any number of work groups does.
#pragma once
#include <initializer_list>
#include <string>

#include "penstock/device.hpp"

namespace penstock::plan {

// Returns the source of files in plan/codegen/kernels, named without ".kc", as one program.
ProgramSource row_kernels_source(const Traits& traits, std::initializer_list<const char*> names);
// Returns the number of work groups for `count` rows.
std::uint32_t row_groups(const Traits& traits, const Program& program, std::uint64_t count);

}  // namespace penstock::plan
