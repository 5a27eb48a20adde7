// Checksums that differ from the libraries' at some length or alignment, or when runs are joined.
#include <gtest/gtest.h>
#include <libdeflate.h>

#include <random>
#include <vector>

#include "codec/checksum/adler32.hpp"
#include "codec/checksum/crc32.hpp"
#include "codec/checksum/xxhash.hpp"

namespace penstock::checksum {
namespace {

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(3);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}
template <class Check> void for_many_runs(const Check& check) {
  const auto bytes = random_bytes(40000);
  for (std::size_t count = 0; count < 700; count++)
    check(std::span(bytes).subspan(count % 17, count));
  for (std::size_t count = 700; count < 39000; count += 997)
    check(std::span(bytes).subspan(count % 33, count));
}

TEST(Checksum, Crc32IsLibdeflates) {
  for_many_runs([](std::span<const std::byte> run) {
    const std::uint32_t expected = libdeflate_crc32(0x12345678, run.data(), run.size());
    ASSERT_EQ(crc32(0x12345678, run), expected) << run.size();
    ASSERT_EQ(crc32_by_tables(0x12345678, run), expected) << run.size();
  });
}
TEST(Checksum, Adler32IsLibdeflates) {
  for_many_runs([](std::span<const std::byte> run) {
    const std::uint32_t expected = libdeflate_adler32(0x12345678, run.data(), run.size());
    ASSERT_EQ(adler32(0x12345678, run), expected) << run.size();
    ASSERT_EQ(adler32_by_bytes(0x12345678, run), expected) << run.size();
  });
}
TEST(Checksum, Adler32OfTheLargestBytesDoesNotOverflow) {
  const std::vector<std::byte> bytes(100000, std::byte{255});
  EXPECT_EQ(adler32(0xfff0fff0, bytes), libdeflate_adler32(0xfff0fff0, bytes.data(), bytes.size()));
}
TEST(Checksum, RunsAreJoined) {
  for_many_runs([](std::span<const std::byte> run) {
    for (const std::size_t first : {std::size_t{0}, run.size() / 3, run.size()}) {
      const auto a = run.first(first), b = run.subspan(first);
      ASSERT_EQ(crc32_combine(crc32(0, a), crc32(0, b), b.size()), crc32(0, run));
      ASSERT_EQ(adler32_combine(adler32(1, a), adler32(1, b), b.size()), adler32(1, run));
    }
  });
}
TEST(Checksum, PartsOfOneSizeAreJoined) {
  for_many_runs([](std::span<const std::byte> run) {
    const std::size_t piece = 1 + run.size() / 7;
    std::vector<std::uint32_t> crcs, adlers;
    std::size_t last = 0;
    for (std::size_t at = 0; at < run.size(); at += piece) {
      last = std::min(piece, run.size() - at);
      crcs.push_back(crc32(0, run.subspan(at, last)));
      adlers.push_back(adler32(1, run.subspan(at, last)));
    }
    ASSERT_EQ(crc32_joined(crcs, piece, last), crc32(0, run)) << run.size();
    ASSERT_EQ(adler32_joined(adlers, piece, last), adler32(1, run)) << run.size();
  });
}
TEST(Checksum, ARunOfGigabytesIsJoined) {
  // 2^32 zeros and one more, which may as well stand in front.
  const std::vector<std::byte> zeros(1 << 16);
  std::uint32_t crc = crc32(0, zeros);
  std::uint64_t bytes = zeros.size();
  for (; bytes < std::uint64_t{1} << 32; bytes *= 2) crc = crc32_combine(crc, crc, bytes);
  const std::uint32_t joined = crc32_combine(crc32(0, std::span(zeros).first(1)), crc, bytes);
  EXPECT_EQ(joined, crc32_combine(crc, crc32(0, std::span(zeros).first(1)), 1));
}
TEST(Checksum, XxhashIsTheSpecificationsInAnyParts) {
  // The sanity buffer and values of the specification's own test (xxHash,
  // tests/sanity_test_vectors.h, lengths 0, 1, 4, 14, 222).
  std::vector<std::byte> bytes(222);
  std::uint64_t generated = 2654435761u;
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(generated >> 56);
    generated *= 11400714785074694797u;
  }
  const std::span all(bytes);
  EXPECT_EQ(xxh32({}), 0x02cc5d05u);
  EXPECT_EQ(xxh32({}, 2654435761u), 0x36b78ae7u);
  EXPECT_EQ(xxh32(all.first(1)), 0xcf65b03eu);
  EXPECT_EQ(xxh32(all.first(14)), 0x1208e7e2u);
  EXPECT_EQ(xxh32(all), 0x5bd11dbdu);
  EXPECT_EQ(xxh64({}), 0xef46db3751d8e999u);
  EXPECT_EQ(xxh64({}, 2654435761u), 0xac75fda2929b17efu);
  EXPECT_EQ(xxh64(all.first(1)), 0xe934a84adb052768u);
  EXPECT_EQ(xxh64(all.first(14)), 0x8282dcc4994e35c8u);
  EXPECT_EQ(xxh64(all), 0xb641ae8cb691c174u);
  for (std::size_t piece = 1; piece < 222; piece++) {
    Xxh32 hash32;
    Xxh64 hash64;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      hash32.update(all.subspan(at, std::min(piece, bytes.size() - at)));
      hash64.update(all.subspan(at, std::min(piece, bytes.size() - at)));
    }
    ASSERT_EQ(hash32.digest(), 0x5bd11dbdu) << piece;
    ASSERT_EQ(hash64.digest(), 0xb641ae8cb691c174u) << piece;
  }
}

}  // namespace
}  // namespace penstock::checksum
