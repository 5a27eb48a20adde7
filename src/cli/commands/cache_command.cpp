// penstock cache: shows or clears the JIT cache on disk, and the tuned policies beside it.
#include "cli/commands.hpp"
#include "kernel/tuned_policies.hpp"
#include "penstock/device.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

namespace {

// A line for each file of tuned policies.
Status show_tuned(bool clear) {
  for (const std::string& path : kernel::tuned_paths())
    PENSTOCK_TRY(standard_output()(std::string(clear ? "removed " : "") + "tuned policies, " +
                                   (clear ? "from " : "in ") + path + "\n"));
  return clear ? kernel::remove_tuned() : Status();
}

Status cache(bool clear) {
  PENSTOCK_ASSIGN(const CacheSummary summary, clear ? clear_cache() : summarize_cache());
  std::string text = clear ? "removed " : "";
  text += std::to_string(summary.file_count) +
          (summary.file_count == 1 ? " program, " : " programs, ") + bytes_text(summary.bytes);
  if (!clear) text += " of at most " + bytes_text(summary.limit_bytes);
  PENSTOCK_TRY(
      standard_output()(text + ", " + (clear ? "from " : "in ") + summary.directory + "\n"));
  return show_tuned(clear);
}

}  // namespace

Action declare_cache(Arguments& arguments) {
  auto clear = std::make_shared<bool>(false);
  arguments.flag("--clear", *clear, "remove every compiled program and tuned policy");
  return [clear] { return cache(*clear); };
}

}  // namespace penstock::cli
