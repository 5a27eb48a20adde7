// penstock cache: shows or clears the JIT cache on disk.
#include "cli/commands.hpp"
#include "penstock/device.hpp"
#include "terminal/messages.hpp"
#include "terminal/output_file.hpp"

namespace penstock::cli {

namespace {

Status cache(bool clear) {
  PENSTOCK_ASSIGN(const CacheSummary summary, clear ? clear_cache() : summarize_cache());
  std::string text = clear ? "removed " : "";
  text += std::to_string(summary.file_count) +
          (summary.file_count == 1 ? " program, " : " programs, ") + bytes_text(summary.bytes);
  if (!clear) text += " of at most " + bytes_text(summary.limit_bytes);
  return standard_output()(text + ", " + (clear ? "from " : "in ") + summary.directory + "\n");
}

}  // namespace

Action declare_cache(Arguments& arguments) {
  auto clear = std::make_shared<bool>(false);
  arguments.flag("--clear", *clear, "remove every compiled program");
  return [clear] { return cache(*clear); };
}

}  // namespace penstock::cli
