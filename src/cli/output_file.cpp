#include "cli/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/signals.hpp"

namespace penstock::cli {

namespace {

Status system_error(const std::string& what) { return {Code::io, what + ": " + std::strerror(errno)}; }

Status write_all(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    if (interrupted()) return {Code::cancelled, "interrupted while writing " + name};
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return system_error("cannot write " + name);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Sink standard_output() {
  return [](std::string_view text) { return write_all(STDOUT_FILENO, text, "standard output"); };
}

OutputFile::OutputFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {
  remove_when_killed(temporary_.c_str());
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return Status(Code::io, "cannot write " + path + ": it is not an ordinary file");
  std::string temporary = path + ".partial-" + std::to_string(::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return system_error("cannot write " + path);
  return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(temporary), descriptor));
}

OutputFile::~OutputFile() {
  remove_when_killed(nullptr);
  ::close(descriptor_);
  if (!committed_) ::unlink(temporary_.c_str());
}

Status OutputFile::write(std::string_view text) { return write_all(descriptor_, text, path_); }

Status OutputFile::commit() {
  if (interrupted()) return {Code::cancelled, "interrupted while writing " + path_};
  if (::fsync(descriptor_) != 0) return system_error("cannot write " + path_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return system_error("cannot write " + path_);
  committed_ = true;
  return {};
}

}  // namespace penstock::cli
