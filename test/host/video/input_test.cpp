// Headers and frames of files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "video/input/frame_reader.hpp"
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

TEST(FrameReader, FramesOfY4mComeOneByOne) {
  const Folder folder;
  const std::string path =
      folder.file("a.y4m", "YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdFRAME Ixyz\nefgh");
  const auto reader = FrameReader::open(path).value();
  std::array<std::byte, 4> frame = {};
  EXPECT_TRUE(reader->read(frame).value());
  EXPECT_EQ(frame[0], std::byte{'a'});
  EXPECT_TRUE(reader->read(frame).value());
  EXPECT_EQ(frame[3], std::byte{'h'});
  EXPECT_FALSE(reader->read(frame).value());
}

TEST(FrameReader, EveryCutFileIsToldFromItsEnd) {
  const Folder folder;
  const std::string whole = "YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcd";
  for (std::size_t bytes = 0; bytes < whole.size(); bytes++) {
    const auto reader = FrameReader::open(folder.file("cut.y4m", whole.substr(0, bytes)));
    const bool is_between = bytes == whole.find('\n') + 1;
    std::array<std::byte, 4> frame = {};
    const Status status = reader.ok() ? reader.value()->read(frame).status() : reader.status();
    EXPECT_EQ(status.ok(), is_between) << bytes;
  }
}

TEST(FrameReader, RawFramesThatAreCutAreNamed) {
  const Folder folder;
  const std::string path = folder.file("a.yuv", "abcdefg");
  const auto reader = FrameReader::open(path, PictureFormat{2, 2, 8, Chroma::none}).value();
  EXPECT_EQ(reader->frame_count(), 1u);
  std::array<std::byte, 4> frame = {};
  EXPECT_TRUE(reader->read(frame).value());
  const Status cut = reader->read(frame).status();
  EXPECT_EQ(cut.code(), Code::truncated);
  EXPECT_NE(cut.message().find("frame 1 has 3 of 4 bytes"), std::string::npos) << cut.text();
}

TEST(FrameReader, AbsurdRawFormatsAreRefused) {
  for (const PictureFormat& format :
       {PictureFormat{0, 2}, PictureFormat{2, 70000}, PictureFormat{2, 2, 7}})
    EXPECT_EQ(FrameReader::open("/dev/null", format).status().code(), Code::invalid);
}

}  // namespace
}  // namespace penstock::video
