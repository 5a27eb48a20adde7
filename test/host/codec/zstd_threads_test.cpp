// One frame on several threads: in whatever order they and the caller run, the bytes are the same,
// and a decoder can be destroyed at any time.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

// Blocks of alternating kinds: some are slow to decode, some slow to write, some neither.
std::string varied_output() {
  std::string text;
  for (unsigned part = 0; part < 12; part++)
    text += words(200000, part) + noise(150000, part) +
            std::string(400000, static_cast<char>(part)) + records(150000, part);
  return text;
}

TEST(CodecZstdThreads, AnyNumberGivesTheSame) {
  const std::string text = varied_output(),
                    frame =
                        compressed(text, {{ZSTD_c_compressionLevel, 4}, {ZSTD_c_windowLog, 18}});
  for (const unsigned threads : {1u, 2u, 3u, 4u, 8u, 17u}) {
    const ChunkStatus pieces = pulled(frame, {.threads = threads});
    ASSERT_TRUE(pieces.is_ok && pieces.output == text)
        << threads << " threads: " << pieces.output.substr(0, 200);
    const ChunkStatus whole = decoded(frame, text.size(), {.threads = threads});
    ASSERT_TRUE(whole.is_ok && whole.output == text) << threads << " threads";
  }
}

// Threads run ahead of the caller, and never overwrite a part that is not released.
TEST(CodecZstdThreads, PartsStayWhileAThreadIsSlow) {
  const std::string text = varied_output(), frame = compressed(text, {{ZSTD_c_windowLog, 12}});
  auto decoder = zstd::FrameDecoder::begin(bytes_of(frame), {.threads = 3});
  ASSERT_TRUE(decoder.ok());
  std::size_t at = 0;
  for (unsigned count = 0;; count++) {
    const auto piece = (*decoder)->next();
    ASSERT_TRUE(piece.ok()) << piece.status().text();
    if (piece->empty()) break;
    if (count % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    const std::string_view seen(reinterpret_cast<const char*>(piece->data()), piece->size());
    ASSERT_EQ(seen, std::string_view(text).substr(at, piece->size()));
    at += piece->size();
  }
  EXPECT_EQ(at, text.size());
}

TEST(CodecZstdThreads, ADecoderIsLeftInTheMiddle) {
  const std::string frame = compressed(varied_output(), {});
  for (unsigned pieces = 0; pieces < 30; pieces++) {
    auto decoder = zstd::FrameDecoder::begin(bytes_of(frame), {.threads = 4});
    ASSERT_TRUE(decoder.ok());
    for (unsigned piece = 0; piece < pieces; piece++) ASSERT_TRUE((*decoder)->next().ok());
  }
}

// An error in a block comes after all bytes before it, and again from later calls.
TEST(CodecZstdThreads, ErrorsComeInOrder) {
  const std::string text = varied_output();
  std::string frame = compressed(text, {{ZSTD_c_checksumFlag, 0}});
  for (std::size_t byte = frame.size() / 2; byte < frame.size() / 2 + 300000 && byte < frame.size();
       byte++)
    frame[byte] = '\x5a';
  std::size_t first = 0;
  std::string message;
  for (const unsigned threads : {1u, 2u, 5u}) {
    auto decoder = zstd::FrameDecoder::begin(bytes_of(frame), {.threads = threads});
    ASSERT_TRUE(decoder.ok());
    std::size_t bytes = 0;
    for (;;) {
      const auto piece = (*decoder)->next();
      if (!piece.ok()) {
        EXPECT_EQ((*decoder)->next().status().text(), piece.status().text());
        if (message.empty()) first = bytes, message = piece.status().text();
        EXPECT_EQ(piece.status().text(), message);
        EXPECT_EQ(bytes, first);
        break;
      }
      ASSERT_FALSE(piece->empty());
      bytes += piece->size();
    }
  }
}

TEST(CodecZstdThreads, ManyShortFrames) {
  for (unsigned frame = 0; frame < 300; frame++) {
    const std::string text = words(1 + frame * 3000, frame);
    const ChunkStatus chunk_status = pulled(compressed(text, {}), {.threads = 3});
    ASSERT_TRUE(chunk_status.is_ok && chunk_status.output == text) << frame;
  }
}

}  // namespace
}  // namespace penstock::zstd_test
