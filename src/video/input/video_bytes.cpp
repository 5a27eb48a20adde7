#include "video/input/video_bytes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/parallel.hpp"

namespace penstock::video {
namespace {

// How much memory a promise of bytes is given at once.
constexpr std::uint64_t growth_bytes = 64 << 20;
// How much of a mapping stays behind: frames are read some ahead of their scoring.
constexpr std::uint64_t kept_bytes = 1 << 30;
constexpr std::uint64_t page_bytes = 64 << 10;  // or a multiple of it

// Reads the pages of a mapping here rather than where they are scored. Older kernels refuse: they
// are read there then. 16 threads found 53 GB/s of pages that the system had, so that a frame of
// 4K, which has 12 MB, takes several.
void read_pages([[maybe_unused]] std::span<const std::byte> mapped) {
#ifdef MADV_POPULATE_READ
  constexpr std::uint64_t part_bytes = 2 << 20;  // a multiple of a page
  in_parallel((mapped.size() + part_bytes - 1) / part_bytes, 1,
              [&](std::uint64_t part, std::uint64_t last) {
                const std::uint64_t begin = part * part_bytes,
                                    end = std::min<std::uint64_t>(last * part_bytes, mapped.size());
                ::madvise(const_cast<std::byte*>(mapped.data()) + begin, end - begin,
                          MADV_POPULATE_READ);
              });
#endif
}

class StoredInFile final : public StoredPlanes {
 public:
  StoredInFile(std::shared_ptr<const File> file, std::string name, std::uint64_t begin)
      : file_(std::move(file)), name_(std::move(name)), begin_(begin) {}

  Status read(std::uint64_t first_byte, std::span<std::byte> into) const override {
    const std::uint64_t from = begin_ + first_byte;
    const std::size_t done = file_->read_at(into.data(), into.size(), from);
    if (done == into.size()) return {};
    if (errno != 0) return {Code::io, "cannot read " + name_ + ": " + std::strerror(errno)};
    return {Code::truncated, name_ + ": was shortened while it was read, to " +
                                 std::to_string(from + done) + " bytes or fewer"};
  }

 private:
  std::shared_ptr<const File> file_;
  std::string name_;
  std::uint64_t begin_;
};

bool is_file_from_its_beginning(int descriptor) {
  struct stat info = {};
  return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
         ::lseek(descriptor, 0, SEEK_CUR) == 0;
}

}  // namespace

Result<std::unique_ptr<VideoBytes>> VideoBytes::open(const std::string& path,
                                                     std::function<bool()> is_interrupted) {
  std::unique_ptr<VideoBytes> bytes(new VideoBytes);
  bytes->name_ = path == "-" ? "standard input" : path;
  bytes->is_interrupted_ = std::move(is_interrupted);
  bytes->descriptor_ = STDIN_FILENO;
  if (path != "-") {
    bytes->file_ = std::make_shared<const File>(path, O_RDONLY);
    if (!*bytes->file_)
      return Status(Code::io, "cannot open " + path + ": " + std::strerror(errno));
    bytes->descriptor_ = bytes->file_->descriptor();
  }
  bytes->is_ordinary_ = is_file_from_its_beginning(bytes->descriptor_);
  if (bytes->is_ordinary_) bytes->map();
  return bytes;
}

VideoBytes::~VideoBytes() {
  if (!mapping_.empty()) ::munmap(const_cast<std::byte*>(mapping_.data()), mapping_.size());
}

std::optional<std::uint64_t> VideoBytes::size() const {
  struct stat info = {};
  if (!is_ordinary_ || ::fstat(descriptor_, &info) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

// A file that cannot be mapped is read. So are those of /proc, whose size is 0.
void VideoBytes::map() {
  const std::uint64_t bytes = size().value_or(0);
  if (bytes == 0) return;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (memory != MAP_FAILED) mapping_ = {static_cast<const std::byte*>(memory), bytes};
}

std::span<const std::byte> VideoBytes::take_mapped(std::uint64_t bytes) {
  bytes = std::min(bytes, mapping_.size() - position_);
  const auto taken = mapping_.subspan(position_, bytes);
  const std::uint64_t first = position_ / page_bytes * page_bytes;
  if (reads_mapped_)
    read_pages(mapping_.subspan(first, position_ + bytes - first));
  else
    ::posix_fadvise(descriptor_, static_cast<off_t>(position_), static_cast<off_t>(bytes),
                    POSIX_FADV_WILLNEED);
  position_ += bytes;
  forget_mapped();
  return taken;
}

// Page tables of what was read would grow with the file. A page that is used again is found again.
void VideoBytes::forget_mapped() {
  if (position_ < forgotten_ + 2 * kept_bytes) return;
  ::madvise(const_cast<std::byte*>(mapping_.data()) + forgotten_, kept_bytes, MADV_DONTNEED);
  forgotten_ += kept_bytes;
}

Result<std::size_t> VideoBytes::read_some(std::span<std::byte> into) {
  for (;;) {
    if (is_interrupted_ && is_interrupted_())
      return Status(Code::cancelled, "interrupted while reading " + name_);
    // Waits in parts, so that an interrupt is noticed while no input arrives.
    pollfd waiting{descriptor_, POLLIN, 0};
    constexpr int wait_milliseconds = 100;
    const int ready = ::poll(&waiting, 1, wait_milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = ::read(descriptor_, into.data(), into.size());
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
  if (!mapping_.empty()) {
    const auto next = mapping_.subspan(position_);
    return std::string_view(reinterpret_cast<const char*>(next.data()),
                            std::min(max_peek_bytes, next.size()));
  }
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
  if (!mapping_.empty()) return take_mapped(bytes);
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
  if (!file_ || mapping_.empty()) return nullptr;
  return std::make_shared<StoredInFile>(file_, name_, position_ - bytes);
}

Result<std::uint64_t> VideoBytes::skip(std::uint64_t bytes) {
  if (mapping_.empty()) {
    PENSTOCK_ASSIGN(const auto taken, take(bytes, skipped_));
    return taken.size();
  }
  bytes = std::min(bytes, mapping_.size() - position_);
  position_ += bytes;
  return bytes;
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
    if (mapping_.empty()) begin_ += taken;
    if (end != next.npos && line.size() <= max_bytes) return true;
    if (line.size() > max_bytes)
      return Status(Code::corrupt, name_ + ": a line has more than " + std::to_string(max_bytes) +
                                       " bytes (byte " + std::to_string(position_) + ")");
  }
}

}  // namespace penstock::video
