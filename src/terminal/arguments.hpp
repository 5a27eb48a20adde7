// The options of one command: what is parsed, and what its --help shows.
//
// A wrapper of CLI11, which costs seconds in every file that includes it (command_tree.hpp). CLI11
// finds the wrong option and words the error; this file sets exit codes (2 for wrong usage).
//
//     auto options = std::make_shared<Options>();
//     arguments.positional("STATEMENT", options->statement, "a SELECT statement");
//     arguments.value("--device", "ID", options->device, "where to run");
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/status.hpp"

namespace CLI {
class App;
}

namespace penstock::terminal {

// exit_warning is gzip's: all output was written, and a warning was printed.
enum ExitCode : int {
  exit_ok = 0,
  exit_failed = 1,
  exit_usage = 2,
  exit_warning = 2,
  exit_interrupted = 130
};

class Arguments {
 public:
  // Returns what is wrong with a value, or an empty string.
  using Check = std::function<std::string(const std::string& value)>;

  explicit Arguments(CLI::App& app) : app_(app) {}
  void positional(std::string_view placeholder, std::string& target, std::string_view description,
                  bool required = true);
  void positional(std::string_view placeholder, std::vector<std::string>& targets,
                  std::string_view description);  // one or more
  void flag(std::string_view name, bool& target, std::string_view description);
  void value(std::string_view name, std::string_view placeholder, std::string& target,
             std::string_view description, Check check = nullptr);
  void value(std::string_view name, std::string_view placeholder, std::uint64_t& target,
             std::string_view description, std::uint64_t min = 0, std::uint64_t max = UINT64_MAX);
  void value(std::string_view name, std::string_view placeholder, double& target,
             std::string_view description);
  // May be given several times, each with one value.
  void values(std::string_view name, std::string_view placeholder,
              std::vector<std::string>& targets, std::string_view description,
              Check check = nullptr);
  // One of `choices`; the target's value is the default.
  void choice(std::string_view name, const std::vector<std::string>& choices, std::string& target,
              std::string_view description, bool required = false);
  // --device and the options that go with it. `name` may have a short form after a comma.
  void device(std::string& target, std::string_view description,
              std::string_view name = "--device");
  void require(std::string_view name);  // an option that was added
  // Checks the options together after they are parsed; a message is wrong usage.
  void check(std::function<std::string()> check);
  void footer(std::string text);  // examples under the options
  // A command that must follow the options of this one: "profile -- query ..."; "--" is optional.
  Arguments command(std::string_view name, std::string_view summary);

 private:
  CLI::App& app_;
};

std::string_view program_version();  // "0.2.0"

struct Command;
// Parses the command line against a table of commands and runs the one that was named. If `check`
// is given and fails, its error is the command's outcome.
int run_command_line(int argument_count, char** arguments, const std::vector<Command>& commands,
                     const std::function<Status()>& check = {});

}  // namespace penstock::terminal
