// Strings that are made to have one hash: a pool tells them apart.
//
// The hash is a polynomial modulo a prime, at a point that the process draws. The point follows
// from a hash, and of two words that are right for one another the second makes up for the first.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "table/strings/string_pool.hpp"

namespace penstock::plan {
namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::size_t word_bytes = 7;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
}

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = product(base, base))
    if (exponent % 2 == 1) result = product(result, base);
  return result;
}

// Undoes the mixing at the hash's end.
std::uint64_t polynomial_of(std::uint64_t hash) {
  constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  std::uint64_t inverse = factor;  // right to three bits, then to twice as many each time
  for (int i = 0; i < 5; i++) inverse *= 2 - factor * inverse;
  return (hash ^ hash >> 32) * inverse;
}

// A string of one word of zeros has the hash 7 * point.
std::uint64_t point() {
  const std::uint64_t seven = polynomial_of(StringPool::hash_of(std::string(word_bytes, '\0')));
  return product(seven % prime, power(word_bytes, prime - 2));
}

std::string text_of(std::uint64_t first, std::uint64_t second) {
  std::string text(2 * word_bytes, '\0');
  std::memcpy(text.data(), &first, word_bytes);
  std::memcpy(text.data() + word_bytes, &second, word_bytes);
  return text;
}

std::vector<std::string> colliding(std::size_t count) {
  const std::uint64_t at = point();
  std::vector<std::string> texts;
  for (std::uint64_t first = 0; texts.size() < count; first++) {
    const std::uint64_t second = (prime - product(first, at) + 12345) % prime;
    if (second < std::uint64_t{1} << 8 * word_bytes) texts.push_back(text_of(first, second));
  }
  return texts;
}

class CollidingStrings : public testing::Test {
 protected:
  void SetUp() override {
    if (std::endian::native != std::endian::little) GTEST_SKIP() << "words are of the other end";
  }
};

TEST_F(CollidingStrings, HaveOneHash) {
  const std::vector<std::string> texts = colliding(1000);
  for (const std::string& text : texts)
    ASSERT_EQ(StringPool::hash_of(text), StringPool::hash_of(texts[0]));
}

// Enough of them that threads add the later ones.
TEST_F(CollidingStrings, HaveDifferentCodes) {
  const std::vector<std::string> texts = colliding(10'000);
  StringPool pool;
  std::vector<std::uint32_t> codes;
  ASSERT_TRUE(pool.encode(Column::from_strings(texts), codes).ok());
  ASSERT_EQ(pool.size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); i++) {
    ASSERT_EQ(codes[i], i);
    if (i % 100 == 0) { ASSERT_EQ(pool.find(texts[i]), i); }
  }
}

}  // namespace
}  // namespace penstock::plan
