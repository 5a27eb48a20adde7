// A folder for a bench's files, removed with them.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

#include "penstock/status.hpp"

namespace penstock::bench {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name) {
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    std::string pattern = (parent / ("penstock-" + name + "-XXXXXX")).string();
    if (!error && ::mkdtemp(pattern.data())) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  Status status() const {
    return path_.empty() ? Status(Code::io, "cannot make a temporary folder") : Status();
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;  // empty where it could not be made
};

}  // namespace penstock::bench
