#include "video/input/container_reader.hpp"

#include <algorithm>
#include <array>

#include "video/input/libav.hpp"

namespace penstock::video {
namespace {

struct PixelFamily {
  std::string_view name;
  Chroma chroma;
};
// The yuvj formats have full range; no feature depends on it.
constexpr PixelFamily pixel_families[] = {{"yuv420p", Chroma::c420},  {"yuv422p", Chroma::c422},
                                          {"yuv444p", Chroma::c444},  {"yuvj420p", Chroma::c420},
                                          {"yuvj422p", Chroma::c422}, {"yuvj444p", Chroma::c444},
                                          {"gray", Chroma::none}};
constexpr std::pair<std::string_view, std::uint32_t> pixel_depths[] = {
    {"", 8}, {"10le", 10}, {"12le", 12}, {"16le", 16}};

class ContainerReader final : public FrameReader {
 public:
  ContainerReader(const LibAv& av, std::string path, std::function<bool()> is_interrupted)
      : av_(av), path_(std::move(path)), is_interrupted_(std::move(is_interrupted)) {}
  ~ContainerReader() override {
    av_.av_frame_free(&frame_);
    av_.av_packet_free(&packet_);
    av_.avcodec_free_context(&codec_);
    av_.avformat_close_input(&file_);
  }
  const std::string& name() const override { return path_; }
  const PictureFormat& format() const override { return format_; }

  // Decodes the first frame: it tells the format of all frames.
  Status open() {
    const AvCodec* decoder = nullptr;
    PENSTOCK_TRY(open_file(decoder));
    PENSTOCK_TRY(open_decoder(decoder));
    frame_ = av_.av_frame_alloc();
    packet_ = av_.av_packet_alloc();
    PENSTOCK_ASSIGN(has_first_, decode());
    if (!has_first_) return {Code::truncated, path_ + ": has no frame"};
    const char* const pixels = av_.av_get_pix_fmt_name(frame_->pixel_format);
    const auto format = format_of_pixels(pixels ? pixels : "");
    if (!format)
      return {Code::unsupported,
              path_ + ": its pixels are " + (pixels ? pixels : "of an unknown format") +
                  "; yuv420p, yuv422p, yuv444p and gray of 8, 10, 12 and 16 bits are scored"};
    format_ = *format;
    format_.width = static_cast<std::uint32_t>(frame_->width);
    format_.height = static_cast<std::uint32_t>(frame_->height);
    pixel_format_ = frame_->pixel_format;
    return check_format(format_).with(path_);
  }

  Result<bool> skip() override {
    if (!std::exchange(has_first_, false)) {
      PENSTOCK_ASSIGN(const bool has_frame, decode());
      if (!has_frame) return false;
    }
    frame_number_++;
    return true;
  }

  Result<std::optional<Picture>> next(std::vector<std::byte>& memory) override {
    PENSTOCK_ASSIGN(const bool has_frame, skip());
    if (!has_frame) return std::optional<Picture>();
    if (frame_->width != static_cast<int>(format_.width) ||
        frame_->height != static_cast<int>(format_.height) || frame_->pixel_format != pixel_format_)
      return Status(Code::unsupported, path_ + ": frame " + std::to_string(frame_number_ - 1) +
                                           " has another size or format than those before");
    memory.resize(picture_bytes(format_));
    PENSTOCK_ASSIGN(const Picture picture, picture_of(format_, memory));
    for (std::uint32_t plane = 0; plane < plane_count(format_); plane++)
      copy_plane(plane, memory.data() + (picture.planes[plane].data - memory.data()),
                 picture.planes[plane].row_bytes);
    return std::optional(picture);
  }

 private:
  Status open_file(const AvCodec*& decoder) {
    AvDictionary* options = nullptr;
    av_.av_dict_set(&options, "protocol_whitelist", "file", 0);  // a list of files names no URL
    const int opened =
        av_.avformat_open_input(&file_, ("file:" + path_).c_str(), nullptr, &options);
    av_.av_dict_free(&options);
    if (opened < 0) return failure(opened, "is no video that libavformat reads");
    if (const int found = av_.avformat_find_stream_info(file_, nullptr); found < 0)
      return failure(found, "its streams are not understood");
    stream_ = av_.av_find_best_stream(file_, av_video, -1, -1, &decoder, 0);
    if (stream_ < 0) return failure(stream_, "has no video stream that can be decoded");
    return {};
  }

  Status open_decoder(const AvCodec* decoder) {
    auto* const streams = av_field<AvStream**>(file_, av_format_streams);
    auto* const parameters = av_field<AvCodecParameters*>(streams[stream_], av_.stream_parameters);
    if (av_field<int>(parameters, av_parameters_type) != av_video)
      return {Code::internal, "this version of libavformat has another layout than is known"};
    codec_ = av_.avcodec_alloc_context3(decoder);
    if (const int set = av_.avcodec_parameters_to_context(codec_, parameters); set < 0)
      return failure(set, "its decoder does not begin");
    AvDictionary* options = nullptr;
    av_.av_dict_set(&options, "threads", "auto", 0);
    const int opened = av_.avcodec_open2(codec_, decoder, &options);
    av_.av_dict_free(&options);
    return opened < 0 ? failure(opened, "its decoder does not begin") : Status();
  }

  // Decodes the next frame into frame_. False at the end.
  Result<bool> decode() {
    for (;;) {
      const int received = av_.avcodec_receive_frame(codec_, frame_);
      if (received >= 0) return true;
      if (received == av_end) return false;
      if (received != av_again) return undecoded(received);
      PENSTOCK_TRY(send_packet());
    }
  }

  // Sends the stream's next packet, or at the end none, which makes the decoder yield the rest.
  Status send_packet() {
    for (;;) {
      if (is_interrupted_ && is_interrupted_())
        return {Code::cancelled, "interrupted while reading " + path_};
      const int read = av_.av_read_frame(file_, packet_);
      if (read < 0 && read != av_end) return undecoded(read);
      if (read >= 0 && av_field<int>(packet_, av_packet_stream) != stream_) {
        av_.av_packet_unref(packet_);
        continue;
      }
      const int sent = av_.avcodec_send_packet(codec_, read < 0 ? nullptr : packet_);
      av_.av_packet_unref(packet_);
      return sent < 0 ? undecoded(sent) : Status();
    }
  }

  // Rows may be padded, and come from the bottom up.
  void copy_plane(std::uint32_t plane, std::byte* to, std::size_t row_bytes) const {
    for (std::uint32_t y = 0; y < plane_height(format_, plane); y++)
      std::copy_n(frame_->data[plane] + std::ptrdiff_t{frame_->row_bytes[plane]} * y, row_bytes,
                  to + y * row_bytes);
  }

  Status failure(int error, const std::string& what) const {
    std::array<char, 128> text = {};
    av_.av_strerror(error, text.data(), text.size());
    return {Code::corrupt, path_ + ": " + what + " (" + text.data() + ")"};
  }
  Status undecoded(int error) const {
    return failure(error, "frame " + std::to_string(frame_number_) + " is not decoded");
  }

  const LibAv& av_;
  std::string path_;
  std::function<bool()> is_interrupted_;
  AvFormat* file_ = nullptr;
  AvCodecContext* codec_ = nullptr;
  AvFrame* frame_ = nullptr;
  AvPacket* packet_ = nullptr;
  int stream_ = -1, pixel_format_ = -1;
  PictureFormat format_;
  bool has_first_ = false;  // decoded and not yet returned
  std::uint64_t frame_number_ = 0;
};

}  // namespace

std::optional<PictureFormat> format_of_pixels(std::string_view name) {
  for (const PixelFamily& family : pixel_families)
    for (const auto& [suffix, bits] : pixel_depths)
      if (name.starts_with(family.name) && name.substr(family.name.size()) == suffix)
        return PictureFormat{.bits = bits, .chroma = family.chroma};
  return std::nullopt;
}

Result<std::unique_ptr<FrameReader>> open_container(const std::string& path,
                                                    std::function<bool()> is_interrupted) {
  const Result<const LibAv*> av = libav();
  if (!av.ok())
    return Status(av.status().code(),
                  path + ": is neither y4m nor described as raw; " + av.status().message());
  auto reader = std::make_unique<ContainerReader>(*av.value(), path, std::move(is_interrupted));
  PENSTOCK_TRY(reader->open());
  return std::unique_ptr<FrameReader>(std::move(reader));
}

}  // namespace penstock::video
