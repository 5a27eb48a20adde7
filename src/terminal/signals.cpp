#include "terminal/signals.hpp"

#include <unistd.h>
#include <array>
#include <atomic>
#include <csignal>

namespace penstock::terminal {

namespace {

std::atomic<bool> was_interrupted = false, is_at_prompt = false, was_at_prompt = false;
std::array<std::atomic<const char*>, 4> partial_paths{};  // no more files are written at once
static_assert(std::atomic<bool>::is_always_lock_free &&
                  std::atomic<const char*>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

void on_signal(int number) {
  if (is_at_prompt.load() && number == SIGINT) return was_at_prompt.store(true);
  if (!is_at_prompt.load() && !was_interrupted.exchange(true)) return;
  for (const std::atomic<const char*>& partial : partial_paths)
    if (const char* path = partial.load()) ::unlink(path);
  ::_exit(128 + number);
}

// A signal that the caller ignores, as nohup does, stays ignored.
void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

void catch_signals() {
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  handle(SIGHUP, on_signal);
  handle(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding `ulimit -f` becomes an error of write()
}

bool interrupted() { return was_interrupted.load(); }

void forget_interrupt() { was_interrupted = false; }

AtPrompt::AtPrompt() {
  was_at_prompt = false;
  is_at_prompt = true;
}
bool AtPrompt::was_interrupted() const { return was_at_prompt; }
AtPrompt::~AtPrompt() { is_at_prompt = false; }

void remove_when_killed(const char* path) {
  for (std::atomic<const char*>& partial : partial_paths)
    if (const char* none = nullptr; partial.compare_exchange_strong(none, path)) return;
}

void keep_when_killed(const char* path) {
  for (std::atomic<const char*>& partial : partial_paths)
    if (const char* known = path; partial.compare_exchange_strong(known, nullptr)) return;
}

}  // namespace penstock::terminal
