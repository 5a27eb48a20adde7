#include "terminal/manual_pages.hpp"

#include "terminal/arguments.hpp"
#include "terminal/completion_scripts.hpp"

namespace penstock::terminal {
namespace {

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

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string roff_option(const OptionText& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  if (option.takes_value()) head += (head.empty() ? "" : " ") + italic(option.placeholder);
  std::string text = ".TP\n" + head + "\n" + roff(option.description);
  if (!option.default_value.empty()) text += " (default: " + roff(option.default_value) + ")";
  return text + "\n";
}

std::string roff_options(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options)
    if (option.names.empty() || option.names.front() != "--help") text += roff_option(option);
  return text;
}

std::string roff_examples(const CommandText& command) {
  return command.examples.empty() ? "" : ".PP\n.nf\n" + roff(command.examples) + "\n.fi\n";
}

std::string page_name(const CommandText& command) { return "penstock-" + command.name; }

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string roff_title(const std::string& name, const std::string& summary) {
  return ".TH " + upper(name) + " 1 \"\" \"penstock " + std::string(program_version()) +
         "\" \"User Commands\"\n.SH NAME\n" + roff(name) + " \\- " + roff(summary) + "\n";
}

// "penstock query [OPTIONS] STATEMENT"
std::string roff_synopsis(const CommandText& command) {
  std::string line = bold("penstock" + (command.path.empty() ? "" : " " + command.path));
  if (!command.commands.empty()) line += " " + italic("COMMAND");
  line += " [" + italic("OPTIONS") + "]";
  for (const OptionText& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string value = italic(option.placeholder) + (option.may_repeat ? " ..." : "");
    line += option.is_required ? " " + value : " [" + value + "]";
  }
  return line + "\n";
}

std::string roff_subcommand(const CommandText& command) {
  return ".SS \"penstock " + command.path + "\"\n" + roff(command.summary) + ".\n" +
         roff_options(command) + roff_examples(command);
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
.TP
.B PENSTOCK_TCC\fR, \fBPENSTOCK_CC
The quick and the optimising compiler of kernels for the CPU; by default tcc, and cc, gcc or clang.
)";

std::string see_also(const CommandText& program, const std::string& except) {
  std::vector<std::string> pages;
  if (!except.empty()) pages.push_back(".BR penstock (1)");
  for (const CommandText& command : program.commands)
    if (command.name != except) pages.push_back(".BR " + roff(page_name(command)) + " (1)");
  return ".SH SEE ALSO\n" + joined(pages, ",\n") + "\n";
}

}  // namespace

std::string manual_page(const CommandText& program) {
  std::string text =
      roff_title("penstock", "SQL, decompression and video metrics on GPUs and CPUs");
  text += ".SH SYNOPSIS\n" + roff_synopsis(program) + ".br\n" + bold("penstock") + " " +
          italic("COMMAND") + " " + bold("--help") + "\n.SH COMMANDS\n";
  for (const CommandText& command : program.commands)
    text += ".TP\n.BR " + roff(page_name(command)) + " (1)\n" + roff(command.summary) + ".\n";
  return text + ".SH OPTIONS\n" + roff_options(program) + exit_status + environment +
         see_also(program, "");
}

std::string manual_page_of(const CommandText& program, const CommandText& command) {
  std::string text = roff_title(page_name(command), command.summary);
  text += ".SH SYNOPSIS\n" + roff_synopsis(command) + ".SH DESCRIPTION\n" + roff(command.summary) +
          ".\n.SH OPTIONS\n" + roff_options(command) + ".TP\n" + bold("--help") + ", " +
          bold("-h") + "\nprint the options\n" + roff_examples(command);
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const CommandText& below : command.commands) text += roff_subcommand(below);
  return text + exit_status + environment + see_also(program, command.name);
}

std::vector<ReferenceFile> reference_files(const CommandText& program) {
  std::vector<ReferenceFile> files = {{"penstock.bash", bash_completion(program)},
                                      {"_penstock", zsh_completion(program)},
                                      {"penstock.fish", fish_completion(program)},
                                      {"penstock.1", manual_page(program)}};
  for (const CommandText& command : program.commands)
    files.push_back({page_name(command) + ".1", manual_page_of(program, command)});
  return files;
}

}  // namespace penstock::terminal
