// Frames of any container and codec that FFmpeg's libraries decode.
#pragma once
#include "video/input/frame_reader.hpp"

namespace penstock::video {

// Opens the best video stream of a file. Code::unsupported: the libraries are not installed, or its
// samples have a form that is not scored.
Result<std::unique_ptr<FrameReader>> open_container(const std::string& path,
                                                    std::function<bool()> is_interrupted);

// The format of pixels that FFmpeg calls "yuv420p10le"; none if no feature takes them.
std::optional<PictureFormat> format_of_pixels(std::string_view name);

}  // namespace penstock::video
