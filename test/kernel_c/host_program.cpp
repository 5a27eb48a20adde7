#include "kernel_c/host_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "kernel_c/metal_on_host.hpp"

extern char** environ;

namespace penstock::kernel {
namespace {

namespace fs = std::filesystem;

// The words of a list that CMake joined with |.
std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, '|');)
    if (!word.empty()) words.push_back(word);
  return words;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Runs a command in a folder, with its output in a file. The exit code, or 128 and the signal, or
// -1 when it did not start.
int run_command(const std::vector<std::string>& command, const fs::path& folder,
                const fs::path& log) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int failure = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int state = 0;
  if (failure != 0 || waitpid(child, &state, 0) != child) return -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

// One step of the compiler: its words as CMake joined them, and more. Names are relative to the
// folder.
Status compile_step(const fs::path& folder, const char* lists,
                    const std::vector<std::string>& more) {
  std::vector<std::string> command = words_of(lists);
  command.insert(command.end(), more.begin(), more.end());
  if (run_command(command, folder, folder / "compiler.log") == 0) return {};
  return Status(Code::compile,
                "the text does not compile on the host:\n" + content_of(folder / "compiler.log"));
}

// program.cpp to program. clang does so in two steps: code that is optimised and instrumented as
// always, then the machine's code without optimisation. That takes 1.6 to 4 times less time, and
// kernels run for milliseconds.
Status compile(const fs::path& folder, const HostProgramOptions& options) {
  const bool has_two_steps = HostProgram::finds_races();
  const std::string code = has_two_steps ? "program.bc" : "program.o";
  std::vector<std::string> words = {"-DGROUP_SIZE=" + std::to_string(options.group_size)};
  for (const auto& [name, value] : options.defines) words.push_back("-D" + name + "=" + value);
  if (has_two_steps) words.push_back("-emit-llvm");
  if (options.target == Target::metal)
    words.insert(words.end(), {"-I" PENSTOCK_KERNEL_C_DIRECTORY "/metal_on_host",
                               "-Wno-unknown-attributes", "-fsigned-char"});
  words.insert(words.end(), {"-c", "program.cpp", "-o", code});
  PENSTOCK_TRY(compile_step(folder,
                            PENSTOCK_HOST_LAUNCHER "|" PENSTOCK_HOST_COMPILER
                                                   "|" PENSTOCK_HOST_FLAGS
                                                   "|" PENSTOCK_HOST_TRACE_FLAGS,
                            words));
  if (has_two_steps)
    PENSTOCK_TRY(compile_step(
        folder, PENSTOCK_HOST_COMPILER "|-O0|-fno-omit-frame-pointer|-ffp-contract=off",
        {"-c", code, "-o", "program.o"}));
  return compile_step(folder,
                      PENSTOCK_HOST_COMPILER "|" PENSTOCK_HOST_FLAGS "|" PENSTOCK_HOST_OBJECTS
                                             "|" PENSTOCK_HOST_LINK_FLAGS,
                      {"program.o", "-o", "program"});
}

void write_word(std::ostream& file, std::uint64_t word) {
  file.write(reinterpret_cast<const char*>(&word), sizeof word);
}
void write_text(std::ostream& file, std::string_view text) {
  write_word(file, text.size());
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
}

// The first of the arguments that is the same memory: the kernel has one memory of both, as on a
// device.
std::size_t first_of_memory(const std::vector<HostArgument>& arguments, std::size_t number) {
  const HostArgument& mine = arguments[number];
  const auto is_same = [&](const HostArgument& other) {
    return other.buffer_data == mine.buffer_data && other.bytes == mine.bytes;
  };
  if (mine.buffer_data == nullptr) return number;
  return static_cast<std::size_t>(std::find_if(arguments.begin(), arguments.end(), is_same) -
                                  arguments.begin());
}

const void* data_of(const HostArgument& argument) {
  return argument.buffer_data ? argument.buffer_data : argument.value_bytes.data();
}

Status check(const Signature& signature, const std::vector<HostArgument>& arguments) {
  const auto wrong = [&](const std::string& what) {
    return Status(Code::invalid, "kernel '" + signature.name + "': " + what);
  };
  if (arguments.size() != signature.parameters.size())
    return wrong("takes " + std::to_string(signature.parameters.size()) + " arguments, not " +
                 std::to_string(arguments.size()));
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const Parameter& parameter = signature.parameters[i];
    const bool is_value = !arguments[i].value_bytes.empty();
    if (is_value != (parameter.kind == ParameterKind::value))
      return wrong("'" + parameter.name + "' is " + (is_value ? "no value" : "a value"));
    const auto bytes = bytes_of_type(parameter.type);
    if (is_value && bytes && *bytes != arguments[i].bytes)
      return wrong("'" + parameter.name + "' is a " + parameter.type);
  }
  return {};
}

}  // namespace

HostProgram::Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

bool HostProgram::finds_races() {
  return std::string_view(PENSTOCK_HOST_COMPILER).find("clang") != std::string_view::npos;
}

Result<HostProgram> HostProgram::build(std::string_view text, const HostProgramOptions& options) {
  HostProgram program;
  PENSTOCK_ASSIGN(program.signatures_, read_signatures(text));
  std::string code(text);
  if (options.target == Target::metal) { PENSTOCK_ASSIGN(code, metal_text_on_host(text)); }
  std::string pattern = (fs::temp_directory_path() / "penstock-host-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    return Status(Code::io, "cannot make a folder like " + pattern);
  program.folder_ = std::make_shared<const Folder>(pattern);
  std::ofstream(program.folder_->path / "program.cpp", std::ios::binary) << code;
  PENSTOCK_TRY(compile(program.folder_->path, options));
  program.server_ = std::make_shared<HostServer>(program.folder_->path / "program");
  return program;
}

Status HostProgram::run(std::string_view kernel, std::uint32_t groups,
                        const std::vector<HostArgument>& arguments, ThreadOrder order,
                        std::uint32_t seed) const {
  const auto signature = std::find_if(signatures_.begin(), signatures_.end(),
                                      [&](const Signature& s) { return s.name == kernel; });
  if (signature == signatures_.end())
    return Status(Code::invalid, "the text has no kernel '" + std::string(kernel) + "'");
  PENSTOCK_TRY(check(*signature, arguments));
  const MemoryFile request_file, result_file, log_file;
  std::ofstream request(request_file.path(), std::ios::binary);
  write_text(request, kernel);
  for (const std::uint64_t word : {std::uint64_t{groups}, static_cast<std::uint64_t>(order),
                                   std::uint64_t{seed}, std::uint64_t{arguments.size()}})
    write_word(request, word);
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const bool is_value = signature->parameters[i].kind == ParameterKind::value;
    const std::size_t same = first_of_memory(arguments, i);
    write_word(request, is_value ? 0 : same + 1);
    write_text(request, signature->parameters[i].name);
    write_text(request, {static_cast<const char*>(data_of(arguments[i])),
                         same == i ? arguments[i].bytes : 0});
  }
  request.close();
  const int code = server_->run(request_file, result_file, log_file);
  const std::string log = log_file.content(), result = result_file.content();
  if (code != 0)
    return Status(code == 2 ? Code::invalid : Code::internal,
                  log.empty() ? "host_runner ended with " + std::to_string(code) : log);
  std::size_t at = 0;
  for (std::size_t i = 0; i < arguments.size(); i++) {
    const HostArgument& argument = arguments[i];
    if (!argument.value_bytes.empty() || first_of_memory(arguments, i) != i) continue;
    if (at + argument.bytes > result.size())
      return Status(Code::internal, "host_runner's result is too short");
    if (argument.bytes > 0) std::memcpy(argument.buffer_data, result.data() + at, argument.bytes);
    at += argument.bytes;
  }
  return {};
}

}  // namespace penstock::kernel
