// The functions used from FFmpeg's libraries (libavformat, libavcodec, libavutil), opened at run
// time: the build needs no FFmpeg headers, and one program works with several FFmpeg versions.
//
// Functions are the same in all versions, but structures are not. The offsets of the fields that
// are read follow, in bytes on 64-bit machines. The library promises that they are the same within
// a major version. Versions that were not checked are refused.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "penstock/status.hpp"

namespace penstock::video {

struct AvFormat;
struct AvStream;
struct AvCodec;
struct AvCodecContext;
struct AvCodecParameters;
struct AvPacket;
struct AvDictionary;

// The beginning of AVFrame, the same in all versions.
struct AvFrame {
  std::byte* data[8];
  int row_bytes[8];  // negative where rows are from the bottom up
  std::byte** extended_data;
  int width, height, sample_count, pixel_format;
};

template <class T> T av_field(const void* structure, std::size_t first_byte) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(structure) + first_byte, sizeof value);
  return value;
}
// Offsets in AVFormatContext, AVPacket and AVCodecParameters, in all known versions.
constexpr std::size_t av_format_streams = 48, av_packet_stream = 36, av_parameters_type = 0;

// Numbers of FFmpeg's headers.
constexpr int av_end = -('E' | 'O' << 8 | 'F' << 16 | ' ' << 24), av_again = -11, av_video = 0,
              av_log_quiet = -8;

struct LibAv {
  std::size_t stream_parameters = 0;  // AVStream::codecpar

  int (*avformat_open_input)(AvFormat**, const char* url, const void* format, AvDictionary**);
  int (*avformat_find_stream_info)(AvFormat*, AvDictionary**);
  int (*av_find_best_stream)(AvFormat*, int type, int wanted, int related, const AvCodec**, int);
  int (*av_read_frame)(AvFormat*, AvPacket*);
  void (*avformat_close_input)(AvFormat**);
  AvCodecContext* (*avcodec_alloc_context3)(const AvCodec*);
  int (*avcodec_parameters_to_context)(AvCodecContext*, const AvCodecParameters*);
  int (*avcodec_open2)(AvCodecContext*, const AvCodec*, AvDictionary**);
  int (*avcodec_send_packet)(AvCodecContext*, const AvPacket*);
  int (*avcodec_receive_frame)(AvCodecContext*, AvFrame*);
  void (*avcodec_free_context)(AvCodecContext**);
  AvPacket* (*av_packet_alloc)();
  void (*av_packet_unref)(AvPacket*);
  void (*av_packet_free)(AvPacket**);
  AvFrame* (*av_frame_alloc)();
  void (*av_frame_free)(AvFrame**);
  const char* (*av_get_pix_fmt_name)(int pixel_format);
  int (*av_strerror)(int error, char* text, std::size_t bytes);
  void (*av_log_set_level)(int level);
  int (*av_dict_set)(AvDictionary**, const char* name, const char* value, int flags);
  void (*av_dict_free)(AvDictionary**);
};

// Opens the libraries once per process. Code::unsupported: they are not installed, or of a version
// that is not known.
Result<const LibAv*> libav();

}  // namespace penstock::video
