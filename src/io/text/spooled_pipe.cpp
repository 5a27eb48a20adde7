#include "io/text/spooled_pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

namespace penstock::io {
namespace {

constexpr std::size_t kept_bytes = 8 << 20;  // in memory
constexpr std::size_t read_bytes = 1 << 20;

std::string temporary_folder() {
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  return error ? "/tmp" : folder.string();
}

// Opens a file without a name, or removes its name at once if the file system needs one.
std::unique_ptr<File> nameless_file(const std::string& folder) {
  auto file = std::make_unique<File>(folder, O_RDWR | O_TMPFILE);
  if (*file) return file;
  std::string name = folder + "/penstock-XXXXXX";
  file = std::make_unique<File>(::mkostemp(name.data(), O_CLOEXEC));
  if (*file) ::unlink(name.c_str());
  return file;
}

class SpooledPipe final : public ByteFile {
 public:
  SpooledPipe(std::string path, std::string name)
      : ByteFile(std::move(name)), path_(std::move(path)), inode_(path_, O_PATH) {}

  Result<std::size_t> read_at(std::span<char> into, std::uint64_t offset) override {
    const std::lock_guard lock(mutex_);
    PENSTOCK_TRY(spool(offset + into.size()));
    if (offset >= spooled()) return std::size_t{0};
    into = into.first(
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), spooled() - offset)));
    std::size_t done = 0;
    if (offset < kept_.size()) {
      done = std::min(into.size(), kept_.size() - static_cast<std::size_t>(offset));
      std::copy_n(kept_.data() + offset, done, into.data());
    }
    if (done == into.size()) return done;
    const std::size_t rest = into.size() - done;
    if (file_->read_at(into.data() + done, rest, offset + done - kept_bytes) < rest)
      return error(errno);
    return into.size();
  }

 private:
  std::uint64_t spooled() const { return kept_.size() + written_bytes_; }

  // Reads until the pipe's first `end` bytes are kept, or all of it.
  Status spool(std::uint64_t end) {
    while (!ended_ && spooled() < end) {
      PENSTOCK_TRY(failure_);
      if (!pipe_) PENSTOCK_TRY(open());
      PENSTOCK_TRY(spool_some());
    }
    return {};
  }

  Status open() {
    auto pipe = open_descriptor(path_);
    if (!*pipe) return error(errno);
    pipe_ = std::move(pipe);
    return {};
  }

  Status spool_some() {
    std::vector<char> bytes(
        kept_.size() < kept_bytes ? std::min(read_bytes, kept_bytes - kept_.size()) : read_bytes);
    const ssize_t count = ::read(pipe_->descriptor(), bytes.data(), bytes.size());
    if (count < 0) return errno == EINTR ? Status() : error(errno);
    if (count == 0) {
      ended_ = true;
      pipe_.reset();
      return {};
    }
    bytes.resize(static_cast<std::size_t>(count));
    if (kept_.size() == kept_bytes) return write(bytes);
    kept_.insert(kept_.end(), bytes.begin(), bytes.end());
    return {};
  }

  // Bytes that cannot be kept are gone from the pipe: later readers get the error too.
  Status write(std::span<const char> bytes) {
    const std::string folder = temporary_folder();
    if (!file_) file_ = nameless_file(folder);
    if (*file_ && file_->write_all(bytes.data(), bytes.size())) {
      written_bytes_ += bytes.size();
      return {};
    }
    failure_ = Status(Code::io, "cannot keep " + name() + " in a temporary file of '" + folder +
                                    "': " + std::strerror(errno) +
                                    "; the variable TMPDIR names another folder");
    pipe_.reset();
    return failure_;
  }

  const std::string path_;
  const File inode_;  // no other pipe gets its number meanwhile, by which this one is known
  std::mutex mutex_;
  std::unique_ptr<File> pipe_, file_;
  std::vector<char> kept_;
  std::uint64_t written_bytes_ = 0;
  bool ended_ = false;
  Status failure_;
};

}  // namespace

std::shared_ptr<ByteFile> spooled_pipe(const std::string& path, const std::string& name,
                                       const struct stat& status) {
  // By the pipe itself, which standard input and /dev/fd/0 both are.
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, std::shared_ptr<ByteFile>> pipes;
  const std::lock_guard lock(mutex);
  auto& pipe = pipes[{status.st_dev, status.st_ino}];
  if (!pipe) pipe = std::make_shared<SpooledPipe>(path, name);
  return pipe;
}

}  // namespace penstock::io
