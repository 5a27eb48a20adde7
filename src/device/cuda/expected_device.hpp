// Which architecture a GPU has by its name.
#pragma once
#include <string_view>

namespace penstock::cuda {

// Returns 90 for "NVIDIA H200"; 0 for names that it does not know. For compiling ahead of CUDA's
// start alone: what CUDA says counts.
int architecture_of_model(std::string_view model);

}  // namespace penstock::cuda
