#include "terminal/command_reference.hpp"

#include "terminal/command_tree.hpp"

namespace penstock::terminal {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

// Calls visit(app, path) for `app` and every command below it; the root's path is empty.
template <class Visit>
void for_each_command(const CLI::App& app, const std::string& path, const Visit& visit) {
  visit(app, path);
  for (const CLI::App* command : commands_of(app))
    for_each_command(*command, path + (path.empty() ? "" : " ") + command->get_name(), visit);
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// "table|csv|json", the placeholder of an option with a list of values, with spaces between.
std::string choices_of(const CLI::Option& option) {
  std::string choices = option.get_type_name();
  if (choices.find('|') == std::string::npos) return "";
  for (char& c : choices) c = c == '|' ? ' ' : c;
  return choices;
}

std::string words_after(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : names_of(*option)) words.push_back(name);
  return joined(words, " ");
}

// Roff takes a backslash, and a dot or a quote that begins a line, for its own; "-" is a hyphen.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string roff_option(const CLI::Option& option) {
  std::string head;
  for (const std::string& name : names_of(option))
    head += (head.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  const bool takes_value = option.get_items_expected_max() > 0;
  if (option.get_positional()) head = "\\fI" + roff(option.get_name(true)) + "\\fR";
  if (takes_value && !option.get_positional())
    head += " \\fI" + roff(option.get_type_name()) + "\\fR";
  std::string text = ".TP\n" + head + "\n" + roff(option.get_description());
  if (!option.get_default_str().empty())
    text += " (default: " + roff(option.get_default_str()) + ")";
  return text + "\n";
}

std::string roff_command(const CLI::App& app, const std::string& path) {
  std::string text = ".SS \"penstock " + path + "\"\n" + roff(app.get_description()) + ".\n";
  for (const CLI::Option* option : app.get_options())
    if (option->get_name() != "--help") text += roff_option(*option);
  if (!app.get_footer().empty())
    text += ".PP\n.nf\n" + roff(app.get_footer().substr(app.get_footer().find_first_not_of('\n'))) +
            "\n.fi\n";
  return text;
}

constexpr const char* exit_status = R"(.SH EXIT STATUS
.TP
.B 0
Success.
.TP
.B 1
The work failed; the reason is on standard error.
.TP
.B 2
Wrong usage.
.TP
.B 130
Interrupted.
)";

constexpr const char* environment = R"(.SH ENVIRONMENT
.TP
.B PENSTOCK_CACHE_DIR
The folder of compiled kernels; by default $XDG_CACHE_HOME/penstock or $HOME/.cache/penstock.
.TP
.B PENSTOCK_CACHE_BYTES
The size to which that folder may grow; by default 256 MiB.
)";

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  CLI::App root(program_summary, "penstock");
  Action ignored;
  declare_commands(root, commands, ignored);
  std::string paths, choices, words;
  for_each_command(root, "", [&](const CLI::App& app, const std::string& path) {
    if (!path.empty()) paths += (paths.empty() ? "'" : "|'") + path + "'";
    words += "    '" + path + "') words='" + words_after(app) + "' ;;\n";
    for (const CLI::Option* option : app.get_options()) {
      const std::string values = choices_of(*option);
      if (values.empty() || option->get_positional()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : names_of(*option))
        patterns.push_back("'" + path + " " + name + "'");
      choices += "    " + joined(patterns, "|") + ") words='" + values + "' ;;\n";
    }
  });
  return "# Completion of penstock's commands and options for bash; `penstock completion bash` "
         "writes it.\n"
         "_penstock() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command= word words=\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"$command${command:+ }$word\" in\n"
         "      " +
         paths +
         ") command+=${command:+ }$word ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $previous\" in\n" +
         choices +
         "  esac\n"
         "  [[ -n $words ]] || case \"$command\" in\n" +
         words +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _penstock penstock\n";
}

std::string manual_page(const std::vector<Command>& commands) {
  CLI::App root(program_summary, "penstock");
  Action ignored;
  declare_commands(root, commands, ignored);
  std::string text = ".TH PENSTOCK 1 \"\" \"penstock " PENSTOCK_VERSION
                     "\" \"User Commands\"\n"
                     ".SH NAME\n"
                     "penstock \\- SQL and decompression on GPUs, OpenCL devices and the CPU\n"
                     ".SH SYNOPSIS\n"
                     ".B penstock\n"
                     ".I COMMAND\n"
                     "[\\fIOPTIONS\\fR]\n"
                     ".br\n"
                     ".B penstock\n"
                     ".I COMMAND\n"
                     "\\-\\-help\n"
                     ".SH COMMANDS\n";
  for_each_command(root, "", [&](const CLI::App& app, const std::string& path) {
    if (!path.empty()) text += roff_command(app, path);
  });
  return text + exit_status + environment;
}

}  // namespace penstock::terminal
