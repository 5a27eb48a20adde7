// Our decoder must restore what libzstd compresses with any parameters: all at once and in parts,
// by one thread and by several.
#include <gtest/gtest.h>

#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

void expect_round_trip(const std::string& text, const std::string& frame, const std::string& what) {
  ASSERT_FALSE(frame.empty()) << what;
  for (const unsigned threads : {1u, 3u}) {
    const zstd::DecodeOptions options{.threads = threads,
                                      .window_limit_bytes = std::uint64_t{1} << 31};
    const ChunkStatus whole = decoded(frame, text.size(), options);
    ASSERT_TRUE(whole.is_ok) << what << ": " << whole.output;
    ASSERT_TRUE(whole.output == text) << what << ", " << threads << " threads, all at once";
    const ChunkStatus pieces = pulled(frame, options);
    ASSERT_TRUE(pieces.is_ok) << what << ": " << pieces.output;
    ASSERT_TRUE(pieces.output == text) << what << ", " << threads << " threads, in pieces";
  }
}

TEST(CodecZstdRoundTrip, EveryLevelOfEveryKindOfData) {
  for (const auto& [name, text] : kinds_of_data(700000))
    for (const int level : {-100, -7, -1, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 17, 19})
      expect_round_trip(text, compressed(text, {{ZSTD_c_compressionLevel, level}}),
                        name + " at level " + std::to_string(level));
}

// Optimal parsing looks for every repeated offset; 22 has windows of 128 MiB, here a single
// segment.
TEST(CodecZstdRoundTrip, UltraLevels) {
  for (const auto& [name, text] : kinds_of_data(300000))
    for (const int level : {20, 21, 22})
      expect_round_trip(text, compressed(text, {{ZSTD_c_compressionLevel, level}}),
                        name + " at level " + std::to_string(level));
}

TEST(CodecZstdRoundTrip, ShortInputs) {
  const std::string text = words(5000, 1);
  for (std::size_t bytes = 0; bytes < 300; bytes++)
    expect_round_trip(text.substr(0, bytes),
                      compressed(text.substr(0, bytes), {{ZSTD_c_compressionLevel, 19}}),
                      std::to_string(bytes));
  for (std::size_t bytes = 300; bytes < 5000; bytes += 97)
    expect_round_trip(text.substr(0, bytes), compressed(text.substr(0, bytes), {}),
                      std::to_string(bytes));
}

// Copies that overlap themselves: every period that shuffles and wide copies treat apart.
TEST(CodecZstdRoundTrip, PeriodsFrom1To70) {
  for (std::size_t period = 1; period <= 70; period++) {
    const std::string text = periodic(3000 + period, period) + words(100, 1) + periodic(40, period);
    for (const int level : {1, 19})
      expect_round_trip(text, compressed(text, {{ZSTD_c_compressionLevel, level}}),
                        "period " + std::to_string(period));
  }
}

TEST(CodecZstdRoundTrip, MatchesAndLiteralsOfMoreThan65535Bytes) {
  const std::string random = noise(120000, 1);
  const std::string text = random + random + words(1000, 1) + std::string(500000, 'a') + random;
  for (const int level : {1, 3, 19})
    expect_round_trip(text, compressed(text, {{ZSTD_c_compressionLevel, level}}),
                      std::to_string(level));
}

TEST(CodecZstdRoundTrip, WithoutChecksumAndContentSize) {
  const std::string text = log_lines(400000, 1);
  expect_round_trip(text, compressed(text, {{ZSTD_c_checksumFlag, 0}, {ZSTD_c_contentSizeFlag, 0}}),
                    "plain");
}

// The ring wraps many times, and blocks are as small as the window.
TEST(CodecZstdRoundTrip, SmallWindows) {
  for (const auto& [name, text] : kinds_of_data(5000000))
    for (const int log : {10, 11, 14, 17}) {
      if (log < 14 && name != "words" && name != "period 21") continue;
      expect_round_trip(text,
                        compressed(text, {{ZSTD_c_windowLog, log},
                                          {ZSTD_c_compressionLevel, log == 17 ? 12 : 3}}),
                        name + ", window of 2^" + std::to_string(log));
    }
}

TEST(CodecZstdRoundTrip, LongDistanceMatches) {
  const std::string text = words(3000000, 1) + noise(3000000, 2) + words(3000000, 1) +
                           log_lines(3000000, 3) + noise(3000000, 2);
  for (const int log : {22, 24, 27})
    expect_round_trip(
        text, compressed(text, {{ZSTD_c_enableLongDistanceMatching, 1}, {ZSTD_c_windowLog, log}}),
        std::to_string(log));
}

// Blocks end where the program flushed: many are short, some empty, and tables are repeated from
// block to block.
TEST(CodecZstdRoundTrip, StreamsThatWereFlushed) {
  for (const auto& [name, text] : kinds_of_data(600000))
    for (const std::size_t largest : {100, 5000, 300000}) {
      Random random(1);
      const auto frame =
          streamed(text, {{ZSTD_c_compressionLevel, 5}}, [&] { return 1 + random() % largest; });
      expect_round_trip(text, frame, name + " flushed within " + std::to_string(largest));
    }
}

TEST(CodecZstdRoundTrip, BlocksOfATargetSize) {
  const std::string text = words(2000000, 1) + records(1000000, 2);
  expect_round_trip(text, compressed(text, {{ZSTD_c_targetCBlockSize, 2000}}),
                    "compressed blocks of 2000 bytes");
}

// A decoder reports where its frame ends, whatever follows.
TEST(CodecZstdRoundTrip, WhatStandsBehindAFrameIsLeft) {
  const std::string text = words(200000, 1), frame = compressed(text, {});
  const std::string two = frame + compressed(json(100, 1), {});
  auto decoder = zstd::FrameDecoder::begin(bytes_of(two), {.threads = 2});
  ASSERT_TRUE(decoder.ok());
  std::size_t bytes = 0;
  for (;;) {
    const auto piece = (*decoder)->next();
    ASSERT_TRUE(piece.ok());
    if (piece->empty()) break;
    bytes += piece->size();
  }
  EXPECT_EQ(bytes, text.size());
  EXPECT_EQ((*decoder)->consumed_bytes(), frame.size());
}

TEST(CodecZstdRoundTrip, HeadersAreTold) {
  const std::string frame = compressed(words(1000, 1), {});
  const auto header = zstd::read_frame_header(bytes_of(frame));
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->content_bytes, 1000u);
  EXPECT_TRUE(header->has_checksum);
  EXPECT_TRUE(header->is_single_segment);
}

}  // namespace
}  // namespace penstock::zstd_test
