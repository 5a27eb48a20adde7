// Handmade frames that encoders do not write: corners of the format, and the frames in libzstd's
// lists of errata and of frames that it accepts (doc/decompressor_errata.md and
// doc/decompressor_permissive.md of its repository).
#include <gtest/gtest.h>

#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

std::string hex(const std::string& digits) {
  std::string bytes, pair;
  for (const char digit : digits) {
    if (digit == ' ') continue;
    pair += digit;
    if (pair.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  return bytes;
}

std::string little_endian(std::uint64_t value, int bytes) {
  std::string result;
  for (int byte = 0; byte < bytes; byte++) result += static_cast<char>(value >> (8 * byte));
  return result;
}

enum Type { raw, rle, coded, reserved };
std::string block_of(Type type, std::uint64_t size, const std::string& content, bool is_last) {
  return little_endian(size << 3 | static_cast<unsigned>(type) << 1 | (is_last ? 1 : 0), 3) +
         content;
}
std::string block(const std::string& content, bool is_last = true) {
  return block_of(coded, content.size(), content, is_last);
}

const std::string magic = hex("28 b5 2f fd");
// No content size, no checksum; windows of 1 KiB and 8 MiB.
const std::string small_window = magic + hex("00 00"), large_window = magic + hex("00 68");

std::string raw_literals(const std::string& literals) {
  return little_endian(literals.size() << 4 | 3 << 2, 3) + literals;
}

// One sequence of RLE codes; the stream's last byte has the end mark.
std::string sequence(int literal_code, int offset_code, int match_code, const std::string& stream) {
  return hex("01 54") + static_cast<char>(literal_code) + static_cast<char>(offset_code) +
         static_cast<char>(match_code) + stream;
}

void expect_output(const std::string& frame, const std::string& text) {
  for (const ChunkStatus& chunk_status :
       {decoded(frame, text.size()), decoded(frame, text.size() + 1000),
        pulled(frame, {.threads = 1})}) {
    EXPECT_TRUE(chunk_status.is_ok) << chunk_status.output;
    EXPECT_TRUE(chunk_status.output == text);
  }
}

void expect_refused(const std::string& frame, const std::string& words) {
  for (const ChunkStatus& chunk_status : {decoded(frame, 1000000), pulled(frame, {.threads = 1})}) {
    EXPECT_FALSE(chunk_status.is_ok);
    EXPECT_NE(chunk_status.output.find(words), std::string::npos) << chunk_status.output;
  }
}

// ---- libzstd's errata: frames that it refused although they are valid ----

TEST(CodecZstdCorner, CompressedBlockOfExactly128KiB) {
  const std::string literals = words(131072 - 4, 1);
  expect_output(large_window + block(raw_literals(literals) + '\0'), literals);
}

TEST(CodecZstdCorner, CompressedBlockBeyond128KiB) {
  expect_refused(large_window + block(raw_literals(words(131073 - 4, 1)) + '\0'), "131072 at most");
}

TEST(CodecZstdCorner, BlockWithoutLiteralsAndSequences) {
  expect_output(hex("28b5 2ffd 2000 1500 0000 00"), "");
}

TEST(CodecZstdCorner, FirstBlockIsRle) {
  expect_output(hex("28b5 2ffd a001 0002 0002 0010 000b 0000 00"), std::string(131073, 0));
}

TEST(CodecZstdCorner, TinyTableAtTheEnd) {
  const std::string frame =
      hex("28b5 2ffd 2027 c500 0080 f3f1 f0ec ebc6 c5c7 f09d 4300 0000 e0e0 0658 0100 603e 52");
  const ChunkStatus theirs = libzstd_status(frame, 39);
  ASSERT_TRUE(theirs.is_ok);
  expect_output(frame, theirs.output);
}

TEST(CodecZstdCorner, NoSequencesInTwoBytes) {
  expect_output(large_window + block(raw_literals("abc") + hex("80 00")), "abc");
}

TEST(CodecZstdCorner, BytesBehindNoSequences) {
  expect_refused(large_window + block(raw_literals("abc") + hex("00 00")),
                 "bytes behind its literals");
  expect_refused(large_window + block(raw_literals("abc") + hex("80 00 00")),
                 "bytes behind its literals");
}

// ---- Invalid frames that libzstd accepted ----

TEST(CodecZstdCorner, TruncatedHuffmanStates) {
  expect_refused(hex("28b5 2ffd 0000 5500 0072 8001 0420 7e1f 02aa 00"), "two states");
}

TEST(CodecZstdCorner, Offset0) {
  expect_refused(hex("28b5 2ffd 0000 4500 0008 0002 002f 430b ae"), "is 0");
}

TEST(CodecZstdCorner, ReservedBitsOfTheModes) {
  std::string modes = sequence(4, 2, 5, hex("07"));
  modes[1] = static_cast<char>(modes[1] | 1);
  expect_refused(large_window + block(raw_literals("abcd") + modes), "reserved bits");
}

// ---- Corners of the format ----

TEST(CodecZstdCorner, OneSequenceOfRleCodes) {
  expect_output(large_window + block(raw_literals("abcd") + sequence(4, 2, 5, hex("07"))),
                "abcdabcdabcd");
}

TEST(CodecZstdCorner, StreamsOfSequencesEndExactly) {
  expect_refused(large_window + block(raw_literals("abcd") + sequence(4, 2, 5, hex("0f"))),
                 "goes on behind them");
  expect_refused(large_window + block(raw_literals("abcd") + sequence(4, 2, 5, hex("03"))),
                 "cut short");
  expect_refused(large_window + block(raw_literals("abcd") + sequence(4, 2, 5, hex("00"))),
                 "no end mark");
  expect_refused(large_window + block(raw_literals("abcd") + sequence(4, 2, 5, "")), "no end mark");
}

// RFC 8878's example: weights 4 3 2 0 1 (1), and the text 0 1 4 5. The RFC has the last two codes
// of the text in the wrong order.
TEST(CodecZstdCorner, DirectHuffmanWeights) {
  const std::string tree = hex("84 43 20 10"), stream = hex("01 0d");
  const std::string literals =
      little_endian(2 | 4 << 4 | (tree.size() + stream.size()) << 14, 3) + tree + stream;
  expect_output(large_window + block(literals + '\0'), hex("00 01 04 05"));
  // The same tree again: one symbol of code 01, without a description.
  const std::string again = little_endian(3 | 1 << 4 | 1 << 14, 3) + hex("05");
  expect_output(large_window + block(literals + '\0', false) + block(again + '\0'),
                hex("00 01 04 05 01"));
}

TEST(CodecZstdCorner, TablesThatNoBlockBefore) {
  expect_refused(large_window + block(little_endian(3 | 1 << 4 | 1 << 14, 3) + hex("05 00")),
                 "there is none");
  expect_refused(large_window + block(raw_literals("abcd") + hex("01 fc 07")), "there is none");
}

// A block without sequences keeps the tables of the block before for the next one.
TEST(CodecZstdCorner, RepeatedTablesAcrossOtherBlocks) {
  const std::string first = block(raw_literals("abcd") + sequence(4, 2, 5, hex("07")), false);
  const std::string others = block(raw_literals("-") + '\0', false) + block_of(raw, 1, "+", false) +
                             block_of(rle, 2, "*", false);
  const std::string last = block(raw_literals("efgh") + hex("01 fc 07"));
  expect_output(large_window + first + others + last, "abcdabcdabcd-+**efghefghefgh");
}

// Repeat offsets of a block without other offsets: a frame begins with 1, 4 and 8.
TEST(CodecZstdCorner, FirstOffsetsOfAFrame) {
  const std::string literals = raw_literals("abcdefgh");
  expect_output(large_window + block(literals + sequence(8, 0, 0, hex("01"))),
                "abcdefghhhh");  // the latest
  expect_output(large_window + block(literals + sequence(8, 1, 0, hex("02"))),
                "abcdefghefg");  // the second
  expect_output(large_window + block(literals + sequence(8, 1, 0, hex("03"))),
                "abcdefghabc");  // the third
}

// Without literals, indices move by one: 1 is the second, 2 the third, 3 the first less one. The
// offsets of the block before count.
TEST(CodecZstdCorner, OffsetsWithoutLiterals) {
  const std::string literals = block(raw_literals("abcdefgh") + '\0', false);
  const auto none = [](int code, const std::string& stream) {
    return block(raw_literals("") + sequence(0, code, 0, stream));
  };
  expect_output(large_window + literals + none(0, hex("01")), "abcdefghefg");
  expect_output(large_window + literals + none(1, hex("02")), "abcdefghabc");
  expect_refused(large_window + literals + none(1, hex("03")), "is 0");
  const std::string before =
      block(raw_literals("abcdefgh") + sequence(8, 2, 0, hex("07")), false);    // offset 4
  expect_output(large_window + before + none(1, hex("03")), "abcdefghefgefg");  // 3
}

TEST(CodecZstdCorner, OffsetsBeyondTheWindow) {
  const std::string text = words(2048, 1), half = text.substr(0, 1024);
  const std::string blocks =
      block_of(raw, 1024, half, false) + block_of(raw, 1024, text.substr(1024), false);
  const auto match = [](std::uint64_t offset) {  // offset code 10: 1024 to 2047, and the value is
                                                 // the offset and three
    return block(raw_literals("") +
                 sequence(0, 10, 0, little_endian((offset + 3 - 1024) | 1024, 2)));
  };
  expect_output(small_window + blocks + match(1024), text + text.substr(1024, 3));
  expect_refused(small_window + blocks + match(1025), "before the window");
  expect_refused(small_window + blocks + match(2000), "before the window");
  expect_output(large_window + blocks + match(2000), text + text.substr(48, 3));
}

TEST(CodecZstdCorner, OffsetsBeforeTheFrame) {
  expect_refused(large_window + block(raw_literals("abcd") + sequence(4, 3, 0, hex("08"))),
                 "before the window");  // 5
  expect_refused(large_window + block(raw_literals("abcd") + sequence(4, 31, 0, hex("ffffffff"))),
                 "reaches before");
}

TEST(CodecZstdCorner, MoreLiteralsThanThereAre) {
  expect_refused(large_window + block(raw_literals("abc") + sequence(4, 2, 5, hex("07"))),
                 "more literals than it has");
}

// Lengths of more than 65535 bytes are cut into parts. Too many parts are refused before they are
// written.
TEST(CodecZstdCorner, LongLengths) {
  // Match length code 51: 32771 and 15 bits; 52: 65539 and 16 bits. Offset code 0 is the latest
  // offset, 1.
  expect_output(large_window + block(raw_literals("a") + sequence(1, 0, 51, hex("ff ff"))),
                std::string(1 + 32771 + 32767, 'a'));
  expect_output(large_window + block(raw_literals("a") + sequence(1, 0, 52, hex("fc ff 01"))),
                std::string(1 + 65539 + 65532, 'a'));
  expect_refused(large_window + block(raw_literals("a") + sequence(1, 0, 52, hex("ff ff 01"))),
                 "more than a block");
}

TEST(CodecZstdCorner, BlocksBeyondTheWindow) {
  expect_output(small_window + block_of(rle, 1024, "x", true), std::string(1024, 'x'));
  expect_refused(small_window + block_of(rle, 1025, "x", true), "1024 at most");
  expect_refused(small_window + block_of(raw, 1025, words(1025, 1), true), "1024 at most");
  expect_refused(small_window + block(little_endian(2000 << 4 | 3 << 2 | 1, 3) + hex("61 00")),
                 "more literals than a block");
}

TEST(CodecZstdCorner, EmptyFrames) {
  expect_output(large_window + block_of(raw, 0, "", true), "");
  expect_output(large_window + block_of(rle, 0, "x", false) + block_of(raw, 0, "", true), "");
  expect_refused(large_window + block("", true), "compressed and empty");
  expect_refused(large_window, "ends within block 0");
}

TEST(CodecZstdCorner, ContentSizes) {
  const std::string header = magic + hex("20 03");  // a single segment of three bytes
  expect_output(header + block_of(raw, 3, "abc", true), "abc");
  expect_refused(header + block_of(raw, 2, "ab", true), "has 2 bytes and states 3");
  expect_refused(header + block_of(raw, 2, "ab", false) + block_of(raw, 2, "cd", true),
                 "more than the 3 bytes");
}

TEST(CodecZstdCorner, Headers) {
  expect_refused(hex("50 2a 4d 18 00 00 00 00"), "no Zstandard frame");
  expect_refused(magic + hex("08 00 01 00 00"), "reserved bit");
  expect_refused(magic + hex("00 b0 01 00 00"), "larger than the format's decoders take");
  expect_refused(magic + hex("01 00 07 01 00 00"), "needs dictionary 7");
  expect_output(magic + hex("01 00 00 01 00 00"), "");  // dictionary 0 is none
  expect_output(magic + hex("10 00 01 00 00"), "");     // the unused bit
  expect_output(magic + hex("60 00 00") + block_of(rle, 256, "x", true),
                std::string(256, 'x'));  // two bytes count from 256
}

}  // namespace
}  // namespace penstock::zstd_test
