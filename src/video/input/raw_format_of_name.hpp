// The format that a raw file's name may tell, for messages: "clip_576x324.yuv420p10le.yuv".
#pragma once
#include <string>
#include <string_view>

namespace penstock::video {

// Returns "--width 576 --height 324 --pixel-format 420 --bitdepth 10", or only the options that the
// name tells; "" if it tells no size.
std::string raw_options_of_name(std::string_view name);

}  // namespace penstock::video
