#include "terminal/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/exception_boundary.hpp"
#include "base/suggest_name.hpp"
#include "penstock/device.hpp"
#include "terminal/command_tree.hpp"
#include "terminal/messages.hpp"

namespace penstock::terminal {

namespace {

template <class T>
CLI::Option* add_value(CLI::App& app, std::string_view name, std::string_view placeholder,
                       T& target, std::string_view description) {
  return app.add_option(std::string(name), target, std::string(description))
      ->type_name(std::string(placeholder));
}

void add_check(CLI::Option* option, Arguments::Check check) {
  if (check)
    option->check([check = std::move(check)](const std::string& text) { return check(text); }, "");
}

// Returns the App of a command's options. "bench pipelines" is added to the group "bench", which
// has an earlier row.
CLI::App* add_command(CLI::App& root, std::map<std::string, CLI::App*>& groups,
                      const Command& command) {
  const std::string name = command.name;
  const std::size_t space = name.find(' ');
  if (space != std::string::npos)
    return groups.at(name.substr(0, space))
        ->add_subcommand(name.substr(space + 1), command.summary);
  CLI::App* const app = root.add_subcommand(name, command.summary);
  if (command.declare == nullptr) groups[name] = app->require_subcommand(0, 1);
  return app;
}

const CLI::App& innermost(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

int print_wrong_usage(const CLI::App& asked, const std::string& what) {
  std::string words = asked.get_name();
  for (const CLI::App* above = asked.get_parent(); above != nullptr; above = above->get_parent())
    words = above->get_name() + " " + words;
  print_line("penstock: wrong usage: " + what + "\nSee " + words + " --help.");
  return exit_usage;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

bool has_positional(const CLI::App& app) {
  return !app.get_options([](const CLI::Option* option) { return option->get_positional(); })
              .empty();
}

// Returns the message about a word that `app` does not take: an option, a command or a value.
std::string unknown_text(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = command_names(app);
  const bool is_option = word.size() > 1 && word.starts_with('-');
  if (!is_option && commands.empty())
    return "the argument '" + word + "' is one too many" +
           (has_positional(app) ? "; a statement is one argument, in quotes" : "");
  const std::string name = is_option ? word.substr(0, word.find('=')) : word;
  const std::string near = nearest_name(name, is_option ? option_names(app) : commands);
  std::string text = is_option ? "no option " + name : "no command '" + name + "'";
  if (!near.empty()) return text + "; did you mean " + near + "?";
  if (is_option) return text;
  return text + (commands.size() == 1 ? "; the only one here is " : "; the commands are ") +
         listed(commands);
}

int print_unknown(const CLI::App& root) {
  const CLI::App* app = &innermost(root);
  while (app->remaining_size() == 0 && app->get_parent() != nullptr) app = app->get_parent();
  return print_wrong_usage(*app, unknown_text(*app, app->remaining().front()));
}

}  // namespace

void Arguments::positional(std::string_view placeholder, std::string& target,
                           std::string_view description, bool required) {
  add_value(app_, placeholder, "TEXT", target, description)->required(required);
}

void Arguments::positional(std::string_view placeholder, std::vector<std::string>& targets,
                           std::string_view description) {
  add_value(app_, placeholder, "TEXT", targets, description)->required();
}

void Arguments::flag(std::string_view name, bool& target, std::string_view description) {
  app_.add_flag(std::string(name), target, std::string(description));
}

void Arguments::value(std::string_view name, std::string_view placeholder, std::string& target,
                      std::string_view description, Check check) {
  add_check(add_value(app_, name, placeholder, target, description), std::move(check));
}

void Arguments::values(std::string_view name, std::string_view placeholder,
                       std::vector<std::string>& targets, std::string_view description,
                       Check check) {
  CLI::Option* option = add_value(app_, name, placeholder, targets, description);
  add_check(option->allow_extra_args(false), std::move(check));
}

void Arguments::value(std::string_view name, std::string_view placeholder, std::uint64_t& target,
                      std::string_view description, std::uint64_t min, std::uint64_t max) {
  // CLI11 2.1 reads -5 as a large unsigned number.
  const auto check = [min, max](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = end == text.data() + text.size() && !text.empty();
    if (is_whole && error == std::errc() && number >= min && number <= max) return "";
    std::string asked = "a whole number";
    if (is_whole && max == UINT64_MAX) asked += " of " + std::to_string(min) + " or more";
    if (is_whole && max < UINT64_MAX)
      asked += " from " + std::to_string(min) + " to " + std::to_string(max);
    return std::string("'") + text + "' is not " + asked;
  };
  add_value(app_, name, placeholder, target, description)->check(check, "");
}

void Arguments::value(std::string_view name, std::string_view placeholder, double& target,
                      std::string_view description) {
  add_value(app_, name, placeholder, target, description);
}

void Arguments::choice(std::string_view name, const std::vector<std::string>& choices,
                       std::string& target, std::string_view description, bool required) {
  std::string placeholder;
  for (const std::string& choice : choices)
    placeholder += (placeholder.empty() ? "" : "|") + choice;
  auto check = [choices, placeholder](const std::string& text) {
    for (const std::string& choice : choices)
      if (choice == text) return std::string();
    return "'" + text + "' is not one of " + placeholder;
  };
  CLI::Option* option = add_value(app_, name, placeholder, target, description)->check(check, "");
  if (required)
    option->required();
  else
    option->capture_default_str();
}

void Arguments::device(std::string& target, std::string_view description, std::string_view name) {
  value(name, "ID", target, description);
  static std::string& compiler = *new std::string;  // the check has chosen it for the process
  value(
      "--cpu-compiler", "auto|quick|optimising", compiler,
      "what compiles kernels of cpu:0: one that answers at once, one that optimises, or the first "
      "and then the second where work goes on for longer",
      [](const std::string& choice) { return choose_cpu_compiler(choice).message(); });
}

void Arguments::require(std::string_view name) { app_.get_option(std::string(name))->required(); }

void Arguments::check(std::function<std::string()> check) {
  app_.parse_complete_callback([check = std::move(check)] {
    if (const std::string message = check(); !message.empty()) throw CLI::ValidationError(message);
  });
}
void Arguments::footer(std::string text) { app_.footer(std::move(text)); }

Arguments Arguments::command(std::string_view name, std::string_view summary) {
  app_.require_subcommand(0, 1);
  return Arguments(*app_.add_subcommand(std::string(name), std::string(summary)));
}

namespace {

const CLI::App* command_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : commands_of(app))
    if (command->get_name() == name) return command;
  return nullptr;
}

// Returns the words in CLI11's order, the last first. Removes the "--" between a command and the
// command that it runs: CLI11 would take everything after it for values.
std::vector<std::string> words_in_reverse(const CLI::App& root, int argument_count,
                                          char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + argument_count);
  const CLI::App* outer = words.empty() ? nullptr : command_of(root, words[0]);
  const auto marker = std::find(words.begin(), words.end(), "--");
  const auto is_inner = [&](const std::string& word) {
    return command_of(*outer, word) != nullptr;
  };
  if (outer && !command_names(*outer).empty() && marker != words.end() &&
      marker + 1 != words.end() &&
      (is_inner(*(marker + 1)) || std::none_of(words.begin() + 1, marker, is_inner)))
    words.erase(marker);
  std::reverse(words.begin(), words.end());
  return words;
}

int parse_and_run(int argument_count, char** arguments, const std::vector<Command>& commands,
                  const Action& check) {
  CLI::App root(program_summary, "penstock");
  Action chosen;
  declare_commands(root, commands, chosen);
  try {
    root.parse(words_in_reverse(root, argument_count, arguments));
  } catch (const CLI::ExtrasError&) {
    return print_unknown(root);
  } catch (const CLI::ParseError& error) {
    // --help and --version are exceptions that carry code 0.
    return error.get_exit_code() == 0 ? root.exit(error, std::cout, std::cerr)
                                      : print_wrong_usage(innermost(root), error.what());
  }
  if (const std::vector<std::string> missing = command_names(innermost(root)); !missing.empty())
    return print_wrong_usage(innermost(root), "a command is required: " + listed(missing));
  const Status checked = check ? check() : Status();
  return print_outcome(checked.ok() ? chosen() : checked);
}

}  // namespace

std::string_view program_version() { return PENSTOCK_VERSION; }

void declare_commands(CLI::App& root, const std::vector<Command>& commands, Action& chosen) {
  root.set_version_flag("--version", "penstock " PENSTOCK_VERSION);
  // A command is required here and in groups, but naming a wrong word is better than saying that a
  // command is missing.
  root.require_subcommand(0, 1);
  std::map<std::string, CLI::App*> groups;
  for (const Command& command : commands) {
    CLI::App* app = add_command(root, groups, command);
    if (command.declare == nullptr) continue;
    Arguments declared(*app);
    app->callback([&chosen, action = command.declare(declared)] { chosen = action; });
  }
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

int run_command_line(int argument_count, char** arguments, const std::vector<Command>& commands,
                     const Action& check) {
  int code = exit_failed;
  const Status status = catch_exceptions([&]() -> Status {
    code = parse_and_run(argument_count, arguments, commands, check);
    return {};
  });
  return status.ok() ? code : print_outcome(status);
}

}  // namespace penstock::terminal
