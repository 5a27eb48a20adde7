// A file descriptor with an owner, and files that appear whole or not at all.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock {

class File {
 public:
  // Opens as open() does; false when that failed, with the reason in errno. Closed in a child that
  // runs another program.
  File(const std::string& path, int flags, unsigned mode = 0600);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  int release();

  bool write_all(const void* data, std::size_t bytes) const;
  std::size_t read_up_to(void* data, std::size_t bytes) const;  // what there is, at most `bytes`

 private:
  int descriptor_;
};

// Written without a name, so that nothing is left however the process ends; gets its place when it
// is complete and on the disk. Where the file system has no nameless files, it is written under
// another name beside its place. That name is new: nothing that lies there already, such as a link
// of somebody else's to a file of ours, is ever opened.
class WholeFile {
 public:
  // Fails at once when the place cannot be written, before any work is done for it.
  static Result<std::unique_ptr<WholeFile>> create(const std::string& path);
  ~WholeFile();  // without commit() nothing is left
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  Status write(std::string_view bytes);
  // Permissions and time of change of another file, whose content this one has in another form.
  Status take_attributes(int descriptor);
  // Flushes the file to the disk, puts it in its place in one step, and flushes the folder's entry.
  Status commit();
  const std::string& temporary_path() const { return temporary_; }

 private:
  WholeFile(std::string path, std::string temporary, std::unique_ptr<File> file, bool is_named);
  Status failure() const;  // of the call that has just set errno
  std::string path_, temporary_;
  std::unique_ptr<File> file_;
  bool is_named_;  // whether something lies at temporary_
};

}  // namespace penstock
