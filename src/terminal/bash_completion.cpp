#include "terminal/completion_scripts.hpp"

namespace penstock::terminal {
namespace {

constexpr const char* bash_head =
    "# Completion of penstock's commands and options for bash; `penstock completion bash` "
    "writes it.\n"
    "_penstock() {\n"
    "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
    "  local command= word words=\n"
    "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
    "    case \"$command${command:+ }$word\" in\n";

constexpr const char* bash_tail =
    "  esac\n"
    "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
    "}\n"
    "complete -o bashdefault -o default -F _penstock penstock\n";

std::string words_after(const CommandText& command) {
  std::vector<std::string> words;
  for (const CommandText& below : command.commands) words.push_back(below.name);
  for (const OptionText& option : command.options)
    words.insert(words.end(), option.names.begin(), option.names.end());
  return joined(words, " ");
}

// A row of bash's `case` for each option of `command` that has a list of values.
std::string rows_of_choices(const CommandText& command) {
  std::string rows;
  for (const OptionText& option : command.options) {
    const std::vector<std::string> choices = choices_of(option);
    if (choices.empty() || option.is_positional()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names)
      patterns.push_back("'" + command.path + " " + name + "'");
    rows += "    " + joined(patterns, "|") + ") words='" + joined(choices, " ") + "' ;;\n";
  }
  return rows;
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string paths, choices, words;
  for_each_command(program, [&](const CommandText& command) {
    if (!command.path.empty()) paths += (paths.empty() ? "'" : "|'") + command.path + "'";
    words += "    '" + command.path + "') words='" + words_after(command) + "' ;;\n";
    choices += rows_of_choices(command);
  });
  return bash_head + ("      " + paths) +
         ") command+=${command:+ }$word ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $previous\" in\n" +
         choices +
         "  esac\n"
         "  [[ -n $words ]] || case \"$command\" in\n" +
         words + bash_tail;
}

}  // namespace penstock::terminal
