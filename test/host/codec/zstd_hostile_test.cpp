// Changed and truncated frames: our status must be libzstd's, or stricter for a reason that is
// listed here. If both decoders have output, it must be equal.
#include <gtest/gtest.h>

#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

// Returns false if the statuses differ, and not as listed.
bool is_as_libzstd(const std::string& frame, std::size_t limit, const std::string& what) {
  const ChunkStatus theirs = libzstd_status(frame, limit), ours = decoded(frame, limit);
  if (ours.is_ok && !theirs.is_ok) {
    ADD_FAILURE() << what << ": decoded, and libzstd says " << theirs.output;
    return false;
  }
  if (ours.is_ok && ours.output != theirs.output) {
    ADD_FAILURE() << what << ": decodes to something else";
    return false;
  }
  if (!ours.is_ok && theirs.is_ok && !is_listed_as_stricter(ours.output)) {
    ADD_FAILURE() << what << ": libzstd decodes it, and we say " << ours.output;
    return false;
  }
  return true;
}

std::map<std::string, std::string> small_frames() {
  std::map<std::string, std::string> frames;
  frames["words"] =
      compressed(words(700, 1), {{ZSTD_c_compressionLevel, 19}, {ZSTD_c_checksumFlag, 0}});
  frames["words, checked"] = compressed(words(300, 1), {{ZSTD_c_compressionLevel, 3}});
  frames["log lines"] =
      compressed(log_lines(900, 1), {{ZSTD_c_compressionLevel, 12}, {ZSTD_c_checksumFlag, 0}});
  frames["records"] = compressed(records(600, 1), {{ZSTD_c_checksumFlag, 0}});
  frames["zeros"] = compressed(std::string(5000, 0), {{ZSTD_c_checksumFlag, 0}});
  frames["noise"] = compressed(noise(60, 1), {{ZSTD_c_checksumFlag, 0}});
  frames["period"] =
      compressed(periodic(300, 7), {{ZSTD_c_checksumFlag, 0}, {ZSTD_c_compressionLevel, 19}});
  frames["small window"] =
      compressed(words(3000, 2),
                 {{ZSTD_c_checksumFlag, 0}, {ZSTD_c_windowLog, 10}, {ZSTD_c_contentSizeFlag, 0}});
  frames["flushed"] = streamed(words(600, 3), {{ZSTD_c_checksumFlag, 0}}, [] { return 150; });
  frames["four streams"] = compressed(words(2500, 5).substr(0, 1200),
                                      {{ZSTD_c_checksumFlag, 0}, {ZSTD_c_compressionLevel, 1}});
  return frames;
}

TEST(CodecZstdHostile, EveryPrefixIsRefused) {
  for (const auto& [name, frame] : small_frames())
    for (std::size_t bytes = 0; bytes < frame.size(); bytes++) {
      const std::string prefix = frame.substr(0, bytes);
      ASSERT_FALSE(decoded(prefix, 10000).is_ok) << name << " cut at " << bytes;
      ASSERT_FALSE(pulled(prefix, {.threads = 1}).is_ok) << name << " cut at " << bytes;
    }
}

TEST(CodecZstdHostile, EveryChangeOfAByte) {
  for (const auto& [name, frame] : small_frames())
    for (std::size_t at = 0; at < frame.size(); at++)
      for (int change = 1; change < 256; change++) {
        std::string changed = frame;
        changed[at] = static_cast<char>(changed[at] ^ change);
        if (!is_as_libzstd(
                changed, 10000,
                name + ", byte " + std::to_string(at) + " xor " + std::to_string(change)))
          return;
      }
}

// Frames of several blocks, changed in the middle: the output before the change is right, and the
// error comes after it, whichever thread found it.
TEST(CodecZstdHostile, ChangesInLargeFrames) {
  const std::string text = words(600000, 1) + records(300000, 2);
  const std::string frame = compressed(text, {{ZSTD_c_compressionLevel, 6}});
  Random random(1);
  for (int round = 0; round < 300; round++) {
    std::string changed = frame;
    const std::size_t at = random() % changed.size();
    changed[at] = static_cast<char>(changed[at] ^ (1 + random() % 255));
    ASSERT_TRUE(is_as_libzstd(changed, text.size() + 1000, "byte " + std::to_string(at)));
    const ChunkStatus one = pulled(changed, {.threads = 1}),
                      several = pulled(changed, {.threads = 3});
    ASSERT_EQ(one.is_ok, several.is_ok) << at;
    ASSERT_EQ(one.output, several.output) << at;
  }
}

TEST(CodecZstdHostile, ErrorsTellBlockAndByte) {
  const std::string frame = compressed(words(300000, 1), {{ZSTD_c_checksumFlag, 0}});
  std::string changed = frame;
  const std::size_t second =
      9 + 3 +
      (static_cast<unsigned char>(frame[9]) | static_cast<unsigned char>(frame[10]) << 8 |
       static_cast<unsigned char>(frame[11]) << 16) /
          8;
  changed[second] = static_cast<char>(changed[second] | 6);  // the reserved type
  EXPECT_EQ(decoded(changed, 300000).output, "corrupt: Zstandard frame: block 1 at byte " +
                                                 std::to_string(second) +
                                                 " is of the reserved type");
}

TEST(CodecZstdHostile, AWrongChecksumIsRefusedUnlessNobodyAsks) {
  std::string frame = compressed(words(3000, 1), {});
  frame.back() = static_cast<char>(frame.back() ^ 1);
  EXPECT_NE(decoded(frame, 3000).output.find("checksum"), std::string::npos);
  EXPECT_TRUE(decoded(frame, 3000, {.threads = 1, .is_checksum_verified = false}).is_ok);
}

TEST(CodecZstdHostile, LimitsOfWindowAndOutput) {
  const std::string text(3000000, 'a');
  const std::string frame = compressed(text, {{ZSTD_c_windowLog, 21}, {ZSTD_c_contentSizeFlag, 0}});
  EXPECT_NE(pulled(frame, {.threads = 1, .window_limit_bytes = 1 << 20}).output.find("capacity: "),
            std::string::npos);
  EXPECT_TRUE(pulled(frame, {.threads = 1, .window_limit_bytes = 1 << 21}).is_ok);
  EXPECT_NE(pulled(frame, {.threads = 1, .output_limit_bytes = 2999999}).output.find("capacity: "),
            std::string::npos);
  EXPECT_TRUE(pulled(frame, {.threads = 1, .output_limit_bytes = 3000000}).is_ok);
  EXPECT_NE(decoded(frame, 2999999).output.find("capacity: "), std::string::npos);
}

// Wide copies must end within the given buffer (the sanitizers detect it otherwise).
TEST(CodecZstdHostile, BuffersOfTheExactSize) {
  for (const auto& [name, text] : kinds_of_data(200000))
    for (std::size_t bytes = 0; bytes < 200; bytes++) {
      const std::string part = text.substr(0, 131072 - 100 + bytes);
      const ChunkStatus chunk_status =
          decoded(compressed(part, {{ZSTD_c_checksumFlag, 0}}), part.size());
      ASSERT_TRUE(chunk_status.is_ok && chunk_status.output == part)
          << name << ", " << part.size() << " bytes";
    }
}

}  // namespace
}  // namespace penstock::zstd_test
