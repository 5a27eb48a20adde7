#include "terminal/completion_scripts.hpp"

namespace penstock::terminal {
namespace {

// __penstock_at tells whether the words before the cursor end in a command of the given path.
constexpr const char* fish_head =
    "# Completion of penstock's commands and options for fish; `penstock completion fish` writes "
    "it.\n"
    "function __penstock_at\n"
    "    set -l at ''\n"
    "    set -l words (commandline -opc)\n"
    "    set -e words[1]\n"
    "    for word in $words\n"
    "        set -l longer (string trim -- \"$at $word\")\n"
    "        if contains -- $longer $__penstock_commands\n"
    "            set at $longer\n"
    "        end\n"
    "    end\n"
    "    test \"$at\" = \"$argv[1]\"\n"
    "end\n";

std::string fish_quoted(std::string_view text) {
  std::string escaped = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + "'";
}

// "-l file -s f -r -F -d '...'": a value from a list is the only thing to complete, any other
// value may be a file.
std::string fish_option(const OptionText& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const std::vector<std::string> choices = choices_of(option);
  if (!choices.empty())
    text += " -x -a " + fish_quoted(joined(choices, " "));
  else if (option.takes_value())
    text += " -r -F";
  return text + " -d " + fish_quoted(option.description);
}

std::string fish_lines_of(const CommandText& command) {
  const std::string begin =
      "complete -c penstock -n " + fish_quoted("__penstock_at '" + command.path + "'");
  std::string lines;
  for (const CommandText& below : command.commands)
    lines += begin + " -f -a " + below.name + " -d " + fish_quoted(below.summary) + "\n";
  for (const OptionText& option : command.options)
    if (!option.is_positional()) lines += begin + fish_option(option) + "\n";
  return lines;
}

}  // namespace

std::string fish_completion(const CommandText& program) {
  std::string paths, lines;
  for_each_command(program, [&](const CommandText& command) {
    if (!command.path.empty()) paths += " " + fish_quoted(command.path);
    lines += fish_lines_of(command);
  });
  return fish_head + ("set -g __penstock_commands" + paths + "\n") + lines;
}

}  // namespace penstock::terminal
