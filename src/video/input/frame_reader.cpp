#include "video/input/frame_reader.hpp"

#include <atomic>

#include "video/input/container_reader.hpp"
#include "video/input/raw_format_of_name.hpp"
#include "video/input/video_bytes.hpp"
#include "video/input/y4m_header.hpp"

namespace penstock::video {
namespace {

class RawReader : public FrameReader {
 public:
  RawReader(std::unique_ptr<VideoBytes> bytes, const PictureFormat& format)
      : bytes_(std::move(bytes)), format_(format), frame_bytes_(picture_bytes(format)) {}
  const std::string& name() const override { return bytes_->name(); }
  const PictureFormat& format() const override { return format_; }
  std::optional<std::uint64_t> frame_count() const override { return frames_of(frame_bytes_); }
  Result<std::optional<Picture>> next(std::vector<std::byte>& memory) override {
    if (!reads_planes_ && stores_planes()) return next_stored();
    PENSTOCK_ASSIGN(const auto bytes, bytes_->take(frame_bytes_, memory));
    PENSTOCK_ASSIGN(const bool has_frame, counted(bytes.size()));
    if (!has_frame) return std::optional<Picture>();
    PENSTOCK_ASSIGN(Picture picture, picture_of(format_, bytes));
    picture.stored = bytes_->stored_before(frame_bytes_);
    return std::optional(std::move(picture));
  }

  bool stores_planes() const override { return bytes_->size().has_value(); }
  void read_planes(bool reads) override { reads_planes_ = reads; }
  Result<bool> skip() override {
    PENSTOCK_ASSIGN(const std::uint64_t bytes, bytes_->skip(frame_bytes_));
    return counted(bytes);
  }

 protected:
  // Counts a frame that has this many of its bytes.
  Result<bool> counted(std::uint64_t bytes) {
    if (bytes == 0) return false;
    if (bytes < frame_bytes_) return cut(bytes);
    frame_++;
    return true;
  }
  std::optional<std::uint64_t> frames_of(std::uint64_t bytes) const {
    const auto size = bytes_->size();
    return size ? std::optional((*size - bytes_->position()) / bytes) : std::nullopt;
  }
  Status cut(std::uint64_t bytes) const {
    return {Code::truncated, name() + ": frame " + std::to_string(frame_) + " has " +
                                 std::to_string(bytes) + " of " + std::to_string(frame_bytes_) +
                                 " bytes"};
  }
  // Returns a picture without planes.
  Result<std::optional<Picture>> next_stored() {
    PENSTOCK_ASSIGN(const std::uint64_t bytes, bytes_->skip(frame_bytes_));
    PENSTOCK_ASSIGN(const bool has_frame, counted(bytes));
    if (!has_frame) return std::optional<Picture>();
    Picture picture{.format = format_};
    picture.stored = bytes_->stored_before(frame_bytes_);
    return std::optional(std::move(picture));
  }

  std::unique_ptr<VideoBytes> bytes_;
  PictureFormat format_;
  std::uint64_t frame_bytes_, frame_ = 0;
  std::atomic<bool> reads_planes_ = true;
};

class Y4mReader final : public RawReader {
 public:
  Y4mReader(std::unique_ptr<VideoBytes> bytes, const Y4mHeader& header)
      : RawReader(std::move(bytes), header.format), header_(header) {}
  double frames_per_second() const override { return header_.frames_per_second; }
  std::optional<std::uint64_t> frame_count() const override {
    return frames_of(frame_bytes_ + y4m_frame_magic.size() + 1);  // headers may be longer
  }
  Result<std::optional<Picture>> next(std::vector<std::byte>& memory) override {
    PENSTOCK_ASSIGN(const bool has_line, take_header());
    if (!has_line) return std::optional<Picture>();
    PENSTOCK_ASSIGN(const auto picture, RawReader::next(memory));
    if (!picture) return cut(0);
    return picture;
  }
  Result<bool> skip() override {
    PENSTOCK_ASSIGN(const bool has_line, take_header());
    if (!has_line) return false;
    PENSTOCK_ASSIGN(const bool has_frame, RawReader::skip());
    return has_frame ? Result<bool>(true) : cut(0);
  }

 private:
  // The line before a frame. False at the end.
  Result<bool> take_header() {
    PENSTOCK_ASSIGN(const bool has_line, bytes_->take_line(line_, max_y4m_line_bytes));
    if (has_line && !line_.starts_with(y4m_frame_magic))
      return Status(Code::corrupt, name() + ": y4m: frame " + std::to_string(frame_) +
                                       " does not begin with FRAME (byte " +
                                       std::to_string(bytes_->position() - line_.size() - 1) + ")");
    return has_line;
  }

  Y4mHeader header_;
  std::string line_;
};

Result<std::unique_ptr<FrameReader>> open_y4m(std::unique_ptr<VideoBytes> bytes) {
  std::string line;
  PENSTOCK_TRY(bytes->take_line(line, max_y4m_line_bytes).status());
  const Result<Y4mHeader> header = parse_y4m_header(line);
  if (!header.ok())
    return Status(header.status().code(), bytes->name() + ": " + header.status().message());
  return std::unique_ptr<FrameReader>(
      std::make_unique<Y4mReader>(std::move(bytes), header.value()));
}

Status missing_format(const VideoBytes& bytes) {
  std::string message = bytes.name() +
                        ": is not y4m; of a raw file give --width, --height, --pixel-format and "
                        "--bitdepth";
  if (const std::string options = raw_options_of_name(bytes.name()); !options.empty())
    message += "; its name suggests " + options;
  return {Code::invalid, message};
}

// ".yuv", ".yuv420p10le", ".raw"
bool is_raw_name(std::string_view name) {
  const std::string_view suffix = name.substr(name.rfind('.') + 1);
  return suffix.starts_with("yuv") || suffix == "raw";
}

}  // namespace

Result<std::unique_ptr<FrameReader>> FrameReader::open(const std::string& path,
                                                       std::optional<PictureFormat> raw,
                                                       std::function<bool()> is_interrupted) {
  if (raw) PENSTOCK_TRY(check_format(*raw).with("a raw file"));
  PENSTOCK_ASSIGN(auto bytes, VideoBytes::open(path, is_interrupted));
  PENSTOCK_ASSIGN(const std::string_view first, bytes->peek(y4m_magic.size()));
  if (first.empty()) return Status(Code::truncated, bytes->name() + ": is empty");
  const bool is_y4m = first.starts_with(y4m_magic);
  if (raw && is_y4m)
    return Status(Code::invalid, bytes->name() +
                                     ": is y4m, which states its format; --width, --height, "
                                     "--pixel-format and --bitdepth are for raw files");
  if (raw) return std::unique_ptr<FrameReader>(std::make_unique<RawReader>(std::move(bytes), *raw));
  if (is_y4m) return open_y4m(std::move(bytes));
  if (path == "-" || is_raw_name(path)) return missing_format(*bytes);
  return open_container(path, std::move(is_interrupted));
}

}  // namespace penstock::video
