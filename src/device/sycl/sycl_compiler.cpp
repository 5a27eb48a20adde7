#include "device/sycl/sycl_compiler.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/file.hpp"
#include "device/disk_cache.hpp"
#include "device/sycl/compiler_identity.hpp"

namespace penstock::sycl_plugin {
namespace {

// The headers that every program includes, and a launch as in sycl.prelude: instantiating its
// templates is most of the compile time of a program (9.4 s without this file, 1.5 s with it).
constexpr std::string_view header_text = R"(#include <sycl/sycl.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
namespace penstock_precompiled {
inline sycl::event launch(sycl::queue& queue, std::uint32_t groups, std::uint32_t* to) {
  return queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<std::uint32_t, 1> tile(sycl::range<1>(1), handler);
    handler.parallel_for(sycl::nd_range<1>(std::size_t(groups) * 64, 64),
                         [=](sycl::nd_item<1> thread) {
                           to[thread.get_global_id(0)] = tile[0];
                           sycl::group_barrier(thread.get_group());
                         });
  });
}
}  // namespace penstock_precompiled
)";

// Programs that link add no libraries to a header.
std::vector<std::string> header_command(const std::vector<std::string>& command,
                                        const std::string& from, const std::string& to) {
  std::vector<std::string> words;
  for (const std::string& word : command)
    if (word != "-shared") words.push_back(word);
  words.insert(words.end(),
               {"-fpch-instantiate-templates", "-c", "-x", "c++-header", from, "-o", to});
  return words;
}

Status make_header(const std::vector<std::string>& command,
                   const device::DiskCache::HeaderPaths& paths) {
  PENSTOCK_ASSIGN(const device::CompileFolder folder, device::CompileFolder::make());
  {
    const File file(paths.source, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    if (!file || !file.write_all(header_text.data(), header_text.size()))
      return Status(Code::io, "cannot write " + paths.source);
  }
  const Result<device::CompilerRun> run =
      run_compiler(header_command(command, paths.source, paths.partial), folder);
  // Whatever the umask is: is_trusted() asks for it.
  const bool is_ours = run.ok() && run->succeeded && chmod(paths.partial.c_str(), 0600) == 0;
  if (is_ours && std::rename(paths.partial.c_str(), paths.compiled.c_str()) == 0) return {};
  unlink(paths.partial.c_str()), unlink(paths.source.c_str());
  return run.ok() ? Status(Code::compile, run->log) : run.status();
}

// A header is code that runs as us. Ignores files that other users could have written.
bool is_trusted(const std::string& path) {
  const File file(path, O_RDONLY | O_NOFOLLOW);
  struct stat info{};
  return file && fstat(file.descriptor(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

device::CacheKey header_key(const Api& api, const std::vector<std::string>& command) {
  device::CacheKey key;
  key.text = std::string("precompiled header\n") + api.compiler_version + "\n";
  for (const std::string& word : command) key.text += word + "\n";
  for (const std::string& line : compiler_identity(api, command)) key.text += line + "\n";
  key.text += header_text;
  key.digest = content_hash(key.text);
  return key;
}

}  // namespace

std::vector<std::string> compiler_command(const Api& api) {
  std::vector<std::string> words;
  std::istringstream lines{std::string(api.compiler_command)};
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) words.push_back(line);
  const char* const other = std::getenv("PENSTOCK_SYCL_COMPILER");
  if (other && *other && !words.empty()) words.front() = other;
  return words;
}

Result<device::CompilerRun> run_compiler(const std::vector<std::string>& command,
                                         const device::CompileFolder& folder) {
  Result<device::CompilerRun> run = device::run_compiler(command, folder.path());
  if (run.ok()) return run;
  return run.status().with("while SYCL is compiled; PENSTOCK_SYCL_COMPILER names another compiler");
}

std::string precompiled_header(const Api& api, const std::vector<std::string>& command) {
  const device::DiskCache disk = device::DiskCache::from_environment();
  if (!api.has_precompiled_headers || !disk.writable()) return "";
  const device::CacheKey key = header_key(api, command);
  const device::DiskCache::HeaderPaths paths = disk.paths_of_header(key);
  const std::string& path = paths.compiled;
  if (is_trusted(path)) {
    utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // eviction goes by use
    return path;
  }
  const device::DiskCache::Lock lock = disk.lock(key);
  if (is_trusted(path)) return path;  // another process made it
  return make_header(command, paths).ok() ? path : "";
}

void forget_precompiled_header(const std::string& path) {
  unlink(path.c_str()), unlink((path + ".cpp").c_str());  // disk_cache.cpp names both
}

}  // namespace penstock::sycl_plugin
