#include "cli/commands.hpp"
#include "terminal/signals.hpp"

int main(int argument_count, char** arguments) {
  penstock::cli::catch_signals();
  return penstock::cli::run_command_line(argument_count, arguments, penstock::cli::commands());
}
