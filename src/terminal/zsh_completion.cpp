#include "terminal/completion_scripts.hpp"

namespace penstock::terminal {
namespace {

// The words before the last command's name are cut off, so that _arguments sees the options of
// that command alone.
constexpr const char* zsh_head =
    "#compdef penstock\n"
    "# Completion of penstock's commands and options for zsh; `penstock completion zsh` writes "
    "it.\n"
    "_penstock() {\n"
    "  local command= word\n"
    "  integer at=1 last=1\n"
    "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
    "    at+=1\n"
    "    case \"$command${command:+ }$word\" in\n";

constexpr const char* zsh_middle =
    ") command+=${command:+ }$word; last=$at ;;\n"
    "    esac\n"
    "  done\n"
    "  words=(\"${(@)words[last,-1]}\")\n"
    "  ((CURRENT -= last - 1))\n"
    "  case \"$command\" in\n";

constexpr const char* zsh_tail =
    "  esac\n"
    "}\n"
    "if [[ $funcstack[1] == _penstock ]]; then _penstock \"$@\"; else compdef _penstock penstock; "
    "fi\n";

// Writes `text` for a place between single quotes, with a backslash before `special` characters.
std::string quoted(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string value_of(const OptionText& option) {
  if (!option.takes_value()) return "";
  const std::vector<std::string> choices = choices_of(option);
  return ":" + quoted(option.placeholder, "\\:") +
         (choices.empty() ? ":_files" : ":(" + joined(choices, " ") + ")");
}

// A specification of _arguments for each name of an option. "--file=" takes the value after "="
// too, and "-f+" in the same word. A name excludes the others, if the option is given once.
std::string specifications_of(const OptionText& option) {
  const std::string end = "[" + quoted(option.description, "\\[]:") + "]" + value_of(option) + "'";
  std::string specifications;
  for (const std::string& name : option.names) {
    const bool is_long = name.starts_with("--");
    const std::string before = option.may_repeat ? "*" : "(" + joined(option.names, " ") + ")";
    specifications += " \\\n        '" + before + name +
                      (option.takes_value() ? (is_long ? "=" : "+") : "") + end;
  }
  return specifications;
}

std::string commands_below(const CommandText& command) {
  std::string names;
  for (const CommandText& below : command.commands)
    names += " '" + below.name + ":" + quoted(below.summary, "\\:") + "'";
  return names;
}

std::string zsh_case_of(const CommandText& command) {
  std::string text = "    '" + command.path + "')\n";
  if (!command.commands.empty())
    text += "      local -a commands=(" + commands_below(command).substr(1) + ")\n";
  text += "      _arguments -s";
  for (const OptionText& option : command.options) text += specifications_of(option);
  if (!command.commands.empty())
    text += " \\\n        '*:command:{_describe command commands}'";
  else
    text += " \\\n        '*:argument:_files'";
  return text + " ;;\n";
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  std::string paths, cases;
  for_each_command(program, [&](const CommandText& command) {
    if (!command.path.empty()) paths += (paths.empty() ? "'" : "|'") + command.path + "'";
    cases += zsh_case_of(command);
  });
  return zsh_head + ("      " + paths) + zsh_middle + cases + zsh_tail;
}

}  // namespace penstock::terminal
