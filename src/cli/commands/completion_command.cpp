// penstock completion: completion scripts of shells and manual pages, from the command table.
#include <filesystem>

#include "cli/commands.hpp"
#include "terminal/completion_scripts.hpp"
#include "terminal/manual_pages.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {
namespace {

struct CompletionOptions {
  std::string kind, command, into;
};

Result<std::string> manual_page_named(const CommandText& program, const std::string& name) {
  if (name.empty()) return manual_page(program);
  for (const CommandText& command : program.commands)
    if (command.name == name) return manual_page_of(program, command);
  return Status(Code::invalid, "no command '" + name + "' has a manual page");
}

Status write_reference_files(const CommandText& program, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return {Code::io, "cannot make " + folder.string() + ": " + error.message()};
  for (const ReferenceFile& file : reference_files(program)) {
    PENSTOCK_ASSIGN(auto output, OutputFile::create((folder / file.name).string()));
    PENSTOCK_TRY(output->write(file.text));
    PENSTOCK_TRY(output->commit());
  }
  return {};
}

Status print_reference(const CommandText& program, const CompletionOptions& options) {
  if (options.kind == "man") {
    PENSTOCK_ASSIGN(const std::string page, manual_page_named(program, options.command));
    return standard_output()(page);
  }
  if (options.kind == "bash") return standard_output()(bash_completion(program));
  if (options.kind == "zsh") return standard_output()(zsh_completion(program));
  if (options.kind == "fish") return standard_output()(fish_completion(program));
  return {Code::invalid, "'" + options.kind + "' is neither bash, zsh, fish nor man"};
}

}  // namespace

Action declare_completion(Arguments& arguments) {
  auto options = std::make_shared<CompletionOptions>();
  arguments.positional("KIND", options->kind,
                       "bash, zsh or fish: a completion script; man: a manual page in roff", false);
  arguments.positional("COMMAND", options->command,
                       "of man: the command of the page; without it penstock(1)", false);
  arguments.value("--into", "FOLDER", options->into,
                  "write every script and page to a folder, under the names that shells and man "
                  "look for");
  arguments.check([options]() -> std::string {
    if (options->kind.empty() == options->into.empty()) return "either KIND or --into is required";
    return options->command.empty() || options->kind == "man" ? "" : "only man takes a COMMAND";
  });
  arguments.footer(
      "\nExample: penstock completion bash >~/.local/share/bash-completion/completions/penstock");
  return [options]() -> Status {
    const CommandText program = describe_commands(commands());
    return options->into.empty() ? print_reference(program, *options)
                                 : write_reference_files(program, options->into);
  };
}

}  // namespace penstock::cli
