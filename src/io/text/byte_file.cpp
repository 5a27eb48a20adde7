#include "io/text/byte_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "io/text/spooled_pipe.hpp"

namespace penstock::io {
namespace {

// Read, not mapped: a file that another program shortens meanwhile would end the process.
class RegularFile final : public ByteFile {
 public:
  RegularFile(std::string name, std::unique_ptr<File> file, std::uint64_t begin, std::uint64_t end)
      : ByteFile(std::move(name)), file_(std::move(file)), begin_(begin), end_(end) {}

  Result<std::size_t> read_at(std::span<char> into, std::uint64_t offset) override {
    const std::size_t bytes = file_->read_at(into.data(), into.size(), begin_ + offset);
    if (bytes == into.size()) return bytes;
    if (errno != 0) return error(errno);
    PENSTOCK_TRY(check_length(begin_ + offset + bytes));
    return bytes;
  }

  std::optional<int> descriptor() const override {
    return begin_ == 0 && end_ > 0 ? std::optional(file_->descriptor()) : std::nullopt;
  }

 private:
  // Files of the kernel end before the size that they show.
  Status check_length(std::uint64_t end) const {
    struct stat now{};
    if (end >= end_ || ::fstat(file_->descriptor(), &now) != 0 ||
        static_cast<std::uint64_t>(now.st_size) >= end_)
      return {};
    return {Code::truncated, name() + " became shorter while it was read"};
  }

  const std::unique_ptr<File> file_;
  const std::uint64_t begin_, end_;  // as it was opened
};

std::string text_name(const std::string& path) {
  return descriptor_named(path) == 0 ? "standard input" : "'" + path + "'";
}

Status cannot_read(const std::string& path, const char* reason) {
  return {Code::io, "cannot read " + text_name(path) + ": " + reason};
}

// The position of redirected standard input: another program may have read from it already.
std::uint64_t begin_of(const std::string& path, const File& file) {
  if (descriptor_named(path) != 0) return 0;
  const off_t at = ::lseek(file.descriptor(), 0, SEEK_CUR);
  return at < 0 ? 0 : static_cast<std::uint64_t>(at);
}

Result<std::shared_ptr<ByteFile>> open_regular(const std::string& path) {
  auto file = open_descriptor(path);
  struct stat info{};
  if (!*file || ::fstat(file->descriptor(), &info) != 0)
    return cannot_read(path, std::strerror(errno));
  const std::uint64_t begin = begin_of(path, *file);
  return std::shared_ptr<ByteFile>(std::make_shared<RegularFile>(
      text_name(path), std::move(file), begin, static_cast<std::uint64_t>(info.st_size)));
}

}  // namespace

Status ByteFile::error(int number) const {
  return {Code::io, "cannot read " + name_ + ": " + std::strerror(number)};
}

std::optional<int> descriptor_named(const std::string& path) {
  if (path == "-" || path == "/dev/stdin") return 0;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const char* const end = path.data() + path.size();
    int number = -1;
    const auto read = std::from_chars(path.data() + folder.size(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= 0) return number;
  }
  return std::nullopt;
}

std::unique_ptr<File> open_descriptor(const std::string& path) {
  if (const auto number = descriptor_named(path))
    return std::make_unique<File>(::fcntl(*number, F_DUPFD_CLOEXEC, 0));
  return std::make_unique<File>(path, O_RDONLY);
}

Result<std::shared_ptr<ByteFile>> open_bytes(const std::string& path) {
  const auto number = descriptor_named(path);
  struct stat info{};
  if ((number ? ::fstat(*number, &info) : ::stat(path.c_str(), &info)) != 0)
    return cannot_read(path, std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return cannot_read(path, "it is a directory");
  if (S_ISREG(info.st_mode) || S_ISBLK(info.st_mode)) return open_regular(path);
  return spooled_pipe(path, text_name(path), info);
}

}  // namespace penstock::io
