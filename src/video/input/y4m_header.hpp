// The header of YUV4MPEG2 files (.y4m): a line of words, each a letter and its value. Source: the
// manual page yuv4mpeg(5) of mjpegtools, and the colour spaces that ffmpeg and x264 add.
#pragma once
#include <string_view>

#include "penstock/video.hpp"

namespace penstock::video {

constexpr std::string_view y4m_magic = "YUV4MPEG2";
constexpr std::string_view y4m_frame_magic = "FRAME";
// The longest line that is read: untrusted files could have no end of line.
constexpr std::size_t max_y4m_line_bytes = 4096;

struct Y4mHeader {
  PictureFormat format;
  double frames_per_second = 0;  // 0: not stated
};
// Parses the line, without its end. Code::corrupt names the word that is wrong; Code::unsupported
// the colour space that is not read.
Result<Y4mHeader> parse_y4m_header(std::string_view line);

}  // namespace penstock::video
