#include "cli/background_device.hpp"
#include "cli/commands.hpp"
#include "terminal/signals.hpp"

int main(int argument_count, char** arguments) {
  penstock::terminal::catch_signals();
  return penstock::cli::end_process(penstock::terminal::run_command_line(
      argument_count, arguments, penstock::cli::commands()));
}
