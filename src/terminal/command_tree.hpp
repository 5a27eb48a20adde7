// The command table as CLI11's tree of commands and options. Costs seconds to compile, so only the
// parser and the writers of reference pages include it.
#pragma once
#include <CLI/CLI.hpp>
#include <vector>

#include "terminal/command.hpp"

namespace penstock::terminal {

inline constexpr const char* program_summary =
    "Penstock: SQL over Parquet, Arrow, CSV and JSON files, at the memory speed of a GPU or CPU";

// Declares all commands below `root`. Parsing sets `chosen` to the action of the named command.
void declare_commands(CLI::App& root, const std::vector<Command>& commands, Action& chosen);

// Returns the commands below `app`, in the table's order.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

}  // namespace penstock::terminal
