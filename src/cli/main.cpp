#include <cstdlib>
#include <span>

#include "cli/background_device.hpp"
#include "cli/commands.hpp"
#include "cli/needed_gpus.hpp"
#include "kernel/variant_table.hpp"
#include "terminal/signals.hpp"
#include "terminal/standard_streams.hpp"

int main(int argument_count, char** arguments) {
  penstock::terminal::hold_closed_standard_streams();
  // PoCL compiles each kernel in a general form, which our cache keeps, and again for its grid. The
  // general form is as fast (docs/lab/cold-start.md). A library must not change the environment,
  // which other threads read; here there are none yet. The user's own value stays.
  ::setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
  // AdaptiveCpp reports on stderr the backends that it lacks.
  ::setenv("ACPP_DEBUG_LEVEL", "0", 0);
  penstock::cli::show_only_needed_gpus(
      std::span<const char* const>(arguments, static_cast<std::size_t>(argument_count))
          .subspan(argument_count > 0 ? 1 : 0));
  penstock::terminal::catch_signals();
  return penstock::cli::end_process(penstock::terminal::run_command_line(
      argument_count, arguments, penstock::cli::commands(), penstock::kernel::check_forced_rows));
}
