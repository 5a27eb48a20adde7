// Ctrl-C: the first signal asks the work to stop and clean up; a second one ends the process.
#pragma once

namespace penstock::terminal {

// Handles SIGINT, SIGTERM and SIGHUP. SIGPIPE keeps its default, so that `| head` ends the program
// silently. A signal that is ignored when the program begins stays ignored.
void catch_signals();
bool interrupted();
// Forgets an interrupt that was seen, so that a shell goes on.
void forget_interrupt();
// While one lives, the program waits for a line: SIGINT is only noted, other signals end it.
class AtPrompt {
 public:
  AtPrompt();
  ~AtPrompt();
  bool was_interrupted() const;
  AtPrompt(const AtPrompt&) = delete;
  AtPrompt& operator=(const AtPrompt&) = delete;
};
// Registers a file that a second signal removes before the process ends, up to four at once. `path`
// must live until keep_when_killed().
void remove_when_killed(const char* path);
void keep_when_killed(const char* path);

}  // namespace penstock::terminal
