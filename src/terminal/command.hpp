// A subcommand of the program: its name, its line of --help and its options.
#pragma once
#include <functional>

#include "penstock/status.hpp"
#include "terminal/arguments.hpp"

namespace penstock::terminal {

// Runs after the options are parsed. An error is printed and becomes the exit code.
using Action = std::function<Status()>;

struct Command {
  const char* name;                         // two words ("bench pipelines") put it into a group
  const char* summary;                      // one line of --help
  Action (*declare)(Arguments& arguments);  // adds the command's options; null names a group
};

}  // namespace penstock::terminal
