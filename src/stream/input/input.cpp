#include "stream/input/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/parallel.hpp"
#include "stream/input/buffer_pool.hpp"

namespace penstock::stream {
namespace {

class MemoryInput : public Input {
 public:
  MemoryInput(std::string name, std::span<const std::byte> bytes)
      : Input(std::move(name)), bytes_(bytes) {}
  Result<std::span<const std::byte>> peek(std::size_t) override { return bytes_.subspan(offset()); }
  std::shared_ptr<const void> owner() const override { return nullptr; }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  bool is_in_memory() const override { return true; }
  Result<bool> buffer_rest(std::uint64_t) override { return true; }

 private:
  void skip_bytes(std::size_t) override {}
  std::span<const std::byte> bytes_;
};

// Reads into a buffer. A buffer that a job still holds is left to it, and the unused rest is copied
// to another one.
class BufferedInput : public Input {
 public:
  Result<std::span<const std::byte>> peek(std::size_t bytes) override {
    if (end_ - begin_ < bytes && !is_ended_) {
      make_space(bytes);
      while (end_ - begin_ < bytes && !is_ended_) {
        PENSTOCK_ASSIGN(
            const std::size_t count,
            read({buffer_->data() + end_, buffer_->size() - end_}, bytes - (end_ - begin_)));
        end_ += count;
        is_ended_ = count == 0;
      }
    }
    return std::span<const std::byte>(buffer_ ? buffer_->data() + begin_ : nullptr, end_ - begin_);
  }
  std::shared_ptr<const void> owner() const override { return buffer_; }
  bool is_in_memory() const override { return is_in_memory_; }

 protected:
  // Several blocks share a buffer, so that little is copied to the next one.
  static constexpr std::size_t min_buffer_bytes = 4 << 20;
  // Decoders may read so far before the bytes that they are given.
  static constexpr std::size_t front_slack_bytes = 64;

  explicit BufferedInput(std::string name) : Input(std::move(name)) {}
  // Reads `wanted` bytes or fewer, or more where they are there; none at the end.
  virtual Result<std::size_t> read(std::span<std::byte> into, std::size_t wanted) = 0;
  virtual std::size_t capacity_for(std::size_t bytes) const {
    return std::max(min_buffer_bytes, bytes + bytes / 2);
  }
  std::size_t buffered_bytes() const { return end_ - begin_; }
  void drop_buffer() { buffer_.reset(), begin_ = end_ = 0; }
  bool is_in_memory_ = false, is_ended_ = false;

  // Makes space for this many bytes from the position on, and returns the part that is not read
  // yet.
  std::span<std::byte> make_space(std::size_t bytes) {
    const std::size_t left = end_ - begin_;
    if (!buffer_ || buffer_->size() - begin_ < bytes) {
      auto before = buffer_;
      const bool is_large = buffer_ && buffer_->size() >= front_slack_bytes + bytes;
      if (!is_large || before.use_count() > 2)
        buffer_ = pool_->take(front_slack_bytes + capacity_for(bytes));
      if (left > 0)
        std::memmove(buffer_->data() + front_slack_bytes, before->data() + begin_, left);
      begin_ = front_slack_bytes, end_ = begin_ + left;
    }
    return {buffer_->data() + end_, bytes - std::min(left, bytes)};
  }
  void take_read(std::size_t bytes) { end_ += bytes; }

 private:
  void skip_bytes(std::size_t bytes) override { begin_ += bytes; }

  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>();
  std::shared_ptr<BufferPool::Buffer> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

class PipeInput final : public BufferedInput {
 public:
  explicit PipeInput(Source::Reader reader)
      : BufferedInput(reader.name), read_(std::move(reader.read)) {}
  std::optional<std::uint64_t> size() const override { return size_; }
  // The memory grows by half, and each time the bytes read so far are copied.
  Result<bool> buffer_rest(std::uint64_t max_bytes) override {
    while (!is_ended_ && buffered_bytes() <= max_bytes)
      PENSTOCK_TRY(peek(buffered_bytes() + (1 << 20)).status());
    exceeds_buffer_limit_ = buffered_bytes() > max_bytes;
    if (exceeds_buffer_limit_) return false;
    size_ = offset() + buffered_bytes();
    return is_in_memory_ = true;
  }

 private:
  Result<std::size_t> read(std::span<std::byte> into, std::size_t) override {
    PENSTOCK_ASSIGN(const std::size_t count, read_(into));
    if (count > into.size())
      return Status(Code::internal,
                    "the reader of " + name() + " returned more bytes than were asked for");
    return count;
  }

  Source::Read read_;
  std::optional<std::uint64_t> size_;  // once all the rest is buffered
};

// An ordinary file, of the size that it had when it was opened.
class FileInput final : public BufferedInput {
 public:
  FileInput(std::string name, std::shared_ptr<const File> file, std::uint64_t bytes)
      : BufferedInput(std::move(name)), file_(std::move(file)), size_(bytes) {
    static_cast<void>(::posix_fadvise(file_->descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL));
  }
  std::optional<std::uint64_t> size() const override { return size_; }

  Result<bool> buffer_rest(std::uint64_t max_bytes) override {
    const std::uint64_t rest = size_ - offset(), first = offset() + buffered_bytes();
    exceeds_buffer_limit_ = rest > max_bytes;
    if (exceeds_buffer_limit_) return false;
    const std::span<std::byte> into = make_space(rest);
    PENSTOCK_TRY(read_in_parallel(into, first));
    take_read(into.size());
    return is_in_memory_ = is_ended_ = true;
  }
  Status skip_to(std::uint64_t offset) override {
    if (offset <= this->offset() + buffered_bytes()) return skip(offset - this->offset()), Status();
    drop_buffer();
    move_to(offset);
    return {};
  }
  Result<std::unique_ptr<FileWindow>> open_window() const override {
    if (is_in_memory_) return std::unique_ptr<FileWindow>();
    return FileWindow::open(file_, name(), offset(), size_ - offset());
  }

 private:
  static constexpr std::size_t read_bytes = 1 << 20;  // at once, if the second-level cache has it

  Result<std::size_t> read(std::span<std::byte> into, std::size_t wanted) override {
    const std::uint64_t position = offset() + buffered_bytes();
    into = into.first(
        std::min<std::uint64_t>({into.size(), std::max(wanted, read_bytes), size_ - position}));
    PENSTOCK_TRY(file_->read_exactly(into, position, name()));
    return into.size();
  }
  std::size_t capacity_for(std::size_t bytes) const override {
    return std::min<std::uint64_t>(BufferedInput::capacity_for(bytes), size_ - offset());
  }
  Status read_in_parallel(std::span<std::byte> into, std::uint64_t first) const {
    constexpr std::uint64_t part_bytes = 8 << 20;
    std::vector<Status> statuses((into.size() + part_bytes - 1) / part_bytes);
    in_parallel(statuses.size(), 1, [&](std::uint64_t part, std::uint64_t last) {
      for (; part < last; part++) {
        const auto bytes = into.subspan(part * part_bytes);
        statuses[part] =
            file_->read_exactly(bytes.first(std::min<std::uint64_t>(bytes.size(), part_bytes)),
                                first + part * part_bytes, name());
      }
    });
    for (Status& status : statuses) PENSTOCK_TRY(status);
    return {};
  }

  std::shared_ptr<const File> file_;
  std::uint64_t size_;
};

Status cannot_read(const std::string& path) {
  const Code code = errno == ENOENT || errno == EISDIR ? Code::invalid : Code::io;
  return {code, "cannot read " + path + ": " + std::strerror(errno)};
}

// Files of /proc and the like have a size of 0 and content.
Result<std::unique_ptr<Input>> open_file(const std::string& name,
                                         const std::shared_ptr<const File>& file) {
  struct stat info{};
  if (!*file || ::fstat(file->descriptor(), &info) != 0) return cannot_read(name);
  if (S_ISDIR(info.st_mode)) return errno = EISDIR, cannot_read(name);
  if (S_ISREG(info.st_mode) && info.st_size > 0)
    return std::unique_ptr<Input>(
        new FileInput(name, file, static_cast<std::uint64_t>(info.st_size)));
  const auto read = [file, name](std::span<std::byte> into) -> Result<std::size_t> {
    for (;;) {
      const ssize_t count = ::read(file->descriptor(), into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return cannot_read(name);
    }
  };
  return std::unique_ptr<Input>(new PipeInput({name, read}));
}

}  // namespace

Result<std::unique_ptr<Input>> Input::open(const Source& source) {
  if (const auto* path = std::get_if<std::string>(&source.location()))
    return open_file(*path, std::make_shared<const File>(*path, O_RDONLY));
  if (const auto* open = std::get_if<Source::Descriptor>(&source.location()))
    return open_file(open->name,
                     std::make_shared<const File>(::fcntl(open->number, F_DUPFD_CLOEXEC, 0)));
  if (const auto* bytes = std::get_if<std::span<const std::byte>>(&source.location()))
    return std::unique_ptr<Input>(new MemoryInput("memory", *bytes));
  return std::unique_ptr<Input>(new PipeInput(std::get<Source::Reader>(source.location())));
}

}  // namespace penstock::stream
