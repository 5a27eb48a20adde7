// Reference texts that are written from the command table, so that they cannot differ from it.
#pragma once
#include <string>
#include <vector>

#include "terminal/command.hpp"

namespace penstock::terminal {

// Returns a completion script for bash: commands, options, and the values of options that have a
// list of them. Elsewhere bash completes file names.
std::string bash_completion(const std::vector<Command>& commands);

// Returns the manual page penstock(1) in roff.
std::string manual_page(const std::vector<Command>& commands);

}  // namespace penstock::terminal
