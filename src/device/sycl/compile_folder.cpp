#include "device/sycl/compile_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace penstock::sycl_plugin {

Result<CompileFolder> CompileFolder::make() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) return Status(Code::io, "there is no folder for temporary files: " + error.message());
  std::string path = (parent / "penstock-sycl-XXXXXX").string();
  if (!mkdtemp(path.data()))
    return Status(Code::io,
                  "cannot make a folder in " + parent.string() + ": " + std::strerror(errno));
  return CompileFolder(std::move(path));
}

CompileFolder::~CompileFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace penstock::sycl_plugin
