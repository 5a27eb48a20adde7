// The table of subcommands. A row here is the whole registration of a command: parser, help and
// dispatch loop over it.
#pragma once
#include <functional>
#include <vector>

#include "cli/arguments.hpp"
#include "penstock/status.hpp"

namespace penstock::cli {

// What runs once the options are parsed. The error is printed and becomes the exit code.
using Action = std::function<Status()>;

struct Command {
  const char* name;                         // two words ("bench pipelines") put it into a group
  const char* summary;                      // one line of --help
  Action (*declare)(Arguments& arguments);  // adds the command's options
};
const std::vector<Command>& commands();

Action declare_query(Arguments& arguments);
Action declare_profile(Arguments& arguments);
Action declare_emit(Arguments& arguments);
Action declare_encode(Arguments& arguments);
Action declare_decompress(Arguments& arguments);
Action declare_compress(Arguments& arguments);
Action declare_devices(Arguments& arguments);
Action declare_cache(Arguments& arguments);
Action declare_bench_pipelines(Arguments& arguments);
Action declare_bench_sort(Arguments& arguments);
Action declare_bench_groups(Arguments& arguments);
Action declare_bench_scan(Arguments& arguments);
Action declare_bench_fsst(Arguments& arguments);
Action declare_bench_codecs(Arguments& arguments);
Action declare_bench_streams(Arguments& arguments);
Action declare_bench_windows(Arguments& arguments);

}  // namespace penstock::cli
