#include "base/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

extern char** environ;

namespace penstock {
namespace {

// Files without a name take what a program reads and writes: with pipes, either side could wait for
// the other, or be ended by a signal.
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TemporaryFile = std::unique_ptr<std::FILE, CloseFile>;

std::string text_of(std::FILE* file) {
  std::string text;
  char part[1 << 16];
  std::rewind(file);
  while (const std::size_t got = std::fread(part, 1, sizeof part, file)) text.append(part, got);
  return text;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int spawn(const std::vector<std::string>& words, std::FILE* const (&files)[3], pid_t& process) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; i++) posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
  const int failed =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

}  // namespace

Result<ProcessOutput> run_process(const std::vector<std::string>& words, std::string_view input) {
  const TemporaryFile in(std::tmpfile()), out(std::tmpfile()), errors(std::tmpfile());
  if (!in || !out || !errors)
    return Status(Code::io, std::string("no temporary file: ") + std::strerror(errno));
  const bool is_written = std::fwrite(input.data(), 1, input.size(), in.get()) == input.size() &&
                          std::fflush(in.get()) == 0;
  if (!is_written) return Status(Code::io, "cannot write a temporary file");
  std::rewind(in.get());
  pid_t process = 0;
  if (const int failed = spawn(words, {in.get(), out.get(), errors.get()}, process))
    return Status(Code::io, words[0] + " does not start: " + std::strerror(failed));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return Status(Code::io, words[0] + ": " + std::strerror(errno));
  return ProcessOutput{text_of(out.get()), text_of(errors.get()), exit_code_of(status)};
}

std::string program_on_path(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string folder(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    const std::string file = folder + "/" + std::string(name);
    if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace penstock
