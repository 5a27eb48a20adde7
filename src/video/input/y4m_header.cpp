#include "video/input/y4m_header.hpp"

#include <algorithm>
#include <charconv>

namespace penstock::video {
namespace {

struct ColourSpace {
  std::string_view name;
  Chroma chroma;
  std::uint32_t bits;
};
// The first five differ in the position of chroma between luma samples; no feature uses it.
constexpr ColourSpace colour_spaces[] = {
    {"420", Chroma::c420, 8},      {"420jpeg", Chroma::c420, 8}, {"420mpeg2", Chroma::c420, 8},
    {"420paldv", Chroma::c420, 8}, {"420p10", Chroma::c420, 10}, {"420p12", Chroma::c420, 12},
    {"420p16", Chroma::c420, 16},  {"422", Chroma::c422, 8},     {"422p10", Chroma::c422, 10},
    {"422p12", Chroma::c422, 12},  {"422p16", Chroma::c422, 16}, {"444", Chroma::c444, 8},
    {"444p10", Chroma::c444, 10},  {"444p12", Chroma::c444, 12}, {"444p16", Chroma::c444, 16},
    {"mono", Chroma::none, 8},     {"mono10", Chroma::none, 10}, {"mono12", Chroma::none, 12},
    {"mono16", Chroma::none, 16}};

Status wrong(std::string_view word, const std::string& reason) {
  return {Code::corrupt, "y4m: '" + std::string(word) + "' " + reason};
}

Result<std::uint32_t> side_of(std::string_view word) {
  std::uint32_t size = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + 1, end, size);
  if (error != std::errc() || stop != end || size == 0 || size > max_side)
    return wrong(word, "is not a size from 1 to " + std::to_string(max_side));
  return size;
}

Status read_colour_space(std::string_view word, PictureFormat& format) {
  const auto found = std::ranges::find(colour_spaces, word.substr(1), &ColourSpace::name);
  if (found == std::end(colour_spaces))
    return {Code::unsupported, "y4m: colour space '" + std::string(word.substr(1)) +
                                   "'; 420, 422, 444 and mono of 8, 10, 12 and 16 bits are read"};
  format.chroma = found->chroma;
  format.bits = found->bits;
  return {};
}

// "F30000:1001"
Result<double> rate_of(std::string_view word) {
  std::uint32_t count = 0, seconds = 0;
  const char* end = word.data() + word.size();
  const auto first = std::from_chars(word.data() + 1, end, count);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':')
    return wrong(word, "is not a frame rate, such as F25:1");
  const auto second = std::from_chars(first.ptr + 1, end, seconds);
  if (second.ec != std::errc() || second.ptr != end)
    return wrong(word, "is not a frame rate, such as F25:1");
  return seconds == 0 ? 0.0 : static_cast<double>(count) / seconds;
}

Status read_word(std::string_view word, Y4mHeader& header) {
  switch (word[0]) {
    case 'W': {
      PENSTOCK_ASSIGN(header.format.width, side_of(word));
      return {};
    }
    case 'H': {
      PENSTOCK_ASSIGN(header.format.height, side_of(word));
      return {};
    }
    case 'F': {
      PENSTOCK_ASSIGN(header.frames_per_second, rate_of(word));
      return {};
    }
    case 'C': return read_colour_space(word, header.format);
    default: return {};  // interlacing, aspect ratio, comments: unused by features
  }
}

}  // namespace

Result<Y4mHeader> parse_y4m_header(std::string_view line) {
  if (!line.starts_with(y4m_magic))
    return Status(Code::corrupt, "y4m: does not begin with " + std::string(y4m_magic));
  Y4mHeader header;
  line.remove_prefix(y4m_magic.size());
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) PENSTOCK_TRY(read_word(line.substr(0, end), header));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (header.format.width == 0 || header.format.height == 0)
    return Status(Code::corrupt, "y4m: the header states no width and height");
  return header;
}

}  // namespace penstock::video
