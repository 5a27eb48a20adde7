// A folder of its own for the files of one compilation, which only the user can read. It is removed
// with all that is in it: by the destructor, at the end of the process, or, where the process was
// killed, by the next process that compiles.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::device {

class CompileFolder {
 public:
  // Makes it in the folder of the JIT cache, or among temporary files if there is no cache.
  static Result<CompileFolder> make();
  CompileFolder(CompileFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")), descriptor_(std::exchange(other.descriptor_, -1)) {}
  CompileFolder& operator=(CompileFolder&&) = delete;
  ~CompileFolder();
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view name) const { return path_ + "/" + std::string(name); }
  Status write(std::string_view name, std::span<const std::byte> content) const;
  Result<std::vector<std::byte>> read(std::string_view name) const;  // Code::io if it is empty

 private:
  CompileFolder(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;  // holds the lock that tells a living owner
};

void remove_compile_folders();  // of this process, as at its end

}  // namespace penstock::device
