#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "base/hash.hpp"

namespace penstock {
namespace {

int distance(const Hash128& a, const Hash128& b) {
  return std::popcount(a.low ^ b.low) + std::popcount(a.high ^ b.high);
}

TEST(Hash, EveryInputBitChangesAboutHalfOfTheDigest) {
  for (const std::size_t size : {1u, 7u, 16u, 33u, 100u}) {
    std::vector<std::byte> bytes(size, std::byte{0x5A});
    const Hash128 plain = content_hash(bytes);
    for (std::size_t bit = 0; bit < size * 8; bit++) {
      bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      const Hash128 changed = content_hash(bytes);
      EXPECT_GT(distance(plain, changed), 32) << size << " bytes, bit " << bit;
      EXPECT_NE(plain.low, changed.low);
      EXPECT_NE(plain.high, changed.high);
      bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    }
  }
}

TEST(Hash, RunsOfZerosOfEveryLengthDiffer) {
  std::set<Hash128> seen;
  const std::vector<std::byte> zeros(1000);
  for (std::size_t size = 0; size <= zeros.size(); size++)
    seen.insert(content_hash(std::span(zeros).first(size)));
  EXPECT_EQ(seen.size(), zeros.size() + 1);
}

TEST(Hash, NeighbouringTextsNeverShareHalfADigest) {
  std::set<std::uint64_t> low, high;
  constexpr int count = 200000;
  for (int i = 0; i < count; i++) {
    const Hash128 hash = content_hash("return a[i] * " + std::to_string(i) + ";");
    low.insert(hash.low), high.insert(hash.high);
  }
  EXPECT_EQ(low.size(), static_cast<std::size_t>(count));  // by chance: once in 10^9 runs
  EXPECT_EQ(high.size(), static_cast<std::size_t>(count));
}

TEST(Hash, SwappedWordsAndBlocksDiffer) {
  const std::string a = "0123456789abcdef", b = "fedcba9876543210", half = "01234567",
                    other = "89abcdef";
  EXPECT_NE(content_hash(a + b), content_hash(b + a));
  EXPECT_NE(content_hash(half + other), content_hash(other + half));
}

TEST(Hash, TheSeedMatters) { EXPECT_NE(content_hash("text", 1), content_hash("text", 2)); }

TEST(Hash, HexIsThirtyTwoDigitsHighHalfFirst) {
  EXPECT_EQ((Hash128{0x0123456789abcdef, 0xfedcba9876543210}).hex(),
            "fedcba98765432100123456789abcdef");
  EXPECT_EQ(Hash128{}.hex(), std::string(32, '0'));
}

}  // namespace
}  // namespace penstock
