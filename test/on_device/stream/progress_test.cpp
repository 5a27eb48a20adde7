// Progress of long frames and members on every device: it moves while they are decoded, never
// backwards, and can end them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "on_device/device/device_fixture.hpp"
#include "stream_bytes.hpp"

namespace penstock::stream {
namespace {

// A frame of a block for each `block_bytes` of text: more than a batch takes.
std::string frame_of_blocks(const std::string& text, std::size_t block_bytes) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setPledgedSrcSize(context, text.size());
  std::string file(2 * text.size() + 16 * (text.size() / block_bytes + 2), 0);
  ZSTD_outBuffer out{file.data(), file.size(), 0};
  for (std::size_t at = 0; at < text.size(); at += block_bytes) {
    ZSTD_inBuffer in{text.data() + at, std::min(block_bytes, text.size() - at), 0};
    const bool is_last = at + block_bytes >= text.size();
    EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_flush), 0u);
  }
  ZSTD_freeCCtx(context);
  file.resize(out.pos);
  return file;
}

std::vector<Progress> progress_of(const std::shared_ptr<Device>& device, const std::string& file,
                                  const std::string& text) {
  std::vector<Progress> told;
  DecompressOptions options{.device = device};
  options.progress = [&](const Progress& progress) { return told.push_back(progress), true; };
  const auto here = decompress(bytes_of(file), options);
  EXPECT_TRUE(here.ok() && text_of(*here) == text) << here.status().text();
  return told;
}
void expect_forwards(const std::vector<Progress>& told, std::size_t file_bytes) {
  ASSERT_FALSE(told.empty());
  for (std::size_t i = 0; i < told.size(); i++) {
    EXPECT_LE(told[i].bytes_in, file_bytes);
    EXPECT_EQ(told[i].bytes_in_total, file_bytes);
    if (i == 0) continue;
    EXPECT_GE(told[i].bytes_in, told[i - 1].bytes_in);
    EXPECT_GE(told[i].bytes_out, told[i - 1].bytes_out);
  }
  EXPECT_EQ(told.back().bytes_in, file_bytes);
}

TEST(ProgressOnDevice, AFrameTellsHowFarItIsBatchByBatch) {
  const std::string text = words(1'000'000), file = frame_of_blocks(text, 40);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    const auto told = progress_of(device, file, text);
    expect_forwards(told, file.size());
    const auto inside = std::count_if(told.begin(), told.end(),
                                      [](const Progress& one) { return one.bytes_out == 0; });
    EXPECT_GE(inside, 3);
    EXPECT_LT(told.front().bytes_in, file.size() / 2);
  });
}

TEST(ProgressOnDevice, AFrameEndsWhereTheCallerWantsNoMore) {
  const std::string text = words(1'000'000), file = frame_of_blocks(text, 40);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    int calls = 0;
    const auto cancels = [&](const Progress&) { return ++calls < 2; };
    EXPECT_EQ(decompress(bytes_of(file), {.device = device, .progress = cancels}).status().code(),
              Code::cancelled);
    EXPECT_EQ(calls, 2);
  });
}

// Members without output reach no sink, in which the caller could end the run.
TEST(ProgressOnDevice, ManyEmptyMembersEndWhereTheCallerWantsNoMore) {
  std::string file;
  for (int i = 0; i < 2000; i++) file += zlib_made("", 6);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    for (const bool is_kept : {false, true}) {
      std::uint64_t last = 0;
      int calls = 0;
      DecompressOptions options{.device = device};
      options.progress = [&](const Progress& progress) {
        last = progress.bytes_in;
        return ++calls < 10;
      };
      const Source source = Source::memory(bytes_of(file));
      const Status status = is_kept ? decompress_to_device(source, options).status()
                                    : decompress(bytes_of(file), options).status();
      EXPECT_EQ(status.code(), Code::cancelled) << status.text();
      EXPECT_EQ(calls, 10);
      EXPECT_LT(last, file.size() / 10);
    }
  });
}

TEST(ProgressOnDevice, ManySmallMembersEndWhereTheCallerWantsNoMore) {
  std::string file;
  for (int i = 0; i < 300; i++) file += zlib_made("x", 6);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    std::uint64_t last = 0;
    const auto cancels = [&](const Progress& progress) {
      return (last = progress.bytes_in) < file.size() / 10;
    };
    EXPECT_EQ(decompress(bytes_of(file), {.device = device, .progress = cancels}).status().code(),
              Code::cancelled);
    EXPECT_LT(last, file.size() / 5);
  });
}

// Launches for each took 0.36 ms, 36 s in all.
TEST(ProgressOnDevice, EmptyMembersTakeNoLaunchesOfTheirOwn) {
  const std::string fixed = zlib_made("", 6), stored = fixed.substr(0, 10) +
                                                       std::string("\1\0\0\xff\xff", 5) +
                                                       std::string(8, '\0');
  std::string file;
  for (int i = 0; i < 50'000; i++) file += fixed + stored;
  file += zlib_made("the end", 6);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    ASSERT_TRUE(decompress(bytes_of(fixed), {.device = device}).ok());  // compiles the kernels
    const auto begin = std::chrono::steady_clock::now();
    const auto here = decompress(bytes_of(file), {.device = device});
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(here.ok()) << here.status().text();
    EXPECT_EQ(text_of(*here), "the end");
    EXPECT_LT(seconds.count(), 8);
  });
}

TEST(ProgressOnDevice, AnEmptyMemberWithAWrongTrailerIsRefused) {
  const std::string empty = zlib_made("", 6);
  for (std::size_t at = empty.size() - 8; at < empty.size(); at++) {
    std::string file = empty + empty;
    file[at] ^= 1;
    on_each_shared([&](const std::shared_ptr<Device>& device) {
      const Status here = decompress(bytes_of(file), {.device = device}).status();
      EXPECT_EQ(here.code(), Code::corrupt) << here.text();
      EXPECT_EQ(here.text(), decompress(bytes_of(file), {}).status().text());
    });
  }
}

TEST(ProgressOnDevice, MembersAreNotSaidToBeDecodedBeforeTheyAre) {
  const std::string text = words(30'000'000), more = words(400'000, 2);
  const std::string member = zlib_made(text, 1), file = member + zlib_made(more, 6);
  on_each_shared([&](const std::shared_ptr<Device>& device) {
    const auto told = progress_of(device, file, text + more);
    expect_forwards(told, file.size());
    for (const Progress& one : told)
      EXPECT_TRUE(one.bytes_out > text.size() || one.bytes_in <= member.size());
  });
}

}  // namespace
}  // namespace penstock::stream
