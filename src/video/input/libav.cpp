#include "video/input/libav.hpp"

#include <string>

#include "device/library.hpp"

namespace penstock::video {
namespace {

using device::Library;

// Major versions that were released together, newest first, and where AVStream::codecpar is.
struct Release {
  unsigned format, codec, util;
  std::size_t stream_parameters;
};
constexpr Release releases[] = {
    {62, 62, 60, 16},   // FFmpeg 8
    {61, 61, 59, 16},   // 7
    {60, 60, 58, 16},   // 6
    {59, 59, 57, 208},  // 5
    {58, 58, 56, 208},  // 4
};

Result<Library> open(const std::string& name, unsigned major) {
  return Library::open({"lib" + name + ".so." + std::to_string(major)});
}

Status bind_all(LibAv& av, const Library& format, const Library& codec, const Library& util) {
  PENSTOCK_TRY(format.bind(av.avformat_open_input, "avformat_open_input"));
  PENSTOCK_TRY(format.bind(av.avformat_find_stream_info, "avformat_find_stream_info"));
  PENSTOCK_TRY(format.bind(av.av_find_best_stream, "av_find_best_stream"));
  PENSTOCK_TRY(format.bind(av.av_read_frame, "av_read_frame"));
  PENSTOCK_TRY(format.bind(av.avformat_close_input, "avformat_close_input"));
  PENSTOCK_TRY(codec.bind(av.avcodec_alloc_context3, "avcodec_alloc_context3"));
  PENSTOCK_TRY(codec.bind(av.avcodec_parameters_to_context, "avcodec_parameters_to_context"));
  PENSTOCK_TRY(codec.bind(av.avcodec_open2, "avcodec_open2"));
  PENSTOCK_TRY(codec.bind(av.avcodec_send_packet, "avcodec_send_packet"));
  PENSTOCK_TRY(codec.bind(av.avcodec_receive_frame, "avcodec_receive_frame"));
  PENSTOCK_TRY(codec.bind(av.avcodec_free_context, "avcodec_free_context"));
  PENSTOCK_TRY(codec.bind(av.av_packet_alloc, "av_packet_alloc"));
  PENSTOCK_TRY(codec.bind(av.av_packet_unref, "av_packet_unref"));
  PENSTOCK_TRY(codec.bind(av.av_packet_free, "av_packet_free"));
  PENSTOCK_TRY(util.bind(av.av_frame_alloc, "av_frame_alloc"));
  PENSTOCK_TRY(util.bind(av.av_frame_free, "av_frame_free"));
  PENSTOCK_TRY(util.bind(av.av_get_pix_fmt_name, "av_get_pix_fmt_name"));
  PENSTOCK_TRY(util.bind(av.av_strerror, "av_strerror"));
  PENSTOCK_TRY(util.bind(av.av_log_set_level, "av_log_set_level"));
  PENSTOCK_TRY(util.bind(av.av_dict_set, "av_dict_set"));
  PENSTOCK_TRY(util.bind(av.av_dict_free, "av_dict_free"));
  av.av_log_set_level(av_log_quiet);  // errors are reported as ours
  return {};
}

Result<LibAv> open_release(const Release& release) {
  PENSTOCK_ASSIGN(const Library format, open("avformat", release.format));
  PENSTOCK_ASSIGN(const Library codec, open("avcodec", release.codec));
  PENSTOCK_ASSIGN(const Library util, open("avutil", release.util));
  LibAv av = {};
  av.stream_parameters = release.stream_parameters;
  PENSTOCK_TRY(bind_all(av, format, codec, util));
  return av;
}

// None of the known versions is installed, but an unknown version may be.
Status not_found() {
  const auto other = Library::open({"libavformat.so"});
  unsigned (*version)() = nullptr;
  if (other.ok() && other->bind(version, "avformat_version").ok())
    return {Code::unsupported, "libavformat has version " + std::to_string(version() >> 16) +
                                   "; versions 58 to 62 are known (FFmpeg 4 to 8)"};
  return {Code::unsupported,
          "libavformat is not installed, which reads other files than y4m and raw ones (Debian's "
          "package libavformat59 or newer)"};
}

Result<LibAv> open_any() {
  for (const Release& release : releases) {
    auto av = open_release(release);
    if (av.ok()) return av;
  }
  return not_found();
}

}  // namespace

Result<const LibAv*> libav() {
  static const Result<LibAv> av = open_any();
  if (!av.ok()) return av.status();
  return &*av;
}

}  // namespace penstock::video
