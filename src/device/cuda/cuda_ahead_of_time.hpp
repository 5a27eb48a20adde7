// Programs that came with Penstock. A CUBIN serves every GPU of its architecture, whichever NVRTC
// made it. So their keys have neither the name of the GPU, nor the driver, nor the compiler. A
// driver refuses what is newer than it, which is then compiled.
#pragma once
#include <string>
#include <vector>

#include "device/ahead_of_time.hpp"

namespace penstock::cuda {

// Returns the architecture for which programs are shipped that a GPU runs, 86 for one of sm_89. A
// CUBIN runs on later minor versions of its architecture, too.
int shipped_architecture(int architecture);

// `options`: compiler_options().
device::AheadOfTime programs_ahead_of_time(const Traits& traits, const ProgramSource& source,
                                           const std::vector<std::string>& options);

}  // namespace penstock::cuda
