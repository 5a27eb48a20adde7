#include "stream/input/input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace penstock::stream {
namespace {

class MemoryInput : public Input {
 public:
  MemoryInput(std::string name, std::span<const std::byte> bytes)
      : Input(std::move(name)), bytes_(bytes) {}
  Result<std::span<const std::byte>> peek(std::size_t) override { return bytes_.subspan(offset()); }
  std::shared_ptr<const void> owner() const override { return nullptr; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  Result<bool> buffer_rest(std::uint64_t) override { return true; }

 protected:
  void skip_bytes(std::size_t) override {}
  std::span<const std::byte> bytes_;
};

class MappedInput : public MemoryInput {
 public:
  MappedInput(std::string name, std::span<const std::byte> bytes)
      : MemoryInput(std::move(name), bytes) {}
  ~MappedInput() override { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }
};

// Reads into a buffer. A buffer that a job still holds is left to it, and the unused rest is copied
// to a new one.
class ReadInput : public Input {
 public:
  ReadInput(Source::Reader reader) : Input(reader.name), read_(std::move(reader.read)) {}

  Result<std::span<const std::byte>> peek(std::size_t bytes) override {
    if (end_ - begin_ < bytes && !is_ended_) {
      make_space(bytes);
      while (end_ - begin_ < bytes && !is_ended_) {
        PENSTOCK_ASSIGN(const std::size_t count,
                        read_({buffer_->data() + end_, buffer_->size() - end_}));
        if (count > buffer_->size() - end_)
          return Status(Code::internal,
                        "the reader of " + name() + " returned more bytes than were asked for");
        end_ += count;
        is_ended_ = count == 0;
      }
    }
    return std::span<const std::byte>(buffer_ ? buffer_->data() + begin_ : nullptr, end_ - begin_);
  }
  std::shared_ptr<const void> owner() const override { return buffer_; }
  std::optional<std::uint64_t> size() const override { return size_; }
  // The memory grows by half, and what was read is copied each time.
  Result<bool> buffer_rest(std::uint64_t max_bytes) override {
    while (!is_ended_ && end_ - begin_ <= max_bytes)
      PENSTOCK_TRY(peek(end_ - begin_ + min_buffer_bytes).status());
    exceeds_buffer_limit_ = end_ - begin_ > max_bytes;
    if (exceeds_buffer_limit_) return false;
    size_ = offset() + (end_ - begin_);
    return true;
  }

 private:
  static constexpr std::size_t min_buffer_bytes = 1 << 20;
  void skip_bytes(std::size_t bytes) override { begin_ += bytes; }

  void make_space(std::size_t bytes) {
    if (buffer_ && buffer_->size() - begin_ >= bytes) return;
    const std::size_t remaining_bytes = end_ - begin_;
    if (buffer_ && buffer_.use_count() == 1 && buffer_->size() >= bytes) {
      std::memmove(buffer_->data(), buffer_->data() + begin_, remaining_bytes);
    } else {
      auto fresh =
          std::make_shared<LargeArray<std::byte>>(std::max(min_buffer_bytes, bytes + bytes / 2));
      if (remaining_bytes > 0)
        std::memcpy(fresh->data(), buffer_->data() + begin_, remaining_bytes);
      buffer_ = std::move(fresh);
    }
    begin_ = 0, end_ = remaining_bytes;
  }
  Source::Read read_;
  std::shared_ptr<LargeArray<std::byte>> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool is_ended_ = false;
  std::optional<std::uint64_t> size_;  // once all the rest is buffered
};

Status cannot_read(const std::string& path) {
  const Code code = errno == ENOENT || errno == EISDIR ? Code::invalid : Code::io;
  return {code, "cannot read " + path + ": " + std::strerror(errno)};
}

Result<std::unique_ptr<Input>> open_file(const std::string& path) {
  auto file = std::make_shared<File>(path, O_RDONLY);
  struct stat info{};
  if (!*file || ::fstat(file->descriptor(), &info) != 0) return cannot_read(path);
  if (S_ISDIR(info.st_mode)) return errno = EISDIR, cannot_read(path);
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(info.st_size);
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file->descriptor(), 0);
    if (mapped == MAP_FAILED) return cannot_read(path);
    static_cast<void>(::madvise(mapped, bytes, MADV_SEQUENTIAL));
    return std::unique_ptr<Input>(
        new MappedInput(path, {static_cast<const std::byte*>(mapped), bytes}));
  }
  if (S_ISREG(info.st_mode)) return std::unique_ptr<Input>(new MemoryInput(path, {}));
  const auto read = [file, path](std::span<std::byte> into) -> Result<std::size_t> {
    for (;;) {
      const ssize_t count = ::read(file->descriptor(), into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return cannot_read(path);
    }
  };
  return std::unique_ptr<Input>(new ReadInput({path, read}));
}

}  // namespace

Result<std::unique_ptr<Input>> Input::open(const Source& source) {
  if (const auto* path = std::get_if<std::string>(&source.location())) return open_file(*path);
  if (const auto* bytes = std::get_if<std::span<const std::byte>>(&source.location()))
    return std::unique_ptr<Input>(new MemoryInput("memory", *bytes));
  return std::unique_ptr<Input>(new ReadInput(std::get<Source::Reader>(source.location())));
}

}  // namespace penstock::stream
