// The table of subcommands. A row here is the whole registration of a command: parser, help,
// completion and manual page loop over it.
#pragma once
#include <vector>

#include "terminal/command.hpp"

namespace penstock::cli {
using namespace terminal;

const std::vector<Command>& commands();

Action declare_query(Arguments& arguments);
Action declare_shell(Arguments& arguments);
Action declare_profile(Arguments& arguments);
Action declare_emit(Arguments& arguments);
Action declare_encode(Arguments& arguments);
Action declare_decompress(Arguments& arguments);
Action declare_compress(Arguments& arguments);
Action declare_video(Arguments& arguments);
Action declare_devices(Arguments& arguments);
Action declare_cache(Arguments& arguments);
Action declare_tune(Arguments& arguments);
Action declare_completion(Arguments& arguments);

}  // namespace penstock::cli
