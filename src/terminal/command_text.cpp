#include "terminal/command_text.hpp"

#include "terminal/command_tree.hpp"

namespace penstock::terminal {
namespace {

OptionText text_of(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  const bool takes_value = option.get_items_expected_max() > 0;
  if (takes_value) text.placeholder = option.get_type_name();
  if (option.get_positional()) text.placeholder = option.get_name(true);
  text.description = option.get_description();
  text.default_value = option.get_default_str();
  text.may_repeat = takes_value && option.get_expected_max() > 1;
  text.is_required = option.get_required();
  return text;
}

CommandText text_of(const CLI::App& app, const std::string& path) {
  CommandText text{path, app.get_name(), app.get_description(), {}, {}, {}};
  if (const std::string footer = app.get_footer(); !footer.empty())
    text.examples = footer.substr(footer.find_first_not_of('\n'));
  for (const CLI::Option* option : app.get_options()) text.options.push_back(text_of(*option));
  for (const CLI::App* command : commands_of(app))
    text.commands.push_back(
        text_of(*command, path + (path.empty() ? "" : " ") + command->get_name()));
  return text;
}

}  // namespace

CommandText describe_commands(const std::vector<Command>& commands) {
  CLI::App root(program_summary, "penstock");
  Action ignored;
  declare_commands(root, commands, ignored);
  return text_of(root, "");
}

std::vector<std::string> choices_of(const OptionText& option) {
  if (option.placeholder.find('|') == std::string::npos) return {};
  std::vector<std::string> choices(1);
  for (const char c : option.placeholder) {
    if (c == '|')
      choices.emplace_back();
    else
      choices.back() += c;
  }
  return choices;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

}  // namespace penstock::terminal
