// Dictionaries, formatted and of raw content: their tables, their repeat offsets, and matches that
// begin in them.
#include <gtest/gtest.h>
#include <zdict.h>

#include <algorithm>
#include <bit>

#include "zstd_frames.hpp"

namespace penstock::zstd_test {
namespace {

std::string trained(std::size_t bytes, unsigned seed) {
  std::string samples;
  std::vector<std::size_t> sizes;
  for (unsigned sample = 0; sample < 400; sample++) {
    const std::string one = json(500 + sample, seed + sample);
    samples += one;
    sizes.push_back(one.size());
  }
  std::string dictionary(bytes, 0);
  const std::size_t size =
      ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.data(), sizes.data(),
                            static_cast<unsigned>(sizes.size()));
  dictionary.resize(ZDICT_isError(size) ? 0 : size);
  return dictionary;
}

zstd::DecodeOptions with(const std::string& dictionary, unsigned threads = 1) {
  const auto read = zstd::read_dictionary(bytes_of(dictionary));
  EXPECT_TRUE(read.ok()) << read.status().text();
  return {.threads = threads, .dictionary = read.ok() ? *read : nullptr};
}

void expect_round_trip(const std::string& output, const std::string& dictionary,
                       const Parameters& parameters) {
  const std::string frame = compressed(output, parameters, dictionary);
  ASSERT_FALSE(frame.empty());
  for (const unsigned threads : {1u, 3u}) {
    const ChunkStatus whole = decoded(frame, output.size(), with(dictionary, threads)),
                      pieces = pulled(frame, with(dictionary, threads));
    ASSERT_TRUE(whole.is_ok && pieces.is_ok) << whole.output << pieces.output;
    ASSERT_TRUE(whole.output == output && pieces.output == output);
  }
}

TEST(CodecZstdDictionary, FormattedOnes) {
  const std::string dictionary = trained(20000, 1);
  ASSERT_FALSE(dictionary.empty());
  for (const std::size_t bytes : {0, 1, 30, 200, 1000, 5000, 50000, 400000})
    for (const int level : {-5, 1, 3, 6, 12, 19})
      expect_round_trip(json(bytes, 999), dictionary, {{ZSTD_c_compressionLevel, level}});
}

// Returns the dictionary with the literal tree of 13 symbols, 0 to 12, with codes of 1, 2, ..., 11,
// 12 and 12 bits. All other symbols have no code.
std::string with_codes_of_12_bits(const std::string& dictionary) {
  constexpr std::size_t tree_at = 8;
  const auto head = static_cast<unsigned char>(dictionary[tree_at]);
  const std::size_t tree_bytes = 1 + (head < 128 ? head : (head - 126u) / 2);
  return dictionary.substr(0, tree_at) + "\x8b\xcb\xa9\x87\x65\x43\x21" +
         dictionary.substr(tree_at + tree_bytes);
}

// Codes these literals by that tree: a symbol has as many zeros as its number, and a one. Two codes
// have 12 bits: 12 has one zero fewer than its number, 11 has no one. The last symbol comes first.
std::string stream_of(const std::string& literals) {
  std::string bytes;
  unsigned count = 0;
  const auto put = [&](bool bit) {
    if (count % 8 == 0) bytes += '\0';
    if (bit) bytes.back() = static_cast<char>(bytes.back() | 1 << count % 8);
    count++;
  };
  for (auto at = literals.rbegin(); at != literals.rend(); at++) {
    put(*at != 11);
    for (int zero = 0; zero < std::min<int>(*at, 11); zero++) put(false);
  }
  put(true);  // the end mark
  return bytes;
}

std::string number(std::size_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; i++) text += static_cast<char>(value >> (8 * i));
  return text;
}

// A frame of one block with literals by the dictionary's tree, in one stream or four. libzstd does
// not write such frames: its encoder does not load such a dictionary.
std::string frame_of(const std::string& literals, bool has_four_streams,
                     const std::string& dictionary) {
  std::string streams = stream_of(literals);
  if (has_four_streams) {
    const std::size_t quarter = (literals.size() + 3) / 4;
    std::string sizes, all;
    for (std::size_t of = 0; of < 4; of++) {
      const std::string one = stream_of(literals.substr(of * quarter, quarter));
      if (of < 3) sizes += number(one.size(), 2);
      all += one;
    }
    streams = sizes + all;
  }
  constexpr std::size_t treeless = 3;
  const std::size_t sections =
      treeless | std::size_t{has_four_streams} << 2 | literals.size() << 4 | streams.size() << 14;
  const std::string block = number(sections, 3) + streams + '\0';  // and no sequences
  return number(0xfd2fb528, 4) + "\x03\x58" + dictionary.substr(4, 4) +
         number(block.size() << 3 | 2 << 1 | 1, 3) + block;
}

TEST(CodecZstdDictionary, CodesOf12BitsAndMissingSymbolsAreDecoded) {
  const std::string dictionary = with_codes_of_12_bits(trained(20000, 1));
  for (const std::size_t bytes : {60u, 300u, 900u}) {
    const std::string random = noise(2 * bytes, 5);
    std::string output;
    for (std::size_t at = 0; at < random.size(); at += 2) {
      const auto low = static_cast<unsigned char>(random[at]);
      const auto high = static_cast<unsigned char>(random[at + 1]);
      output += static_cast<char>(std::countr_zero(0x1000u | low | unsigned{high} << 8));
    }
    for (char symbol = 10; symbol < 13; symbol++) output[symbol] = output[bytes - symbol] = symbol;
    for (const bool has_four_streams : {false, true}) {
      const std::string frame = frame_of(output, has_four_streams, dictionary);
      const ChunkStatus theirs = libzstd_status(frame, bytes, dictionary);
      EXPECT_TRUE(theirs.is_ok && theirs.output == output) << theirs.output;
      for (const unsigned threads : {1u, 3u}) {
        const ChunkStatus whole = decoded(frame, bytes, with(dictionary, threads)),
                          pieces = pulled(frame, with(dictionary, threads));
        ASSERT_TRUE(whole.is_ok && pieces.is_ok) << whole.output << pieces.output;
        ASSERT_TRUE(whole.output == output && pieces.output == output);
      }
    }
  }
}

TEST(CodecZstdDictionary, RawContent) {
  const std::string dictionary = words(30000, 1);
  for (const std::size_t bytes : {1, 30, 200, 1000, 5000, 200000})
    for (const int level : {1, 3, 19})
      expect_round_trip(words(bytes, 1), dictionary, {{ZSTD_c_compressionLevel, level}});
}

// Matches that begin in the dictionary and continue in the frame.
TEST(CodecZstdDictionary, MatchesAcrossTheBoundary) {
  const std::string head = noise(700, 1), output = head + head + head.substr(0, 200);
  expect_round_trip(output, words(100, 2) + head, {{ZSTD_c_compressionLevel, 19}});
  expect_round_trip(std::string(3000, 'q'), words(100, 2) + "qqqqqqqqqqqqqqqq",
                    {{ZSTD_c_compressionLevel, 19}});
}

// The dictionary is within reach until a window has been written, and not after that.
TEST(CodecZstdDictionary, SmallWindows) {
  const std::string dictionary = trained(20000, 1);
  for (const int log : {10, 12, 15})
    expect_round_trip(json(100000, 999), dictionary, {{ZSTD_c_windowLog, log}});
}

TEST(CodecZstdDictionary, AnotherOrNoneIsRefused) {
  const std::string dictionary = trained(20000, 1), output = json(1000, 5),
                    frame = compressed(output, {}, dictionary);
  std::string other = dictionary;
  other[4] = static_cast<char>(other[4] ^ 1);  // its id
  EXPECT_NE(decoded(frame, 1000).output.find("invalid: Zstandard frame: it needs dictionary"),
            std::string::npos);
  EXPECT_NE(decoded(frame, 1000, with(other)).output.find("is given"), std::string::npos);
  EXPECT_FALSE(decoded(frame, 1000, with(words(1000, 1))).is_ok);
}

// Every change of a byte of a dictionary's tables is refused, or makes another dictionary.
TEST(CodecZstdDictionary, ChangedDictionaries) {
  const std::string dictionary = trained(5000, 1), output = json(400, 5),
                    frame = compressed(output, {}, dictionary);
  for (std::size_t at = 8; at < 300; at++)
    for (const int change : {1, 2, 16, 128, 255}) {
      std::string changed = dictionary;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const ChunkStatus theirs = libzstd_status(frame, 1000, changed);
      const auto read = zstd::read_dictionary(bytes_of(changed));
      if (!read.ok()) continue;
      const ChunkStatus ours = decoded(frame, 1000, {.threads = 1, .dictionary = *read});
      ASSERT_TRUE(!ours.is_ok || (theirs.is_ok && ours.output == theirs.output))
          << at << " xor " << change;
    }
}

TEST(CodecZstdDictionary, EveryPrefixIsRefusedOrShorter) {
  const std::string dictionary = trained(5000, 1);
  for (std::size_t bytes = 8; bytes < 400; bytes++) {
    const auto read = zstd::read_dictionary(bytes_of(dictionary.substr(0, bytes)));
    ASSERT_TRUE(!read.ok() || (*read)->content.size() < dictionary.size());
  }
}

}  // namespace
}  // namespace penstock::zstd_test
