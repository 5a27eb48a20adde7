// One-shot decoding of valid streams: the output and the sizes of output and input.
#include <gtest/gtest.h>

#include "codec/deflate/format/deflate_format.hpp"
#include "codec/deflate/format/inflate.hpp"
#include "deflate_streams.hpp"

namespace penstock::deflate {
namespace {

// Decodes into a buffer of exactly the output's size, with other bytes after the stream.
void expect_comes_back(const std::string& text, std::string stream) {
  const std::size_t stream_bytes = stream.size();
  stream += "behind";
  std::string out(text.size() + 16, '#');
  const auto inflated =
      inflate(bytes_of(stream), std::as_writable_bytes(std::span(out)).first(text.size()));
  ASSERT_TRUE(inflated.ok()) << inflated.status().text();
  EXPECT_EQ(inflated->input_bytes, stream_bytes);
  EXPECT_EQ(inflated->output_bytes, text.size());
  EXPECT_TRUE(out.starts_with(text));
  EXPECT_EQ(out.substr(text.size()), std::string(16, '#')) << "written behind the output";
}

TEST(DeflateInflate, EveryLevelOfZlibAndLibdeflateComesBack) {
  for (const std::size_t bytes : {0u, 1u, 100u, 70000u, 400000u})
    for (const std::string& text : outputs_of_all_kinds(bytes)) {
      for (int level = 0; level <= 9; level++) expect_comes_back(text, deflated(text, level));
      for (int level = 0; level <= 12; level += bytes > 100000 ? 4 : 1)
        expect_comes_back(text, deflated_by_libdeflate(text, level));
    }
}
TEST(DeflateInflate, EveryStrategyOfZlibComesBack) {
  for (const std::string& text : outputs_of_all_kinds(100000))
    for (const int strategy : {Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED})
      for (const int memory_level : {1, 9})
        expect_comes_back(text, deflated(text, 6, strategy, memory_level));
}
TEST(DeflateInflate, EverySizeOfTheEndsComesBack) {
  const std::string text = outputs_of_all_kinds(700)[0];
  for (std::size_t bytes = 0; bytes < text.size(); bytes++) {
    expect_comes_back(text.substr(0, bytes), deflated(text.substr(0, bytes), 9));
    expect_comes_back(text.substr(0, bytes), deflated(text.substr(0, bytes), 9, Z_FIXED));
  }
}

// The fixed codes: distance symbols have 5 bits, length symbols 7 (256 to 279) or 8 (280 to 287).
BitWriter& fixed_literal(BitWriter& bits, unsigned byte) {
  return byte < 144 ? bits.code(0x30 + byte, 8) : bits.code(0x190 + byte - 144, 9);
}
BitWriter& fixed_longest_match(BitWriter& bits, unsigned distance_symbol, unsigned extra,
                               unsigned extra_bits) {
  return bits.code(0xc5, 8)
      .code(distance_symbol, 5)
      .number(extra, extra_bits);  // symbol 285: 258 bytes
}

TEST(DeflateInflate, MatchesAtEveryDistanceRepeatWhatStoodThere) {
  for (std::size_t distance = 1; distance < 300; distance++) {
    std::string text;
    for (std::size_t i = 0; i < distance; i++) text += static_cast<char>('A' + i * 7 % 50);
    for (int i = 0; i < 600; i++) text += text[text.size() - distance];
    expect_comes_back(text, deflated(text, 9));
    expect_comes_back(text, deflated_by_libdeflate(text, 12));
  }
}
TEST(DeflateInflate, TheFarthestMatchIsTheWindowsFirstByte) {
  std::string text = outputs_of_all_kinds(window_bytes)[3];
  BitWriter bits;
  bits.header(false, 0).to_byte().number(32768, 16).number(0xffff - 32768, 16);
  std::string stream = bits.bytes() + text;
  BitWriter match;
  fixed_longest_match(match.header(true, 1), 29, 32768 - 24577, 13).code(0, 7);
  expect_comes_back(text + text.substr(0, 258), stream + match.bytes());
}
TEST(DeflateInflate, ThousandsOfEmptyBlocksComeToAnEnd) {
  BitWriter bits;
  std::vector<unsigned> literals(257, 0);
  literals[256] = 1;
  for (int block = 0; block < 5000; block++) {
    bits.header(false, 2).codes(literals, {0}).code(0, 1);
    bits.header(false, 1).code(0, 7);
    bits.header(false, 0).to_byte().number(0, 16).number(0xffff, 16);
  }
  fixed_literal(bits.header(true, 1), 'x').code(0, 7);
  expect_comes_back("x", bits.bytes());
}
TEST(DeflateInflate, ACodeOfOneDistanceIsOneBit) {
  BitWriter bits;
  std::vector<unsigned> literals(258, 0);
  literals['a'] = 1, literals[256] = 2, literals[257] = 2;  // a: 0, the end: 10, three bytes: 11
  bits.header(true, 2).codes(literals, {1}).code(0, 1).code(3, 2).code(0, 1).code(2, 2);
  expect_comes_back("aaaa", bits.bytes());
}
TEST(DeflateInflate, TooSmallAnOutputIsSaid) {
  for (const std::string& text : outputs_of_all_kinds(3000)) {
    const std::string stream = deflated(text, 6);
    for (std::size_t capacity = 0; capacity < text.size(); capacity += 1 + capacity / 7) {
      std::string out(capacity + 1, '#');
      const auto inflated =
          inflate(bytes_of(stream), std::as_writable_bytes(std::span(out)).first(capacity));
      ASSERT_FALSE(inflated.ok());
      EXPECT_EQ(inflated.status().code(), Code::capacity);
      EXPECT_EQ(out.back(), '#');
    }
  }
}

}  // namespace
}  // namespace penstock::deflate
