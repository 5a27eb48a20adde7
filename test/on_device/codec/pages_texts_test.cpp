// Strings of pages, on every device and under the sanitizers of the host executor: each is found,
// and bytes that are no string are an error of their page.
#include <gtest/gtest.h>

#include "on_device/codec/page_texts.hpp"

namespace penstock::pages {
namespace {

// Two pages of strings.
std::shared_ptr<ChunkPages> chunk_of_texts(const Texts& first, std::uint32_t second_count,
                                           const PageBytes& second) {
  ChunkWriter writer;
  writer.add(text_page(static_cast<std::uint32_t>(first.size()), plain_texts(first)));
  writer.add(text_page(second_count, second));
  return writer.finish();
}

TEST(PageTexts, EveryStringIsFoundWithItsBytes) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    for (const std::size_t count : {1u, 31u, 32u, 33u, 1000u}) {
      const Texts first = some_texts(count, 1), second = some_texts(count + 7, 2);
      const auto chunk =
          chunk_of_texts(first, static_cast<std::uint32_t>(second.size()), plain_texts(second));
      std::optional<PageFault> fault;
      const auto texts = found_texts(device, *chunk, fault);
      ASSERT_TRUE(texts.ok()) << texts.status().text();
      ASSERT_FALSE(fault) << fault->status.text();
      Texts expected = first;
      expected.insert(expected.end(), second.begin(), second.end());
      ASSERT_EQ(*texts, expected);
    }
  });
}

// On devices, and by the warps of the host executor.
void expect_texts(const Texts& expected, const PageBytes& after = {}) {
  PageBytes bytes = plain_texts(expected);
  append(bytes, after);
  const auto chunk = chunk_of_texts({}, static_cast<std::uint32_t>(expected.size()), bytes);
  const auto expect_on = [&](const std::shared_ptr<Device>& device) {
    std::optional<PageFault> fault;
    const auto texts = found_texts(device, *chunk, fault);
    ASSERT_TRUE(texts.ok()) << texts.status().text();
    ASSERT_FALSE(fault) << fault->status.text();
    ASSERT_EQ(*texts, expected);
  };
  on_each_page_device(expect_on);
  for (const auto& device : page_devices_on_host()) expect_on(device);
}

// Every byte of lengths of 0 looks like the beginning of a string.
TEST(PageTexts, EmptyStringsAreFoundWhereverTheyBegin) {
  for (const std::size_t length : {0u, 1u, 2u, 3u, 131u, 132u, 133u}) {
    SCOPED_TRACE(length);
    Texts texts = {std::string(length, 'a')};
    texts.resize(2500);
    texts.push_back("last");
    expect_texts(texts);
  }
}

// Content by which guesses are made.
TEST(PageTexts, StringsOfWhatLooksLikeStringsAreFoundWhole) {
  const PageBytes inner = plain_texts({"a", "", "bc", "", "", "def"});
  const std::string chain(inner.begin(), inner.end());
  Texts texts;
  for (std::size_t i = 0; i < 400; i++) {
    std::string text(i % 7, '\0');
    for (std::size_t times = 0; times < i % 23; times++) text += chain;
    text.append(i % 4, '\1');
    texts.push_back(text);
  }
  expect_texts(texts);
}

// 256 and more take more than one byte of the length; the others are a stretch and a part.
TEST(PageTexts, StringsOfEveryLengthAreFound) {
  Texts texts;
  for (const std::size_t length :
       {0u, 127u, 128u, 129u, 255u, 256u, 257u, 4219u, 4220u, 4221u, 4224u, 65535u, 65536u, 70000u})
    for (const std::size_t after : {0u, 1u, 300u}) {
      texts.emplace_back(length, 'x');
      texts.emplace_back(after, 'y');
    }
  expect_texts(texts);
}
TEST(PageTexts, APageOfOneStringIsFound) {
  for (const std::size_t length : {0u, 1u, 5000u, 300000u})
    expect_texts({std::string(length, 'x')});
}

void expect_text_fault(std::uint32_t count, const PageBytes& bytes, Code code,
                       const std::string& message) {
  const auto expect_on = [&](const std::shared_ptr<Device>& device) {
    std::optional<PageFault> fault;
    const auto texts = found_texts(device, *chunk_of_texts({"a", "b"}, count, bytes), fault);
    ASSERT_TRUE(texts.ok()) << texts.status().text();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->page, 1u);
    EXPECT_EQ(fault->status.code(), code);
    EXPECT_EQ(fault->status.message(), message);
  };
  on_each_page_device(expect_on);
  for (const auto& device : page_devices_on_host()) expect_on(device);
}

TEST(PageTexts, AStringPastThePageIsAnError) {
  expect_text_fault(1, {5, 0, 0, 0, 'a', 'b', 'c', 'd'}, Code::truncated,
                    "byte 0 of the page: a string ends past the page's last byte");
}
TEST(PageTexts, ALengthOf4GiBIsAnError) {
  expect_text_fault(2, {1, 0, 0, 0, 'a', 255, 255, 255, 255}, Code::truncated,
                    "byte 5 of the page: a string ends past the page's last byte");
}
TEST(PageTexts, TooFewStringsAreAnError) {
  expect_text_fault(3, plain_texts({"one", "two"}), Code::truncated,
                    "byte 14 of the page: the page ends before its last value");
}
TEST(PageTexts, ALengthBehindManyStringsIsAnErrorOfItsByte) {
  Texts texts = some_texts(700, 3);
  PageBytes bytes = plain_texts(texts);
  const std::string at = std::to_string(bytes.size());
  append_bytes(bytes, 0x00ffffff, 4);
  append(bytes, plain_texts(some_texts(700, 4)));
  expect_text_fault(1401, bytes, Code::truncated,
                    "byte " + at + " of the page: a string ends past the page's last byte");
}
TEST(PageTexts, WhatFollowsTheLastValueIsNotRead) {
  expect_texts(some_texts(100, 5), PageBytes(50, 255));
}
TEST(PageTexts, EveryCutIsAnError) {
  const PageBytes whole = plain_texts({"abc", "", "de", "é"});
  for (std::size_t size = 0; size < whole.size(); size++) {
    std::optional<PageFault> fault;
    const PageBytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto texts =
        found_texts(page_devices_on_host()[0], *chunk_of_texts({"x"}, 4, cut), fault);
    ASSERT_TRUE(texts.ok()) << texts.status().text();
    EXPECT_TRUE(fault) << size;
  }
}

// The forms that RFC 3629 excludes, at the end of a string too.
TEST(PageTexts, BytesThatAreNotUtf8AreAnError) {
  for (const char* const text : {"\x80", "ab\xff", "\xc0\x80", "\xc3", "abcd\xe0\x9f\xbf",
                                 "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe6\x97",
                                 "\xf5\x80\x80\x80", "a\xc3(", "\xe2\x82("}) {
    SCOPED_TRACE(text);
    expect_text_fault(3, plain_texts({"good", "é", text}), Code::corrupt,
                      "value 2 of the page: a string that is not valid UTF-8");
  }
}

}  // namespace
}  // namespace penstock::pages
