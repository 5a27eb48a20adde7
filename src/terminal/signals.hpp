// Ctrl-C: the first signal asks the work to stop, so that it leaves by its ordinary way out; a
// second one ends the process.
#pragma once

namespace penstock::cli {

// SIGINT, SIGTERM and SIGHUP. SIGPIPE keeps its default, so that `| head` ends us without a word as
// it ends other tools.
void catch_signals();
bool interrupted();
// A file that a second signal removes before the process ends, up to four at once. The text must
// live until keep_when_killed().
void remove_when_killed(const char* path);
void keep_when_killed(const char* path);

}  // namespace penstock::cli
