// Files of thousands of small Zstandard and LZ4 frames on every device: decoded many at once, with
// the text and the statuses of one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "on_device/device/device_fixture.hpp"
#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

constexpr std::string_view at_once = "zstd-frames-device", by_blocks = "zstd-frame-device";

struct Frames {
  std::string file, output;
  std::vector<std::size_t> begins = {};
};  // `begins` of frames in the file

void add_frame(Frames& frames, const std::string& output, bool has_size = true,
               bool has_checksum = true) {
  frames.begins.push_back(frames.file.size());
  frames.file += zstd_made(output, 3, has_checksum, has_size), frames.output += output;
}
void add_skippable(Frames& frames) {
  frames.file += std::string("\x53\x2a\x4d\x18\x05\0\0\0hello", 13);
}
std::string some_output(std::mt19937& random, std::size_t bytes) {
  static const std::string all = words(4'000'000);
  return all.substr(random() % (all.size() - bytes), bytes);
}
// Frames of 100 bytes to 2 KB; now and then large and skippable ones, and some that do not tell
// their size.
Frames many_frames(std::size_t count) {
  std::mt19937 random(7);
  Frames frames;
  for (std::size_t i = 0; i < count; i++) {
    if (i % 50 == 3) add_skippable(frames);
    if (i % 900 == 100) add_frame(frames, some_output(random, 1'200'000 + random() % 2'000'000));
    if (i % 200 == 100) add_frame(frames, some_output(random, 20'000 + random() % 100'000));
    if (i % 300 == 9) add_frame(frames, {});
    add_frame(frames, some_output(random, 100 + random() % 1900), i % 7 != 0, i % 3 != 0);
  }
  return frames;
}

void add_lz4_frame(Frames& frames, const std::string& output,
                   LZ4F_blockSizeID_t block_size = LZ4F_max4MB, bool has_block_checksums = false) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo = {block_size,
                           LZ4F_blockIndependent,
                           LZ4F_contentChecksumEnabled,
                           LZ4F_frame,
                           0,
                           0,
                           has_block_checksums ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum};
  frames.begins.push_back(frames.file.size());
  frames.file += lz4_made(output, 1, preferences), frames.output += output;
}
// As the frames above.
Frames many_lz4_frames(std::size_t count) {
  std::mt19937 random(8);
  Frames frames;
  for (std::size_t i = 0; i < count; i++) {
    if (i % 50 == 3) add_skippable(frames);
    if (i % 900 == 100)
      add_lz4_frame(frames, some_output(random, 1'200'000 + random() % 2'000'000),
                    i < 1000 ? LZ4F_max64KB : LZ4F_max1MB);
    if (i % 300 == 9) add_lz4_frame(frames, {});
    add_lz4_frame(frames, some_output(random, 100 + random() % 1900),
                  i % 7 == 0 ? LZ4F_max64KB : LZ4F_max4MB, i % 5 == 0);
  }
  return frames;
}

Result<Report> report_of(const std::shared_ptr<Device>& device, const Frames& frames) {
  std::string all;
  const auto sink = [&](std::span<const std::byte> bytes) {
    return all += text_of(bytes), Status();
  };
  auto report = decompress(Source::memory(bytes_of(frames.file)), sink, {.device = device});
  EXPECT_TRUE(!report.ok() || all == frames.output);
  return report;
}
bool ran(const Report& report, std::string_view method) {
  return std::find(report.methods.begin(), report.methods.end(), method) != report.methods.end();
}
std::size_t zstd_frame_bytes(const std::string& file) {
  return ZSTD_findFrameCompressedSize(file.data(), file.size());
}

TEST(SmallFramesOnDevice, ThousandsAmongLargeOnesAndSkippableOnesComeBack) {
  const Frames frames = many_frames(10'000);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    TAKE(const Report report, report_of(device, frames));
    EXPECT_TRUE(ran(report, at_once) && ran(report, by_blocks));
    EXPECT_EQ(report.member_count, frames.begins.size());
    EXPECT_EQ(report.bytes_in, frames.file.size());
    EXPECT_EQ(report.bytes_out, frames.output.size());
  });
}

TEST(SmallFramesOnDevice, ThousandsOfLz4sComeBack) {
  const Frames frames = many_lz4_frames(10'000);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    TAKE(const Report report, report_of(device, frames));
    EXPECT_EQ(report.member_count, frames.begins.size());
    EXPECT_EQ(report.bytes_in, frames.file.size());
    EXPECT_EQ(report.bytes_out, frames.output.size());
  });
  Frames here = frames;
  TAKE(const auto output, decompress(bytes_of(here.file), {.threads = 2}));
  EXPECT_TRUE(text_of(output) == frames.output);
}

// The error is the first of two faults, in a block or in the content's checksum, whichever comes
// first. The second fault may also be a cut in the input.
TEST(SmallFramesOnDevice, TheFirstLz4FrameThatIsDamagedIsTold) {
  const Frames valid = many_lz4_frames(400);
  // The content's checksum ends a frame; the token of its first block is at byte 11 of it.
  const auto damage_checksum = [&](Frames& frames, std::size_t number) {
    frames.file[valid.begins[number + 1] - 1] ^= 1;
  };
  const auto damage_block = [&](Frames& frames, std::size_t number) {
    frames.file[valid.begins[number] + 11] = '\xff';
  };
  for (const auto& [first, second] :
       {std::pair{211, 333}, std::pair{214, 215}, std::pair{250, 320}})
    for (int how = 0; how < 6; how++) {
      Frames damaged = valid;
      how % 2 == 0 ? damage_checksum(damaged, first) : damage_block(damaged, first);
      if (how / 2 == 0)
        damage_block(damaged, second);
      else if (how / 2 == 1)
        damage_checksum(damaged, second);
      else
        damaged.file.resize(valid.begins[second] + 9);
      const std::string told = "(frame " + std::to_string(first + 1) + ",";
      const auto expected = decompress(bytes_of(damaged.file), {.threads = 1}).status();
      ASSERT_NE(expected.text().find(told), std::string::npos) << expected.text();
      on_each_shared([&](const std::shared_ptr<Device>& device) {
        const auto here = decompress(bytes_of(damaged.file), {.device = device}).status();
        EXPECT_EQ(here.code(), expected.code());
        EXPECT_NE(here.text().find(told), std::string::npos) << here.text();
        EXPECT_EQ(here.text().find("checksum") == std::string::npos, how % 2 != 0) << here.text();
        EXPECT_EQ(decompress_to_device(Source::memory(bytes_of(damaged.file)), {.device = device})
                      .status()
                      .text(),
                  here.text());
      });
    }
}

TEST(SmallFramesOnDevice, FramesOfNoOutputComeBack) {
  Frames frames;
  for (int i = 0; i < 3000; i++) add_frame(frames, {}, i % 2 == 0, i % 3 == 0);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    ASSERT_OK(report_of(device, frames));
    Frames more = frames;
    add_frame(more, "x");
    ASSERT_OK(report_of(device, more));
  });
}

TEST(SmallFramesOnDevice, SeveralBlocksGoAtOnceWhereSeveralFramesDo) {
  std::mt19937 random(1);
  Frames one, many;
  add_frame(one, some_output(random, 400'000));
  for (int i = 0; i < 20; i++) add_frame(many, some_output(random, 400'000 + random() % 100'000));
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    TAKE(const Report alone, report_of(device, one));
    TAKE(const Report together, report_of(device, many));
    EXPECT_TRUE(ran(alone, by_blocks) && !ran(alone, at_once));
    EXPECT_TRUE(ran(together, at_once));
  });
}

// A frame in the middle is damaged. The error names the frame and the byte at which it begins, and
// has the words of the host's decoder.
TEST(SmallFramesOnDevice, OneThatIsDamagedIsToldAsByTheHostsDecoder) {
  const Frames valid = many_frames(1500);
  std::mt19937 random(5);
  for (int i = 0; i < 12; i++) {
    std::size_t number = 700 + random() % 200;
    while ((valid.file[valid.begins[number] + 4] & 4) == 0) number++;  // to one that has a checksum
    const std::size_t begin = valid.begins[number],
                      bytes = zstd_frame_bytes(valid.file.substr(begin));
    Frames damaged = valid;
    damaged.file[begin + bytes / 2 + random() % (bytes / 2)] ^=
        static_cast<char>(1 << random() % 8);
    if (i % 2 == 0)
      damaged.file.resize(valid.begins[1200] + 9);  // and the file's end, which has the second word
    const auto expected = decompress(
        bytes_of(damaged.file), {.format = Format::zstd, .threads = 1, .method = "zstd-parallel"});
    on_each_shared([&](const std::shared_ptr<Device>& device) {
      const auto here =
          decompress(bytes_of(damaged.file), {.format = Format::zstd, .device = device});
      ASSERT_FALSE(here.ok() || expected.ok());
      EXPECT_EQ(here.status().text(), expected.status().text());
    });
  }
}

TEST(SmallFramesOnDevice, AFrameThatEndsEarlyIsToldBehindThoseBefore) {
  Frames frames = many_frames(60);
  frames.file.resize(frames.file.size() - 5);
  const auto expected = decompress(bytes_of(frames.file),
                                   {.format = Format::zstd, .threads = 1, .method = "zstd-frames"})
                            .status();
  EXPECT_EQ(expected.code(), Code::truncated);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    EXPECT_EQ(decompress(bytes_of(frames.file), {.device = device}).status().text(),
              expected.text());
  });
}

// Behind valid frames, of whichever kind: the skippable frame's size is there, and its content is
// not.
TEST(SmallFramesOnDevice, ASkippableFrameThatEndsEarlyIsTold) {
  for (Frames frames : {many_frames(20), many_lz4_frames(20)}) {
    add_skippable(frames);
    for (std::size_t missing = 1; missing < 13; missing++) {
      const std::string file = frames.file.substr(0, frames.file.size() - missing);
      EXPECT_EQ(decompress(bytes_of(file), {.threads = 2}).status().code(), Code::truncated)
          << missing;
      on_each_shared([&](const std::shared_ptr<Device>& device) {
        EXPECT_EQ(decompress(bytes_of(file), {.device = device}).status().code(), Code::truncated)
            << missing;
      });
    }
  }
}

TEST(SmallFramesOnDevice, AFileOfSkippableFramesAloneIsValid) {
  Frames frames;
  add_skippable(frames), add_skippable(frames);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    TAKE(const Report report, report_of(device, frames));
    EXPECT_EQ(report.member_count, 0u);
    EXPECT_EQ(report.bytes_in, frames.file.size());
    TAKE(const DeviceOutput output,
         decompress_to_device(Source::memory(bytes_of(frames.file)), {.device = device}));
    EXPECT_EQ(output.bytes, 0u);
  });
}

TEST(SmallFramesOnDevice, TheLimitOfOutputHolds) {
  const Frames frames = many_frames(300);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    EXPECT_OK(decompress(bytes_of(frames.file),
                         {.max_output_bytes = frames.output.size(), .device = device}));
    const auto status = decompress(bytes_of(frames.file),
                                   {.max_output_bytes = frames.output.size() - 1, .device = device})
                            .status();
    EXPECT_EQ(status.code(), Code::capacity) << status.text();
  });
}

}  // namespace
}  // namespace penstock::stream
