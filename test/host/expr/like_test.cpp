// LIKE against its definition, for short strings of few characters, some of them of several bytes.
#include <gtest/gtest.h>

#include <random>

#include "expr/string_operations.hpp"

namespace penstock::expr {
namespace {

std::string_view after_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  return text.substr(first < 0x80 ? 1 : first < 0xe0 ? 2 : 3);
}

// % stands for any characters, _ for one, the escape makes the next character stand for itself.
bool fits(std::string_view text, std::string_view pattern, std::string_view escape) {
  if (pattern.empty()) return text.empty();
  if (!escape.empty() && pattern[0] == escape[0] && pattern.size() > 1)
    return !text.empty() && text[0] == pattern[1] &&
           fits(text.substr(1), pattern.substr(2), escape);
  if (pattern[0] == '%')
    return fits(text, pattern.substr(1), escape) ||
           (!text.empty() && fits(after_character(text), pattern, escape));
  if (text.empty()) return false;
  if (pattern[0] == '_') return fits(after_character(text), pattern.substr(1), escape);
  return text[0] == pattern[0] && fits(text.substr(1), pattern.substr(1), escape);
}

TEST(Like, ALiteralAfterAPercentIsTriedAtEveryPlace) {
  const char* const parts[] = {"a", "b", "ab", "\u00e4", "\u20ac", "%", "_", "!", "aa"};
  std::minstd_rand random(7);
  const auto some = [&](std::size_t most) {
    std::string text;
    for (std::size_t left = random() % most; left > 0; left--) text += parts[random() % 9];
    return text;
  };
  int fitting = 0;
  for (int i = 0; i < 100'000; i++) {
    const std::string text = some(9), pattern = some(7);
    const std::string_view escape = i % 3 == 0 ? "!" : "";
    const bool expected = fits(text, pattern, escape);
    ASSERT_EQ(matches_like(text, pattern, escape), expected)
        << text << " LIKE " << pattern << " ESCAPE " << escape;
    fitting += expected;
  }
  EXPECT_GT(fitting, 3000);
}

}  // namespace
}  // namespace penstock::expr
