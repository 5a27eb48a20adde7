// Base64 as file metadata has it: bytes that come back changed, and text that is accepted though
// the encoder never writes it.
#include "io/encoded/base64.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace penstock::io {
namespace {

std::string encoded(std::string_view bytes) {
  return encode_base64(std::as_bytes(std::span(bytes)));
}

TEST(Base64, HasTheTextsOfTheStandard) {  // RFC 4648, section 10
  const std::pair<std::string, std::string> pairs[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : pairs) {
    EXPECT_EQ(encoded(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
  }
}
TEST(Base64, ComesBackFromEveryLength) {
  for (std::size_t size = 0; size < 300; size++) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; i++) bytes[i] = static_cast<char>(i * 7 + size);
    EXPECT_EQ(decode_base64(encoded(bytes)), bytes);
  }
}
TEST(Base64, TextThatTheEncoderNeverWritesIsRefused) {
  for (const char* text : {"Zg", "Zg=", "Z===", "Zg=a", "Zm 9", "Zh==", "Zm9=", "====", "Zm9v\n"})
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace penstock::io
