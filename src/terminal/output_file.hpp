// The destination of results: standard output, or a file that is written atomically, even when a
// signal ends the program.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "penstock/status.hpp"

namespace penstock::terminal {

// Receives output in parts. An error stops its producer.
using Sink = std::function<Status(std::string_view text)>;
Sink standard_output();

// Refuses an output that is the input, also by another name or a link, before anything is written.
// "-" is a standard stream. Only ordinary files are compared.
Status check_output_is_not_input(const std::string& output, const std::string& input);

class OutputFile {
 public:
  // Fails at once if the path cannot be written, before any work is done for it.
  static Result<std::unique_ptr<OutputFile>> create(const std::string& path);
  ~OutputFile();  // without commit() nothing is left
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status write(std::string_view text);
  Status write_hole(std::uint64_t bytes);  // WholeFile::write_hole()
  Status take_attributes(int descriptor) { return file_->take_attributes(descriptor); }
  Status commit();  // flushes to the disk and renames

 private:
  OutputFile(std::string path, std::unique_ptr<WholeFile> file);
  std::string path_, temporary_;  // the signal handler reads the latter
  std::unique_ptr<WholeFile> file_;
};

}  // namespace penstock::terminal
