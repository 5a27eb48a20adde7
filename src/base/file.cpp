#include "base/file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

namespace penstock {
namespace {

Status system_error(const std::string& path) {
  return {Code::io, "cannot write " + path + ": " + std::strerror(errno)};
}

// Returns a name in the folder of `path` that cannot be predicted: another user cannot block the
// write by creating it first. It has no part of the path's own name, which may be as long as names
// can be.
std::string name_beside(const std::string& path) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
    number = static_cast<std::uint64_t>(::getpid());
  char text[40];
  std::snprintf(text, sizeof text, ".partial-%016llx", static_cast<unsigned long long>(number));
  return path.substr(0, path.rfind('/') + 1) + text;
}

// Returns the path that linkat() links a nameless file from. It exists only if /proc is mounted.
std::string link_of(const File& file) {
  return "/proc/self/fd/" + std::to_string(file.descriptor());
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Flushes the entry of a renamed file. Folders that cannot be opened for reading and file systems
// without this flush are no errors.
Status flush_folder_of(const std::string& path) {
  const File folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (!folder || ::fsync(folder.descriptor()) == 0 || errno == EINVAL || errno == EROFS) return {};
  return system_error(path);
}

}  // namespace

std::string file_identity(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string identity;
  for (const std::int64_t part :
       {static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
        static_cast<std::int64_t>(status.st_size), static_cast<std::int64_t>(status.st_mtim.tv_sec),
        static_cast<std::int64_t>(status.st_mtim.tv_nsec)})
    identity += std::to_string(part) + ":";
  return identity;
}

File::File(const std::string& path, int flags, unsigned mode)
    : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
int File::release() { return std::exchange(descriptor_, -1); }

bool File::write_all(const void* data, std::size_t bytes) const {
  for (const char* at = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t written = ::write(descriptor_, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written, bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

std::size_t File::read_up_to(void* data, std::size_t bytes) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(descriptor_, static_cast<char*>(data) + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

std::size_t File::read_at(void* data, std::size_t bytes, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::pread(descriptor_, static_cast<char*>(data) + done, bytes - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

Status File::read_exactly(std::span<std::byte> into, std::uint64_t offset,
                          const std::string& name) const {
  const std::size_t done = read_at(into.data(), into.size(), offset);
  if (done == into.size()) return {};
  if (errno != 0) return {Code::io, "cannot read " + name + ": " + std::strerror(errno)};
  return {Code::truncated, name + ": was shortened while it was read, to " +
                               std::to_string(offset + done) + " bytes or fewer"};
}

WholeFile::WholeFile(std::string path, std::string temporary, std::unique_ptr<File> file,
                     bool is_named)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      file_(std::move(file)),
      is_named_(is_named) {}

Result<std::unique_ptr<WholeFile>> WholeFile::create(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status(Code::io, "cannot write " + path + ": it is not an ordinary file");
  std::string temporary = name_beside(path);
  auto file = std::make_unique<File>(folder_of(path), O_WRONLY | O_TMPFILE, 0666);
  const bool is_named = !*file || ::access(link_of(*file).c_str(), F_OK) != 0;
  if (is_named)
    file = std::make_unique<File>(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (!*file) return system_error(path);
  return std::unique_ptr<WholeFile>(
      new WholeFile(path, std::move(temporary), std::move(file), is_named));
}

WholeFile::~WholeFile() {
  if (is_named_) ::unlink(temporary_.c_str());
}

Status WholeFile::failure() const {
  const int error = errno;
  const bool is_older = ::access(path_.c_str(), F_OK) == 0;
  return {Code::io, "cannot write " + path_ + ": " + std::strerror(error) +
                        (is_older ? "; the existing file is unchanged" : "; no file was left")};
}

Status WholeFile::write(std::string_view bytes) {
  ends_in_hole_ = ends_in_hole_ && bytes.empty();
  return file_->write_all(bytes.data(), bytes.size()) ? Status() : failure();
}

Status WholeFile::write_hole(std::uint64_t bytes) {
  ends_in_hole_ = true;
  return ::lseek(file_->descriptor(), static_cast<off_t>(bytes), SEEK_CUR) < 0 ? failure()
                                                                               : Status();
}

Status WholeFile::take_attributes(int descriptor) {
  struct stat info{};
  if (::fstat(descriptor, &info) != 0) return failure();
  const timespec times[] = {info.st_atim, info.st_mtim};
  // File systems and namespaces without that owner keep ours.
  if (::geteuid() == 0 && ::fchown(file_->descriptor(), info.st_uid, info.st_gid) != 0 &&
      errno != EPERM && errno != EINVAL)
    return failure();
  if (::fchmod(file_->descriptor(), info.st_mode & 0777) != 0 ||
      ::futimens(file_->descriptor(), times) != 0)
    return failure();
  return {};
}

Status WholeFile::commit() {
  if (ends_in_hole_) {
    const off_t end = ::lseek(file_->descriptor(), 0, SEEK_CUR);
    if (end < 0 || ::ftruncate(file_->descriptor(), end) != 0) return failure();
  }
  if (::fsync(file_->descriptor()) != 0) return failure();
  if (!is_named_) {  // linkat() replaces no file, so an existing one is replaced by a rename
    if (::linkat(AT_FDCWD, link_of(*file_).c_str(), AT_FDCWD, temporary_.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      return failure();
    is_named_ = true;
  }
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failure();
  is_named_ = false;
  return flush_folder_of(path_);
}

}  // namespace penstock
