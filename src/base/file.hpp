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
  // Opens as open() does, with O_CLOEXEC. Converts to false where that failed; errno has the
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
  // Does so of a file that had all of them when it was opened as `name`. Code::truncated where it
  // was shortened since.
  Status read_exactly(std::span<std::byte> into, std::uint64_t offset,
                      const std::string& name) const;

 private:
  int descriptor_;
};

// Returns what changes when a file's content does: its device, inode, size and time of change in
// nanoseconds. "" where there is no such regular file. Two changes within one tick of the file
// system's clock that leave the size look like one.
std::string file_identity(const std::string& path);

// A file that appears complete or not at all. It is written without a name (O_TMPFILE), so that
// nothing is left however the process ends, and gets its name when it is complete and on the disk.
// Where the file system has no nameless files, or /proc is not mounted, it is written under another
// name in the same folder. That name is short, random and created exclusively: an existing file or
// link is never opened.
class WholeFile {
 public:
  // Fails at once where the path cannot be written, before any work is done for it.
  static Result<std::unique_ptr<WholeFile>> create(const std::string& path);
  ~WholeFile();  // without commit() nothing is left
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  Status write(std::string_view bytes);
  // Continues after so many zeros, which take no space on the disk where the file system has holes.
  Status write_hole(std::uint64_t bytes);
  // Takes permissions and time of change from another file, whose content this one has in another
  // form. Takes its owner too, where the process is root.
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
