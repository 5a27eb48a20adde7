// Which of a host's GPUs a command needs. CUDA starts every GPU that it may see, needed or not: of
// four H200s that took 0.4 to 0.8 s more than of one.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace penstock::cli {

// Returns the numbers of CUDA's GPUs, ascending, that a command line (without the program's name)
// names by --device, or 0 where it leaves the choice. None: it may need others, or other drivers.
std::optional<std::vector<unsigned>> needed_gpus(std::span<const char* const> arguments);

// Lets CUDA see only what a command needs, where the host has more GPUs and the user has not
// chosen. Changes the environment: call it while the process has one thread.
void show_only_needed_gpus(std::span<const char* const> arguments);

}  // namespace penstock::cli
