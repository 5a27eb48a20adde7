// The command table as plain data, for the writers of completion scripts and manual pages. These
// cannot differ from the table, and one file alone reads CLI11.
#pragma once
#include <string>
#include <vector>

#include "terminal/command.hpp"

namespace penstock::terminal {

struct OptionText {
  std::vector<std::string> names;  // "--file", "-f"; a positional argument has none
  std::string placeholder;         // "FILE", "table|csv|json"; empty for a flag
  std::string description, default_value;
  bool may_repeat = false, is_required = false;

  bool takes_value() const { return !placeholder.empty(); }
  bool is_positional() const { return names.empty(); }
};

struct CommandText {
  std::string path;  // "bench sort"; empty for the program
  std::string name, summary, examples;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

// Returns the program, with its commands below it in the table's order.
CommandText describe_commands(const std::vector<Command>& commands);

// Returns the values of an option that has a list of them: "table csv json", otherwise nothing.
std::vector<std::string> choices_of(const OptionText& option);

std::string joined(const std::vector<std::string>& words, const std::string& between);

// Calls visit(command) for `command` and every command below it.
template <class Visit> void for_each_command(const CommandText& command, const Visit& visit) {
  visit(command);
  for (const CommandText& below : command.commands) for_each_command(below, visit);
}

}  // namespace penstock::terminal
