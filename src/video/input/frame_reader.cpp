#include "video/input/frame_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/file.hpp"
#include "video/input/y4m_header.hpp"

namespace penstock::video {
namespace {

// Bytes of a descriptor through a small buffer; frames are read past it.
class Bytes {
 public:
  Bytes(std::string path, std::unique_ptr<File> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  const std::string& path() const { return path_; }
  std::uint64_t position() const { return position_; }

  // Returns how many bytes were read; fewer than asked at the file's end alone.
  std::size_t read(std::span<std::byte> into) {
    const std::size_t kept = std::min(into.size(), end_ - begin_);
    if (kept > 0) std::memcpy(into.data(), buffer_.data() + begin_, kept);
    begin_ += kept;
    const std::size_t more =
        kept < into.size() ? file_->read_up_to(into.data() + kept, into.size() - kept) : 0;
    position_ += kept + more;
    return kept + more;
  }
  // Reads up to the end of a line, which is left out. False at the file's end before any byte.
  Result<bool> line(std::string& line) {
    line.clear();
    std::byte byte = {};
    while (line.size() <= max_y4m_line_bytes) {
      if (begin_ == end_) refill();
      if (read({&byte, 1}) == 0) {
        if (line.empty()) return false;
        return Status(Code::truncated, path_ + ": y4m: ends in a header");
      }
      if (byte == std::byte{'\n'}) return true;
      line.push_back(static_cast<char>(byte));
    }
    return Status(Code::corrupt, path_ + ": y4m: a line has more than " +
                                     std::to_string(max_y4m_line_bytes) + " bytes (byte " +
                                     std::to_string(position_) + ")");
  }
  // The size of an ordinary file.
  std::optional<std::uint64_t> size() const {
    struct stat status = {};
    if (::fstat(file_->descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  void refill() {
    begin_ = 0;
    end_ = file_->read_up_to(buffer_.data(), buffer_.size());
  }
  std::string path_;
  std::unique_ptr<File> file_;
  std::vector<std::byte> buffer_ = std::vector<std::byte>(256);
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t position_ = 0;
};

Status cut(const std::string& path, std::uint64_t frame, std::size_t bytes, std::size_t whole) {
  return {Code::truncated, path + ": frame " + std::to_string(frame) + " has " +
                               std::to_string(bytes) + " of " + std::to_string(whole) + " bytes"};
}

class RawReader : public FrameReader {
 public:
  RawReader(Bytes bytes, const PictureFormat& format) : bytes_(std::move(bytes)), format_(format) {}
  const PictureFormat& format() const override { return format_; }
  std::optional<std::uint64_t> frame_count() const override {
    const auto size = bytes_.size();
    return size ? std::optional(*size / picture_bytes(format_)) : std::nullopt;
  }
  Result<bool> read(std::span<std::byte> frame) override {
    const std::size_t bytes = bytes_.read(frame.first(picture_bytes(format_)));
    if (bytes == 0) return false;
    if (bytes < picture_bytes(format_))
      return cut(bytes_.path(), frame_, bytes, picture_bytes(format_));
    frame_++;
    return true;
  }
  Result<bool> skip() override {
    skipped_.resize(picture_bytes(format_));
    return read(skipped_);
  }

 protected:
  Bytes bytes_;
  PictureFormat format_;
  std::uint64_t frame_ = 0;
  std::vector<std::byte> skipped_;
};

class Y4mReader final : public RawReader {
 public:
  Y4mReader(Bytes bytes, const Y4mHeader& header)
      : RawReader(std::move(bytes), header.format), header_(header) {}
  double frames_per_second() const override { return header_.frames_per_second; }
  std::optional<std::uint64_t> frame_count() const override {
    const auto size = bytes_.size();  // frames' own headers may be longer
    if (!size) return std::nullopt;
    return (*size - first_) / (picture_bytes(format_) + y4m_frame_magic.size() + 1);
  }
  Result<bool> read(std::span<std::byte> frame) override {
    std::string line;
    PENSTOCK_ASSIGN(const bool has_line, bytes_.line(line));
    if (!has_line) return false;
    if (!line.starts_with(y4m_frame_magic))
      return Status(Code::corrupt, bytes_.path() + ": y4m: frame " + std::to_string(frame_) +
                                       " does not begin with FRAME (byte " +
                                       std::to_string(bytes_.position() - line.size() - 1) + ")");
    PENSTOCK_ASSIGN(const bool has_frame, RawReader::read(frame));
    if (!has_frame) return cut(bytes_.path(), frame_, 0, picture_bytes(format_));
    return true;
  }

 private:
  Y4mHeader header_;
  std::uint64_t first_ = bytes_.position();
};

Result<std::unique_ptr<FrameReader>> open_y4m(Bytes bytes) {
  std::string line;
  PENSTOCK_ASSIGN(const bool has_line, bytes.line(line));
  if (!has_line) return Status(Code::truncated, bytes.path() + ": is empty");
  const Result<Y4mHeader> header = parse_y4m_header(line);
  if (!header.ok())
    return Status(header.status().code(), bytes.path() + ": " + header.status().message());
  return std::unique_ptr<FrameReader>(
      std::make_unique<Y4mReader>(std::move(bytes), header.value()));
}

}  // namespace

Result<std::unique_ptr<FrameReader>> FrameReader::open(const std::string& path,
                                                       std::optional<PictureFormat> raw) {
  if (raw) PENSTOCK_TRY(check_format(*raw).with("a raw file"));
  auto file = std::make_unique<File>(path == "-" ? "/dev/stdin" : path, O_RDONLY);
  if (!*file) return Status(Code::io, "cannot open " + path + ": " + std::strerror(errno));
  Bytes bytes(path, std::move(file));
  if (!raw) return open_y4m(std::move(bytes));
  return std::unique_ptr<FrameReader>(std::make_unique<RawReader>(std::move(bytes), *raw));
}

}  // namespace penstock::video
