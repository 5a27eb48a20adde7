#include "terminal/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "terminal/signals.hpp"

namespace penstock::terminal {

namespace {

// A slow reader may block each write, so signals are checked before every part.
Status write_to_stdout(std::string_view text) {
  while (!text.empty()) {
    if (interrupted()) return {Code::cancelled, "interrupted while writing standard output"};
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return {Code::io, std::string("cannot write standard output: ") + std::strerror(errno)};
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

bool has_status(const std::string& path, int standard_stream, struct stat& status) {
  const int failed =
      path == "-" ? ::fstat(standard_stream, &status) : ::stat(path.c_str(), &status);
  return failed == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Status check_output_is_not_input(const std::string& output, const std::string& input) {
  struct stat written{}, read{};
  const bool is_same = has_status(output, STDOUT_FILENO, written) &&
                       has_status(input, STDIN_FILENO, read) && written.st_dev == read.st_dev &&
                       written.st_ino == read.st_ino;
  if (!is_same) return {};
  const auto shown = [](const std::string& path, const char* name) {
    return path == "-" ? std::string(name) : path;
  };
  return {Code::invalid, "the output " + shown(output, "standard output") +
                             " is the same file as the input " + shown(input, "standard input")};
}

Sink standard_output() { return write_to_stdout; }

OutputFile::OutputFile(std::string path, std::unique_ptr<WholeFile> file)
    : path_(std::move(path)), temporary_(file->temporary_path()), file_(std::move(file)) {
  remove_when_killed(temporary_.c_str());
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  PENSTOCK_ASSIGN(auto file, WholeFile::create(path));
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(file)));
}

OutputFile::~OutputFile() {
  file_.reset();  // first: a signal until here still removes the file
  keep_when_killed(temporary_.c_str());
}

Status OutputFile::write(std::string_view text) {
  if (interrupted()) return {Code::cancelled, "interrupted while writing " + path_};
  return file_->write(text);
}

Status OutputFile::write_hole(std::uint64_t bytes) {
  if (interrupted()) return {Code::cancelled, "interrupted while writing " + path_};
  return file_->write_hole(bytes);
}

Status OutputFile::commit() {
  if (interrupted()) return {Code::cancelled, "interrupted while writing " + path_};
  return file_->commit();
}

}  // namespace penstock::terminal
