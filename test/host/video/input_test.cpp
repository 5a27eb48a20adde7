// Headers and frames of files.
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "video/input/container_reader.hpp"
#include "video/input/raw_format_of_name.hpp"
#include "video/input/video_pair.hpp"
#include "video/input/y4m_header.hpp"

namespace penstock::video {
namespace {

TEST(Y4mHeader, StatesSizeRateAndColours) {
  const auto header =
      parse_y4m_header("YUV4MPEG2 W640 H360 F30000:1001 Ip A1:1 C422p10 XYSCSS=422P10").value();
  EXPECT_EQ(header.format, (PictureFormat{640, 360, 10, Chroma::c422}));
  EXPECT_NEAR(header.frames_per_second, 29.97, 0.001);
}

TEST(Y4mHeader, WithoutColoursIs420) {
  EXPECT_EQ(parse_y4m_header("YUV4MPEG2 W2 H2").value().format, (PictureFormat{2, 2}));
}

TEST(Y4mHeader, NonsenseIsAnError) {
  for (const char* line : {"", "YUV4MPEG", "YUV4MPEG2", "YUV4MPEG2 W2", "YUV4MPEG2 W H2",
                           "YUV4MPEG2 W0 H2", "YUV4MPEG2 W-2 H2", "YUV4MPEG2 W2x H2",
                           "YUV4MPEG2 W65536 H2", "YUV4MPEG2 W99999999999999999999 H2",
                           "YUV4MPEG2 W2 H2 F25", "YUV4MPEG2 W2 H2 F25:", "YUV4MPEG2 W2 H2 F:1"})
    EXPECT_EQ(parse_y4m_header(line).status().code(), Code::corrupt) << line;
  for (const char* line :
       {"YUV4MPEG2 W2 H2 C411", "YUV4MPEG2 W2 H2 C444alpha", "YUV4MPEG2 W2 H2 C"})
    EXPECT_EQ(parse_y4m_header(line).status().code(), Code::unsupported) << line;
}

class Folder {
 public:
  Folder() { std::filesystem::create_directory(path_); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / ("video_input_" + std::to_string(::getpid()));
};

std::string samples_of(const Picture& picture) {
  return {reinterpret_cast<const char*>(picture.planes[0].data), picture_bytes(picture.format)};
}

// Reads a pipe rather than a file.
class Pipe {
 public:
  explicit Pipe(std::string content) {
    EXPECT_EQ(::pipe(ends_), 0);
    writer_ = std::thread([this, content = std::move(content)] {
      for (const char byte : content) std::ignore = ::write(ends_[1], &byte, 1);
      ::close(ends_[1]);
    });
  }
  ~Pipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

constexpr const char* two_frames = "YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdFRAME Ixyz\nefgh";

void expect_two_frames(FrameReader& reader) {
  std::vector<std::byte> memory;
  EXPECT_EQ(samples_of(*reader.next(memory).value()), "abcd");
  EXPECT_EQ(samples_of(*reader.next(memory).value()), "efgh");
  EXPECT_FALSE(reader.next(memory).value());
  EXPECT_FALSE(reader.next(memory).value());
}

TEST(FrameReader, FramesOfY4mComeOneByOne) {
  const Folder folder;
  expect_two_frames(*FrameReader::open(folder.file("a.y4m", two_frames)).value());
}

TEST(FrameReader, PipesHaveTheSameFrames) {
  const Pipe pipe(two_frames);
  const auto reader = FrameReader::open(pipe.path()).value();
  EXPECT_EQ(reader->frame_count(), std::nullopt);
  expect_two_frames(*reader);
}

TEST(FrameReader, FramesThatAreLeftOutAreCounted) {
  const Folder folder;
  const Pipe pipe(two_frames);
  for (const std::string& path : {folder.file("a.y4m", two_frames), pipe.path()}) {
    const auto reader = FrameReader::open(path).value();
    std::vector<std::byte> memory;
    EXPECT_TRUE(reader->skip().value());
    EXPECT_EQ(samples_of(*reader->next(memory).value()), "efgh");
    EXPECT_FALSE(reader->skip().value());
  }
}

TEST(FrameReader, SamplesOf16BitsAreAtEvenAddresses) {
  const Folder folder;
  for (const char* words : {"W2 H1 Cmono10", "W2 H1 Cmono10 X"}) {
    const auto reader =
        FrameReader::open(folder.file("a.y4m", "YUV4MPEG2 " + std::string(words) + "\nFRAME\nabcd"))
            .value();
    std::vector<std::byte> memory;
    const Picture picture = *reader->next(memory).value();
    EXPECT_EQ(samples_of(picture), "abcd");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(picture.planes[0].data) % 2, 0u);
  }
}

TEST(FrameReader, EveryCutFileIsToldFromItsEnd) {
  const Folder folder;
  const std::string whole = "YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcd";
  for (std::size_t bytes = 0; bytes < whole.size(); bytes++) {
    const std::string cut = whole.substr(0, bytes);
    const Pipe pipe(cut);
    for (const std::string& path : {folder.file("cut.y4m", cut), pipe.path()}) {
      const auto reader = FrameReader::open(path);
      const bool is_between = bytes == whole.find('\n') + 1;
      std::vector<std::byte> memory;
      const Status status = reader.ok() ? reader.value()->next(memory).status() : reader.status();
      EXPECT_EQ(status.ok(), is_between) << bytes << status.text();
    }
  }
}

TEST(FrameReader, AFileThatIsShortenedWhileItIsReadIsAnError) {
  constexpr std::size_t frame_bytes = 64 * 64;
  std::string y4m = "YUV4MPEG2 W64 H64 Cmono\n";
  for (int i = 0; i < 10; i++) y4m += "FRAME\n" + std::string(frame_bytes, 'x');
  const std::string raw(10 * frame_bytes, 'x');
  const PictureFormat format = {64, 64, 8, Chroma::none};
  for (const auto& [name, content] : {std::pair("video.yuv", raw), std::pair("video.y4m", y4m)})
    for (const std::size_t left : {3 * frame_bytes + 5, std::size_t{0}}) {
      const Folder folder;
      const std::string path = folder.file(name, content);
      auto reader =
          FrameReader::open(path, path.ends_with("yuv") ? std::optional(format) : std::nullopt);
      ASSERT_TRUE(reader.ok());
      std::vector<std::byte> memory;
      ASSERT_TRUE((*reader)->next(memory).ok());
      std::filesystem::resize_file(path, left);
      Status status;
      for (int frame = 1; frame < 10 && status.ok(); frame++)
        status = (*reader)->next(memory).status();
      EXPECT_EQ(status.code(), Code::truncated) << status.text();
      EXPECT_NE(status.message().find(path + ": was shortened while it was read, to "),
                std::string::npos)
          << status.text();
    }
}

TEST(FrameReader, APromiseOfBytesIsNotGivenMemory) {
  const Pipe pipe("YUV4MPEG2 W65535 H65535 C444p16\nFRAME\nabcd");
  const auto reader = FrameReader::open(pipe.path()).value();
  std::vector<std::byte> memory;
  const Status status = reader->next(memory).status();
  EXPECT_EQ(status.code(), Code::truncated);
  EXPECT_NE(status.message().find("frame 0 has 4 of 25769017350 bytes"), std::string::npos)
      << status.text();
  EXPECT_LT(memory.size(), std::size_t{1} << 30);
}

TEST(FrameReader, ASilentPipeEndsWhenItIsInterrupted) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int asked = 0;
  const auto reader =
      FrameReader::open("/dev/fd/" + std::to_string(ends[0]), {}, [&] { return ++asked > 2; });
  EXPECT_EQ(reader.status().code(), Code::cancelled);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(FrameReader, RawFramesThatAreCutAreNamed) {
  const Folder folder;
  const std::string path = folder.file("a.yuv", "abcdefg");
  const auto reader = FrameReader::open(path, PictureFormat{2, 2, 8, Chroma::none}).value();
  EXPECT_EQ(reader->frame_count(), 1u);
  std::vector<std::byte> memory;
  EXPECT_EQ(samples_of(*reader->next(memory).value()), "abcd");
  const Status cut = reader->next(memory).status();
  EXPECT_EQ(cut.code(), Code::truncated);
  EXPECT_NE(cut.message().find("frame 1 has 3 of 4 bytes"), std::string::npos) << cut.text();
}

TEST(FrameReader, RawFilesWithoutAFormatAreToldHowToGiveIt) {
  const Folder folder;
  const std::string message =
      FrameReader::open(folder.file("x_2x2_576x324.yuv42010le", "abcdefg")).status().message();
  EXPECT_NE(message.find("--width 576 --height 324 --pixel-format 420 --bitdepth 10"),
            std::string::npos)
      << message;
}

TEST(FrameReader, Y4mWithAFormatForRawFilesIsRefused) {
  const Folder folder;
  EXPECT_EQ(
      FrameReader::open(folder.file("a.y4m", two_frames), PictureFormat{2, 2}).status().code(),
      Code::invalid);
}

TEST(RawFormatOfName, IsWhatTheNameSays) {
  EXPECT_EQ(raw_options_of_name("a/src01_hrc00_576x324.yuv"), "--width 576 --height 324");
  EXPECT_EQ(raw_options_of_name("x264_1920x1080.yuv422p12le.yuv"),
            "--width 1920 --height 1080 --pixel-format 422 --bitdepth 12");
  EXPECT_EQ(raw_options_of_name("exact.yuv444p"), "");
  EXPECT_EQ(raw_options_of_name(""), "");
}

TEST(PixelFormats, OfPlanesAreKnownByName) {
  EXPECT_EQ(format_of_pixels("yuvj420p"), (PictureFormat{.bits = 8, .chroma = Chroma::c420}));
  EXPECT_EQ(format_of_pixels("yuv422p10le"), (PictureFormat{.bits = 10, .chroma = Chroma::c422}));
  EXPECT_EQ(format_of_pixels("gray12le"), (PictureFormat{.bits = 12, .chroma = Chroma::none}));
  for (const char* name : {"", "nv12", "yuv420p9le", "yuv420p10be", "yuva420p", "rgb24"})
    EXPECT_EQ(format_of_pixels(name), std::nullopt) << name;
}

TEST(VideoPair, TheVideoThatEndsFirstIsNamed) {
  const Folder folder;
  const std::string longer = folder.file("long.y4m", two_frames),
                    shorter = folder.file("short.y4m", std::string(two_frames).substr(0, 32));
  Picture a, b;
  for (const auto& [reference, distorted] : {std::pair(longer, shorter), {shorter, longer}}) {
    const auto pair = VideoPair::open(reference, distorted, {}).value();
    EXPECT_EQ(pair->frame_count(), 1u);
    EXPECT_TRUE(pair->next(a, b).value());
    EXPECT_FALSE(pair->next(a, b).value());
    EXPECT_EQ(pair->ended_early(), shorter + " ended before " + longer);
  }
  const auto limited = VideoPair::open(longer, shorter, {.frame_limit = 1}).value();
  EXPECT_TRUE(limited->next(a, b).value());
  EXPECT_FALSE(limited->next(a, b).value());
  EXPECT_EQ(limited->ended_early(), "");
}

TEST(VideoPair, SkippingBeyondTheEndIsAnError) {
  const Folder folder;
  const std::string path = folder.file("a.y4m", two_frames);
  EXPECT_EQ(VideoPair::open(path, path, {.skip_distorted = 3}).status().code(), Code::truncated);
  const auto pair = VideoPair::open(path, path, {.skip_reference = 1}).value();
  Picture a, b;
  EXPECT_TRUE(pair->next(a, b).value());
  EXPECT_EQ(samples_of(a), "efgh");
  EXPECT_EQ(samples_of(b), "abcd");
}

TEST(VideoPair, OneThatIsNotReadToItsEndEndsAtOnce) {
  const Folder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::ignore = ::write(ends[1], two_frames, std::strlen(two_frames));
  const std::string silent = "/dev/fd/" + std::to_string(ends[0]);
  {
    const auto pair = VideoPair::open(folder.file("a.y4m", two_frames), silent, {}).value();
    Picture a, b;
    EXPECT_TRUE(pair->next(a, b).value());
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(FrameReader, AbsurdRawFormatsAreRefused) {
  for (const PictureFormat& format :
       {PictureFormat{0, 2}, PictureFormat{2, 70000}, PictureFormat{2, 2, 7}})
    EXPECT_EQ(FrameReader::open("/dev/null", format).status().code(), Code::invalid);
}

}  // namespace
}  // namespace penstock::video
