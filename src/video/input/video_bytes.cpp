#include "video/input/video_bytes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/parallel.hpp"

namespace penstock::video {
namespace {

// The memory that is allocated at once for bytes that a header merely promises.
constexpr std::uint64_t growth_bytes = 64 << 20;
class StoredInFile final : public StoredPlanes {
 public:
  StoredInFile(std::shared_ptr<const File> file, std::string name, std::uint64_t begin)
      : file_(std::move(file)), name_(std::move(name)), begin_(begin) {}

  Status read(std::uint64_t first_byte, std::span<std::byte> into) const override {
    return file_->read_exactly(into, begin_ + first_byte, name_);
  }

 private:
  std::shared_ptr<const File> file_;
  std::string name_;
  std::uint64_t begin_;
};

// Returns the size of an ordinary file that is at its beginning; 0 for everything else, and for
// files without a size as in /proc.
std::uint64_t bytes_of_file(int descriptor) {
  struct stat info = {};
  const bool is_file = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
                       ::lseek(descriptor, 0, SEEK_CUR) == 0;
  return is_file ? static_cast<std::uint64_t>(info.st_size) : 0;
}

}  // namespace

Result<std::unique_ptr<VideoBytes>> VideoBytes::open(const std::string& path,
                                                     std::function<bool()> is_interrupted) {
  std::unique_ptr<VideoBytes> bytes(new VideoBytes);
  bytes->name_ = path == "-" ? "standard input" : path;
  bytes->is_interrupted_ = std::move(is_interrupted);
  bytes->file_ = path == "-"
                     ? std::make_shared<const File>(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))
                     : std::make_shared<const File>(path, O_RDONLY);
  if (!*bytes->file_) return Status(Code::io, "cannot open " + path + ": " + std::strerror(errno));
  bytes->file_bytes_ = bytes_of_file(bytes->file_->descriptor());
  return bytes;
}

// Several threads read: a frame of 4K has 12 MB.
Result<std::size_t> VideoBytes::read_file(std::span<std::byte> into) {
  into = into.first(std::min<std::uint64_t>(into.size(), file_bytes_ - read_bytes_));
  constexpr std::uint64_t part_bytes = 2 << 20;
  std::vector<Status> statuses((into.size() + part_bytes - 1) / part_bytes);
  in_parallel(statuses.size(), 1, [&](std::uint64_t part, std::uint64_t last) {
    for (; part < last; part++) {
      const auto rest = into.subspan(part * part_bytes);
      statuses[part] =
          file_->read_exactly(rest.first(std::min<std::uint64_t>(rest.size(), part_bytes)),
                              read_bytes_ + part * part_bytes, name_);
    }
  });
  for (Status& status : statuses) PENSTOCK_TRY(status);
  read_bytes_ += into.size();
  return into.size();
}

Result<std::size_t> VideoBytes::read_some(std::span<std::byte> into) {
  if (is_ordinary()) return read_file(into);
  for (;;) {
    if (is_interrupted_ && is_interrupted_())
      return Status(Code::cancelled, "interrupted while reading " + name_);
    // Waits in parts, so that an interrupt is noticed while no input arrives.
    pollfd waiting{file_->descriptor(), POLLIN, 0};
    constexpr int wait_milliseconds = 100;
    const int ready = ::poll(&waiting, 1, wait_milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(file_->descriptor(), into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN)
      return Status(Code::io, "cannot read " + name_ + ": " + std::strerror(errno));
  }
}

Result<std::size_t> VideoBytes::read(std::span<std::byte> into) {
  std::size_t done = std::min(into.size(), end_ - begin_);
  std::copy_n(buffer_.data() + begin_, done, into.data());
  begin_ += done;
  while (done < into.size()) {
    PENSTOCK_ASSIGN(const std::size_t count, read_some(into.subspan(done)));
    if (count == 0) break;
    done += count;
  }
  position_ += done;
  return done;
}

Result<std::string_view> VideoBytes::peek(std::size_t bytes) {
  std::copy(buffer_.begin() + begin_, buffer_.begin() + end_, buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  while (end_ < bytes) {
    PENSTOCK_ASSIGN(const std::size_t count, read_some(std::span(buffer_).subspan(end_)));
    if (count == 0) break;
    end_ += count;
  }
  return std::string_view(reinterpret_cast<const char*>(buffer_.data()), end_);
}

Result<std::span<const std::byte>> VideoBytes::take(std::uint64_t bytes,
                                                    std::vector<std::byte>& memory) {
  std::uint64_t done = 0;
  while (done < bytes) {
    const std::uint64_t wanted = std::min(bytes, done + growth_bytes);
    if (memory.size() < wanted) memory.resize(wanted);
    PENSTOCK_ASSIGN(const std::size_t count, read(std::span(memory).subspan(done, wanted - done)));
    done += count;
    if (done < wanted) break;
  }
  return std::span<const std::byte>(memory).first(done);
}

std::shared_ptr<const StoredPlanes> VideoBytes::stored_before(std::uint64_t bytes) const {
  if (!is_ordinary()) return nullptr;
  return std::make_shared<StoredInFile>(file_, name_, position_ - bytes);
}

Result<std::uint64_t> VideoBytes::skip(std::uint64_t bytes) {
  if (!is_ordinary()) {
    PENSTOCK_ASSIGN(const auto taken, take(bytes, skipped_));
    return taken.size();
  }
  const std::size_t peeked = std::min<std::uint64_t>(bytes, end_ - begin_);
  const std::uint64_t others = std::min(bytes - peeked, file_bytes_ - read_bytes_);
  if (others > 0)
    ::posix_fadvise(file_->descriptor(), static_cast<off_t>(read_bytes_),
                    static_cast<off_t>(others), POSIX_FADV_WILLNEED);
  begin_ += peeked;
  read_bytes_ += others;
  position_ += peeked + others;
  return peeked + others;
}

Result<bool> VideoBytes::take_line(std::string& line, std::size_t max_bytes) {
  line.clear();
  for (;;) {
    PENSTOCK_ASSIGN(std::string_view next, peek(1));
    if (next.empty()) {
      if (line.empty()) return false;
      return Status(Code::truncated, name_ + ": ends in a header");
    }
    const std::size_t end = next.find('\n');
    line += next.substr(0, end);
    const std::size_t taken = std::min(end == next.npos ? end : end + 1, next.size());
    position_ += taken;
    begin_ += taken;
    if (end != next.npos && line.size() <= max_bytes) return true;
    if (line.size() > max_bytes)
      return Status(Code::corrupt, name_ + ": a line has more than " + std::to_string(max_bytes) +
                                       " bytes (byte " + std::to_string(position_) + ")");
  }
}

}  // namespace penstock::video
