// Our Snappy decoder beside Arrow's, and damaged bytes: each must be refused or decoded within its
// bounds.
#include "codec/snappy/snappy_decode.hpp"

#include <arrow/util/compression.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace penstock::io {
namespace {

using Octets = std::vector<std::uint8_t>;

Octets compressed(const Octets& bytes) {
  const auto codec = arrow::util::Codec::Create(arrow::Compression::SNAPPY).ValueOrDie();
  Octets out(static_cast<std::size_t>(
      codec->MaxCompressedLen(static_cast<std::int64_t>(bytes.size()), bytes.data())));
  out.resize(
      static_cast<std::size_t>(codec
                                   ->Compress(static_cast<std::int64_t>(bytes.size()), bytes.data(),
                                              static_cast<std::int64_t>(out.size()), out.data())
                                   .ValueOrDie()));
  return out;
}

// Returns nullopt if the bytes are refused. Bytes after the end are checked.
std::optional<Octets> decompressed(const Octets& bytes) {
  const auto length = snappy_length(bytes);
  if (!length) return std::nullopt;
  constexpr std::size_t guard_bytes = 128;
  Octets out(*length + guard_bytes, 0xA5);
  const bool ok = snappy_decompress(bytes, out.data(), *length);
  for (std::size_t i = *length; i < out.size(); i++)
    EXPECT_EQ(out[i], 0xA5) << "a write behind the end";
  if (!ok) return std::nullopt;
  out.resize(*length);
  return out;
}

// Bytes as in pages: numbers of few significant bytes, words, runs of a period, noise.
Octets page(std::mt19937_64& random, int kind, std::size_t size) {
  Octets bytes;
  while (bytes.size() < size) {
    const std::uint64_t number = random() >> (kind == 0 ? 44 : 32);
    const auto noise = static_cast<std::uint8_t>(number);
    if (kind <= 1) {
      for (int i = 0; i < 8; i++) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
    } else if (kind == 2) {
      for (const char c : std::string(random() % 3 ? "carefully " : "ironic deposits; "))
        bytes.push_back(static_cast<std::uint8_t>(c));
    } else {
      const bool repeats = kind == 3 && bytes.size() >= 24 && random() % 97 != 0;
      bytes.push_back(repeats ? bytes[bytes.size() - 1 - size % 23] : noise);
    }
  }
  bytes.resize(size);
  return bytes;
}

TEST(Snappy, PagesOfEveryKindComeBackAsTheyWere) {
  std::mt19937_64 random(1);
  for (int kind = 0; kind < 5; kind++)
    for (const std::size_t size :
         {0, 1, 7, 60, 61, 79, 80, 81, 255, 257, 1000, 4096, 65535, 65537, 200'000, 200'011}) {
      const Octets bytes = page(random, kind, size);
      const auto back = decompressed(compressed(bytes));
      ASSERT_TRUE(back && *back == bytes) << "kind " << kind << ", " << size << " bytes";
    }
}

TEST(Snappy, EveryPeriodOfACopyIsRepeatedByteForByte) {
  for (unsigned period = 1; period <= 70; period++)
    for (unsigned length = 4; length <= 64; length++) {
      Octets bytes = {0xc8, 0x01, static_cast<std::uint8_t>(60 << 2),
                      79};  // 200 bytes: a literal of 80, a copy, a literal
      for (unsigned i = 0; i < 80; i++) bytes.push_back(static_cast<std::uint8_t>(i * 7 + 1));
      for (const unsigned byte : {(length - 1) << 2 | 2, period, 0u})
        bytes.push_back(static_cast<std::uint8_t>(byte));
      Octets expected(bytes.begin() + 4, bytes.begin() + 84);
      for (unsigned i = 0; i < length; i++) expected.push_back(expected[expected.size() - period]);
      bytes.push_back(60 << 2);
      bytes.push_back(static_cast<std::uint8_t>(120 - length - 1));
      for (unsigned i = 0; i < 120 - length; i++) {
        bytes.push_back(static_cast<std::uint8_t>(i));
        expected.push_back(static_cast<std::uint8_t>(i));
      }
      const auto back = decompressed(bytes);
      ASSERT_TRUE(back && *back == expected) << "period " << period << ", length " << length;
    }
}

TEST(Snappy, LengthsAndOffsetsOfFourBytesAreRead) {
  Octets bytes = {0x80, 0x02};  // 256 bytes
  for (const unsigned byte : {63u << 2, 149u, 0u, 0u, 0u})
    bytes.push_back(static_cast<std::uint8_t>(byte));
  Octets expected;
  for (unsigned i = 0; i < 150; i++)
    bytes.push_back(static_cast<std::uint8_t>(i)), expected.push_back(static_cast<std::uint8_t>(i));
  for (const unsigned count : {64u, 42u}) {
    for (const unsigned byte : {(count - 1) << 2 | 3, 150u, 0u, 0u, 0u})
      bytes.push_back(static_cast<std::uint8_t>(byte));
    for (unsigned i = 0; i < count; i++) expected.push_back(expected[expected.size() - 150]);
  }
  const auto back = decompressed(bytes);
  ASSERT_TRUE(back && *back == expected);
}

TEST(Snappy, CopiesFromBeforeTheBeginningAreRefused) {
  for (const Octets& copy :
       {Octets{0x01, 0x05}, Octets{0x01, 0x00}, Octets{0x0e, 0x05, 0x00},
        Octets{0x0f, 0x05, 0x00, 0x00, 0x00}, Octets{0x0f, 0x00, 0x00, 0x00, 0x80}}) {
    for (const unsigned more : {0u, 200u}) {  // at the end, and where the loop of whole words runs
      Octets bytes = {static_cast<std::uint8_t>(0x80 | ((8 + more) & 0x7f)),
                      static_cast<std::uint8_t>((8 + more) >> 7),
                      0x0c,
                      1,
                      2,
                      3,
                      4};
      bytes.insert(bytes.end(), copy.begin(), copy.end());
      if (more) {
        bytes.push_back(60 << 2);
        bytes.push_back(199);
        bytes.resize(bytes.size() + 200);
      }
      EXPECT_FALSE(decompressed(bytes));
    }
  }
}

TEST(Snappy, PrefixesAreRefused) {
  std::mt19937_64 random(2);
  const Octets whole = compressed(page(random, 0, 3000));
  for (std::size_t size = 0; size < whole.size(); size++)
    EXPECT_FALSE(
        decompressed(Octets(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))))
        << size;
}

TEST(Snappy, AFewBytesThatClaimManyAreRefusedBeforeMemoryIsTaken) {
  EXPECT_FALSE(snappy_length(Octets{0xff, 0xff, 0xff, 0xff, 0x0f, 0x00}));
  EXPECT_FALSE(
      snappy_length(Octets{0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));  // a preamble that does not end
  EXPECT_FALSE(snappy_length(Octets{}));
}

TEST(Snappy, FlippedBitsAgreeWithArrowAndStayWithinBounds) {
  std::mt19937_64 random(3);
  const auto codec = arrow::util::Codec::Create(arrow::Compression::SNAPPY).ValueOrDie();
  int refused = 0;
  for (int i = 0; i < 20'000; i++) {
    Octets bytes = compressed(page(random, i % 4, 64 + random() % 700));
    for (std::uint64_t flips = 1 + random() % 3; flips > 0; flips--)
      bytes[2 + random() % (bytes.size() - 2)] ^= static_cast<std::uint8_t>(1 << random() % 8);
    const auto length = snappy_length(bytes);
    ASSERT_TRUE(length);
    Octets expected(*length + 1);
    const auto theirs = codec->Decompress(static_cast<std::int64_t>(bytes.size()), bytes.data(),
                                          static_cast<std::int64_t>(*length), expected.data());
    expected.resize(*length);
    const auto ours = decompressed(bytes);
    ASSERT_EQ(ours.has_value(), theirs.ok());
    if (ours) { ASSERT_TRUE(*ours == expected); }
    refused += !ours;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace penstock::io
