#include "device/compile_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/file.hpp"
#include "device/disk_cache.hpp"

namespace penstock::device {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view folder_prefix = "compile-";

// Folders of this process. They are removed by an exit handler too: threads that compile in the
// background end with the process.
struct OpenFolders {
  std::mutex mutex;
  std::set<std::string> paths;
};
OpenFolders& open_folders() {
  static OpenFolders& folders = *new OpenFolders;
  return folders;
}

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Removes a folder if its owner has ended without removing it. A new folder is not locked yet.
void remove_abandoned(const fs::path& path) {
  constexpr auto time_to_lock = std::chrono::minutes(1);
  std::error_code error;
  const auto made = fs::last_write_time(path, error);
  if (error || made > fs::file_time_type::clock::now() - time_to_lock) return;
  const int descriptor = open_folder(path.native());
  if (descriptor < 0) return;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, error);
  ::close(descriptor);
}

void remove_abandoned_in(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().native().starts_with(folder_prefix)) remove_abandoned(at->path());
}

// The cache's folder is the user's own, and programs may be run from it more often than from /tmp.
Result<std::string> parent_folder() {
  const DiskCache cache = DiskCache::from_environment();
  if (cache.writable()) {
    static std::once_flag once;
    std::call_once(once, [&] { remove_abandoned_in(cache.directory()); });
    return cache.directory();
  }
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (!error) return temporary.string();
  return Status(Code::io, "there is no folder for temporary files: " + error.message());
}

void remember(const std::string& path) {
  static std::once_flag once;
  std::call_once(once, [] { std::atexit(remove_compile_folders); });
  OpenFolders& folders = open_folders();
  const std::lock_guard guard(folders.mutex);
  folders.paths.insert(path);
}

}  // namespace

void remove_compile_folders() {
  OpenFolders& folders = open_folders();
  const std::lock_guard guard(folders.mutex);
  std::error_code ignored;
  for (const std::string& path : folders.paths) fs::remove_all(path, ignored);
}

Result<CompileFolder> CompileFolder::make() {
  PENSTOCK_ASSIGN(const std::string parent, parent_folder());
  std::string path = parent + "/" + std::string(folder_prefix) + "XXXXXX";
  if (!mkdtemp(path.data()))
    return Status(Code::io, "cannot make a folder in " + parent + ": " + std::strerror(errno));
  const int descriptor = open_folder(path);
  if (descriptor >= 0) (void)flock(descriptor, LOCK_EX | LOCK_NB);
  remember(path);
  return CompileFolder(std::move(path), descriptor);
}

Status CompileFolder::write(std::string_view name, std::span<const std::byte> content) const {
  // Executable, as the dynamic linker of some systems wants its files.
  const File file(path_of(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700);
  if (file && file.write_all(content.data(), content.size())) return {};
  return Status(Code::io, "cannot write " + path_of(name) + ": " + std::strerror(errno));
}

Result<std::vector<std::byte>> CompileFolder::read(std::string_view name) const {
  const File file(path_of(name), O_RDONLY | O_NOFOLLOW);
  struct stat info{};
  if (!file || fstat(file.descriptor(), &info) != 0 || info.st_size == 0)
    return Status(Code::io, "the compiler wrote no " + path_of(name));
  std::vector<std::byte> content(static_cast<std::size_t>(info.st_size));
  content.resize(file.read_up_to(content.data(), content.size()));
  return content;
}

CompileFolder::~CompileFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (descriptor_ >= 0) ::close(descriptor_);
  OpenFolders& folders = open_folders();
  const std::lock_guard guard(folders.mutex);
  folders.paths.erase(path_);
}

}  // namespace penstock::device
