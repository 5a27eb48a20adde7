// Owned file descriptors, and files that are written atomically.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock {

class File {
 public:
  // Opens as open() does, with O_CLOEXEC. Converts to false if that failed; errno has the
  // reason.
  File(const std::string& path, int flags, unsigned mode = 0600);
  explicit File(int descriptor) : descriptor_(descriptor) {}  // takes it over; -1 as above
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  int release();

  bool write_all(const void* data, std::size_t bytes) const;
  std::size_t read_up_to(void* data, std::size_t bytes) const;  // fewer at the file's end
  // Reads from an offset, wherever the file stands; threads may do so side by side. Returns fewer
  // bytes at the file's end, with errno 0, and after a failure, with its errno.
  std::size_t read_at(void* data, std::size_t bytes, std::uint64_t offset) const;
  // Reads from a file that had all these bytes when it was opened as `name`. Code::truncated if the
  // file was shortened since.
  Status read_exactly(std::span<std::byte> into, std::uint64_t offset,
                      const std::string& name) const;

 private:
  int descriptor_;
};

// Returns a text that changes with the file's content: its device, inode, size and modification
// time in nanoseconds. "" if there is no such regular file. Two changes within one tick of the file
// system's clock that leave the size look like one.
std::string file_identity(const std::string& path);

// A file that appears complete or not at all. It is written without a name (O_TMPFILE), so that
// nothing is left however the process ends, and gets its name when it is complete and on the disk.
// If the file system has no nameless files, or /proc is not mounted, the file is written under a
// temporary name in the same folder. That name is short, random and created exclusively: an
// existing file or link is never opened.
class WholeFile {
 public:
  // Fails at once if the path is not writable, before any work is done for it.
  static Result<std::unique_ptr<WholeFile>> create(const std::string& path);
  ~WholeFile();  // without commit() nothing is left
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  Status write(std::string_view bytes);
  // Skips this many zero bytes, which take no disk space if the file system supports holes.
  Status write_hole(std::uint64_t bytes);
  // Copies the permissions and modification time of the file that this one was made from, and as
  // root its owner too.
  Status take_attributes(int descriptor);
  // Flushes the file to the disk, renames it to its path, and flushes the folder's entry.
  Status commit();
  const std::string& temporary_path() const { return temporary_; }

 private:
  WholeFile(std::string path, std::string temporary, std::unique_ptr<File> file, bool is_named);
  Status failure() const;  // from errno
  std::string path_, temporary_;
  std::unique_ptr<File> file_;
  bool ends_in_hole_ = false;
  bool is_named_;  // whether temporary_ exists
};

}  // namespace penstock
