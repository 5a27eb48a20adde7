// penstock completion: the completion script of a shell and the manual page, from the command
// table.
#include "cli/commands.hpp"
#include "terminal/command_reference.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

Action declare_completion(Arguments& arguments) {
  auto kind = std::make_shared<std::string>();
  arguments.positional("KIND", *kind, "bash: a completion script; man: penstock(1) in roff");
  arguments.footer(
      "\nExample: penstock completion bash >~/.local/share/bash-completion/completions/penstock");
  return [kind]() -> Status {
    if (*kind == "bash") return standard_output()(bash_completion(commands()));
    if (*kind == "man") return standard_output()(manual_page(commands()));
    return {Code::invalid, "'" + *kind + "' is neither bash nor man"};
  };
}

}  // namespace penstock::cli
