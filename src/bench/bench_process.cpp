#include "bench/bench_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

extern char** environ;

namespace penstock::bench {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
// A file without a name, which a program writes and we read.
using Scratch = std::unique_ptr<std::FILE, CloseFile>;

std::string text_of(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char part[4096];
  while (const std::size_t got = std::fread(part, 1, sizeof part, file)) text.append(part, got);
  return text;
}

Result<int> exit_status_of(const std::vector<std::string>& arguments, std::FILE* out,
                           std::FILE* error) {
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(error), STDERR_FILENO);
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, words[0], &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Status(Code::io, "cannot start '" + arguments[0] + "': " + std::strerror(failed));
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return Status(Code::io, "cannot wait for '" + arguments[0] + "'");
  return status;
}

}  // namespace

Result<std::string> output_of_program(const std::vector<std::string>& arguments) {
  const Scratch out(std::tmpfile()), error(std::tmpfile());
  if (!out || !error) return Status(Code::io, "cannot make a temporary file");
  PENSTOCK_ASSIGN(const int status, exit_status_of(arguments, out.get(), error.get()));
  if (status != 0)
    return Status(Code::io, "'" + arguments[0] + "' failed: " + text_of(error.get()));
  return text_of(out.get());
}

Status write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? Status() : Status(Code::io, "cannot write " + path.string());
}

std::string own_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "penstock" : path.string();
}

}  // namespace penstock::bench
