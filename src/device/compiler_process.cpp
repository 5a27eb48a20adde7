#include "device/compiler_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "device/compile_folder.hpp"

extern char** environ;

namespace penstock::device {
namespace {

// Compilers that run. Each leads a process group: gcc and clang start processes of their own.
struct RunningCompilers {
  std::mutex mutex;
  std::set<pid_t> groups;
  bool is_ending = false;
};
RunningCompilers& running_compilers() {
  static RunningCompilers& running = *new RunningCompilers;
  return running;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// The environment of a compiler: ours, with its temporary files in the folder, and messages in
// English, as compile_error() reads them.
class CompilerEnvironment {
 public:
  explicit CompilerEnvironment(const std::string& folder) : own_{"TMPDIR=" + folder, "LC_ALL=C"} {
    for (std::string& variable : own_) pointers_.push_back(variable.data());
    for (char** at = environ; *at != nullptr; at++)
      if (!is_replaced(*at)) pointers_.push_back(*at);
    pointers_.push_back(nullptr);
  }
  char* const* data() { return pointers_.data(); }

 private:
  static bool is_replaced(std::string_view variable) {
    return variable.starts_with("TMPDIR=") || variable.starts_with("LC_ALL=");
  }
  std::vector<std::string> own_;
  std::vector<char*> pointers_;
};

int spawn(const std::vector<std::string>& command, const std::string& folder, pid_t& process) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string log_path = folder + "/log";
  CompilerEnvironment environment(folder);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log_path.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int failed =
      posix_spawnp(&process, words[0], &actions, &attributes, words.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// Starts a compiler, and notes it before the process can end.
Result<pid_t> start(const std::vector<std::string>& command, const std::string& folder) {
  static std::once_flag once;
  std::call_once(once, [] { std::atexit(end_compilers); });
  RunningCompilers& running = running_compilers();
  const std::lock_guard guard(running.mutex);
  if (running.is_ending) return Status(Code::cancelled, "the process is ending");
  pid_t process = 0;
  if (const int failed = spawn(command, folder, process))
    return Status(Code::compile,
                  "the compiler " + command[0] + " does not start: " + std::strerror(failed));
  running.groups.insert(process);
  return process;
}

}  // namespace

void end_compilers() {
  RunningCompilers& running = running_compilers();
  const std::lock_guard guard(running.mutex);
  running.is_ending = true;
  for (const pid_t group : running.groups) ::kill(-group, SIGKILL);
  for (const pid_t group : running.groups) (void)::waitpid(group, nullptr, 0);
  remove_compile_folders();
}

Result<CompilerRun> run_compiler(const std::vector<std::string>& command,
                                 const std::string& folder) {
  PENSTOCK_ASSIGN(const pid_t process, start(command, folder));
  // Waits without taking its number away, which end_compilers() may still use.
  siginfo_t ended{};
  int outcome = 0;
  do outcome = ::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT);
  while (outcome != 0 && errno == EINTR);
  RunningCompilers& running = running_compilers();
  const std::lock_guard guard(running.mutex);
  running.groups.erase(process);
  int state = 0;
  if (::waitpid(process, &state, 0) != process)
    return Status(Code::internal, "cannot tell whether the compiler " + command[0] +
                                      " succeeded: " + std::string(std::strerror(errno)));
  return CompilerRun{WIFEXITED(state) && WEXITSTATUS(state) == 0, text_of_file(folder + "/log")};
}

}  // namespace penstock::device
