// A folder of its own for the files of one compilation, removed with all that is in it.
#pragma once
#include <string>
#include <utility>

#include "penstock/status.hpp"

namespace penstock::sycl_plugin {

class CompileFolder {
 public:
  static Result<CompileFolder> make();
  CompileFolder(CompileFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  CompileFolder& operator=(CompileFolder&&) = delete;
  ~CompileFolder();
  const std::string& path() const { return path_; }

 private:
  explicit CompileFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace penstock::sycl_plugin
