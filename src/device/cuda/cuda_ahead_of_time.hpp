// Programs that came with Penstock. A CUBIN serves every GPU of its architecture, so their keys
// have neither the GPU's name nor the driver.
#pragma once
#include <string>
#include <vector>

#include "device/ahead_of_time.hpp"

namespace penstock::cuda {

// `options`: compiler_options().
device::AheadOfTime programs_ahead_of_time(const Traits& traits, const ProgramSource& source,
                                           const std::vector<std::string>& options);

}  // namespace penstock::cuda
