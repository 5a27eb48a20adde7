// A file that appears whole or not at all: written under a temporary name beside its place, renamed when it is complete.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::cli {

// Takes text as it is made. An error ends the making.
using Sink = std::function<Status(std::string_view text)>;
Sink standard_output();

class OutputFile {
 public:
  // Fails at once when the place cannot be written, before any work is done for it.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path);
  ~OutputFile();      // without commit() the temporary file is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status write(std::string_view text);
  const std::string& temporary_path() const { return temporary_; }
  Status commit();    // flushes to the disk and renames

 private:
  OutputFile(std::string path, std::string temporary, int descriptor);
  std::string path_, temporary_;
  int descriptor_;
  bool committed_ = false;
};

}  // namespace penstock::cli
