// The other half of a HostProgram, linked with its text. Each message on the socket that is its
// standard input names three files: a request, a result and a log. It forks; the child runs one
// kernel, as the request says, and writes the buffers as they are then. Findings go to the log. The
// child's exit code is the answer: 0 without findings, 3 with, 2 for a request that does not fit
// the kernel; a sanitizer's own otherwise.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

// clang-format off
#include "kernel/common.prelude"
#include "kernel/plain.prelude"
#include "kernel/host.prelude"
// clang-format on
#include "executor.hpp"

// Uses after return are looked for where clang is new: locals would move to the heap, and an index
// past them would be reported as one.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }

// Leaks are looked for in a program's first run. Kernels cannot allocate, and the search takes as
// long as the start of a process.
static int runs_before = 0;
extern "C" int __lsan_is_turned_off() { return runs_before > 0; }

namespace {

std::uint64_t read_word(std::istream& file) {
  std::uint64_t word = 0;
  file.read(reinterpret_cast<char*>(&word), sizeof word);
  return word;
}

std::string read_text(std::istream& file) {
  std::string text(read_word(file), '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

struct RunArgument {
  std::uint64_t buffer;  // 0: a value; else the number, counted from 1, of the first argument that
                         // is this memory
  std::string name;
  std::size_t bytes;
  void* data;  // a heap block of exactly these bytes: AddressSanitizer knows its end
};

int run(const std::string& request_path, const std::string& result_path) {
  std::ifstream request(request_path, std::ios::binary);
  const std::string name = read_text(request);
  const auto groups = static_cast<kernelc::u32>(read_word(request));
  kernelc::LaunchOptions options;
  options.order = static_cast<kernelc::Order>(read_word(request));
  options.seed = static_cast<kernelc::u32>(read_word(request));
  std::vector<RunArgument> arguments(read_word(request));
  const auto is_first = [&](const RunArgument& argument) {
    return argument.buffer == 0 || &arguments[argument.buffer - 1] == &argument;
  };
  for (RunArgument& argument : arguments) {
    argument.buffer = read_word(request);
    argument.name = read_text(request);
    argument.bytes = read_word(request);
    argument.data =
        is_first(argument) ? std::malloc(argument.bytes) : arguments[argument.buffer - 1].data;
    request.read(static_cast<char*>(argument.data), static_cast<std::streamsize>(argument.bytes));
    if (argument.buffer != 0 && is_first(argument))
      options.watched.push_back({argument.data, argument.bytes, argument.name});
  }
  const kernelc::KernelEntry* kernel = kernelc::find_kernel(name);
  if (!request || kernel == nullptr) {
    std::fprintf(stderr, "host_runner: %s '%s'\n",
                 kernel == nullptr ? "there is no kernel" : "cannot read the arguments of",
                 name.c_str());
    return 2;
  }
  std::vector<void*> pointers;
  for (RunArgument& argument : arguments)
    pointers.push_back(argument.buffer != 0 ? static_cast<void*>(&argument.data) : argument.data);
  const kernelc::Findings findings = kernelc::launch(*kernel, groups, pointers.data(), options);
  for (const std::string& sentence : findings) std::fprintf(stderr, "%s\n", sentence.c_str());

  std::ofstream result(result_path, std::ios::binary);
  for (const RunArgument& argument : arguments)
    if (argument.buffer != 0 && is_first(argument))
      result.write(static_cast<const char*>(argument.data),
                   static_cast<std::streamsize>(argument.bytes));
  for (const RunArgument& argument : arguments)
    if (is_first(argument)) std::free(argument.data);
  result.close();
  return findings.empty() ? result ? 0 : 2 : 3;
}

// Writes standard output and error to the log.
int run_logged(std::istream& paths) {
  std::string request, result, log;
  std::getline(std::getline(std::getline(paths, request), result), log);
  const int file = open(log.c_str(), O_WRONLY);
  if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0) return 2;
  return run(request, result);
}

}  // namespace

int main() {
  char message[1024];
  for (ssize_t bytes; (bytes = recv(0, message, sizeof message, 0)) > 0;) {
    const pid_t child = fork();
    if (child == 0) {
      std::istringstream paths(std::string(message, static_cast<std::size_t>(bytes)));
      return run_logged(paths);
    }
    runs_before++;
    int state = 0, code = -1;
    if (child > 0 && waitpid(child, &state, 0) == child)
      code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (send(0, &code, sizeof code, MSG_NOSIGNAL) != sizeof code) return 2;
  }
  return 0;
}
