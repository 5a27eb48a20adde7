// Files of video, requests of features, and scores, as they may come.
//
// The first byte chooses. A y4m or raw file: it has the same frames and the same error as a file,
// which is mapped, and as a pipe, and what is read is what the bytes say. A request: what is
// accepted has options that are in their ranges. Scores: files of them are written, with no NaN in
// JSON, and a plot is bounded.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "fuzz/input.hpp"
#include "video/feature.hpp"
#include "video/input/frame_reader.hpp"
#include "video/input/raw_format_of_name.hpp"
#include "video/input/y4m_header.hpp"
#include "video/output/score_plot.hpp"
#include "video/output/score_writer.hpp"

namespace penstock::video {
namespace {

using fuzz::Input;
using fuzz::require;

constexpr std::size_t max_frames = 64;

struct Content {
  std::string frames, error;
};

Content content_of(int descriptor, std::optional<PictureFormat> raw) {
  const auto reader = FrameReader::open("/proc/self/fd/" + std::to_string(descriptor), raw);
  if (!reader.ok()) return {"", reader.status().message()};
  Content content;
  std::vector<std::byte> memory;
  for (std::size_t frame = 0; frame < max_frames; frame++) {
    const auto next = reader.value()->next(memory);
    if (!next.ok()) content.error = next.status().message();
    if (!next.ok() || !*next) break;
    const PictureFormat& format = reader.value()->format();
    require((*next)->format == format, "a picture has its file's format");
    content.frames.append(reinterpret_cast<const char*>((*next)->planes[0].data),
                          picture_bytes(format));
  }
  // A message names the file, of which the descriptor differs.
  const std::string name = reader.value()->name();
  for (std::size_t at; (at = content.error.find(name)) != std::string::npos;)
    content.error.erase(at, name.size());
  return content;
}

Content content_of_file(const std::string& bytes, std::optional<PictureFormat> raw) {
  const int file = ::memfd_create("video", 0);
  require(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "a file is written");
  Content content = content_of(file, raw);
  ::close(file);
  return content;
}

// A pipe holds as much as libFuzzer gives.
Content content_of_pipe(const std::string& bytes, std::optional<PictureFormat> raw) {
  std::array<int, 2> ends = {};
  require(::pipe(ends.data()) == 0, "a pipe opens");
  require(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
          "a pipe is written");
  // Opening its name waits for nobody, as there is a writer until then.
  const auto reading = ::dup(ends[0]);
  ::close(ends[1]);
  ::close(ends[0]);
  Content content = content_of(reading, raw);
  ::close(reading);
  return content;
}

void try_file(Input& input, bool is_raw) {
  std::optional<PictureFormat> raw;
  if (is_raw)
    raw = PictureFormat{input.byte() % 40, input.byte() % 40,
                        std::array{8u, 10u, 12u, 16u, 9u}[input.byte() % 5],
                        static_cast<Chroma>(input.byte() % 4)};
  std::string bytes = input.take(input.left());
  if (!is_raw && !bytes.starts_with(y4m_magic)) bytes.insert(0, y4m_magic);
  const Content file = content_of_file(bytes, raw), pipe = content_of_pipe(bytes, raw);
  require(file.frames == pipe.frames, "a pipe has a file's frames");
  require(file.error.empty() == pipe.error.empty(), file.error + " and " + pipe.error);
  require(file.frames.size() <= bytes.size(), "frames are made of what is there");
}

constexpr OptionRow options[] = {
    {.name = "flag", .in_key = true},
    {.name = "width", .alias = "w", .kind = OptionKind::integer, .min = 180, .max = 7680},
    {.name = "share", .kind = OptionKind::number, .initial = 0.6, .max = 1, .in_key = true},
    {.name = "curve", .kind = OptionKind::text, .initial_text = "bt1886", .in_key = true}};

void try_request(Input& input) {
  const std::string text = input.take(input.left());
  raw_options_of_name(text);
  const auto request = parse_feature_request(text);
  if (!request.ok()) return;
  const auto values = OptionValues::parse(request->name, options, request->options);
  if (!values.ok()) return;
  const double width = values->number("width"), share = values->number("share");
  require(width == 0 || (width >= 180 && width <= 7680 && width == std::floor(width)),
          "an integer is in its range");
  require(share >= 0 && share <= 1, "a number is in its range");
  require(values->key("k").starts_with("k"), "a key begins with its name");
}

void try_scores(Input& input) {
  Scores scores;
  const std::uint64_t subsample = 1 + input.byte() % 4;
  while (input.left() > 0) {
    const std::string key = "key_" + std::to_string(input.byte() % 8);
    const std::uint64_t frame = input.byte() * (input.byte() % 16 == 0 ? 16 : 1);
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; i++) bits = bits << 8 | input.byte();
    scores.set(key, frame, std::bit_cast<double>(bits));
    if (frame % 3 == 0) scores.set_aggregate(key, std::bit_cast<double>(bits));
  }
  const ScoreContext context{.subsample = subsample, .version = "v"};
  for (const auto format : {ScoreFormat::xml, ScoreFormat::csv, ScoreFormat::sub})
    require(write_scores(scores, format, context).size() < 8 << 20, "a file is bounded");
  const std::string json = write_scores(scores, ScoreFormat::json, context);
  require(json.find("nan") == json.npos && json.find("inf") == json.npos, "JSON has numbers");
  const std::string plot = plot_scores(scores, subsample);
  require(plot.size() < 1 << 20 && plot.find("nan") == plot.npos, "a plot has numbers");
}

}  // namespace
}  // namespace penstock::video

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  penstock::fuzz::Input input(data, bytes);
  switch (input.byte() % 4) {
    case 0: penstock::video::try_file(input, false); break;
    case 1: penstock::video::try_file(input, true); break;
    case 2: penstock::video::try_request(input); break;
    default: penstock::video::try_scores(input); break;
  }
  return 0;
}
