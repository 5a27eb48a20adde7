// Completion scripts of shells: commands, options, and the values of options that have a list of
// them. Elsewhere the shell completes file names.
#pragma once
#include <string>

#include "terminal/command_text.hpp"

namespace penstock::terminal {

std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);

}  // namespace penstock::terminal
