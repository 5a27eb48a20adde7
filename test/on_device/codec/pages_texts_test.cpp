// Strings of pages, on every device and under the sanitizers of the host executor: each is found,
// and what is no string is an error of its page.
#include <gtest/gtest.h>

#include <random>

#include "chunk_references.hpp"
#include "codec/pages/kernels/page_limits.h"
#include "on_device/codec/page_columns.hpp"

namespace penstock::pages {
namespace {

using Texts = std::vector<std::string>;

PageBytes stored_texts(const Texts& texts) {
  PageBytes bytes;
  for (const std::string& text : texts) {
    append_bytes(bytes, text.size(), 4);
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  return bytes;
}

EncodedPage text_page(std::uint32_t value_count, const PageBytes& values) {
  EncodedPage page;
  page.page.encoding = Encoding::plain;
  page.page.value_count = value_count;
  page.values = values;
  return page;
}

// Two pages of strings.
std::shared_ptr<ChunkPages> chunk_of_texts(const Texts& first, std::uint32_t second_count,
                                           const PageBytes& second) {
  ChunkWriter writer;
  writer.add(text_page(static_cast<std::uint32_t>(first.size()), stored_texts(first)));
  writer.add(text_page(second_count, second));
  return writer.finish();
}

// A column of strings, and the same as kernels see it: words of 64 bits.
const PagedColumn text_column = column_of(Kind::string, Physical::byte_array, false);
const PagedColumn word_column = column_of(Kind::int64, Physical::int64, false);

Result<Texts> found_texts(const std::shared_ptr<Device>& device, const ChunkPages& chunk,
                          std::optional<PageFault>& fault) {
  PENSTOCK_ASSIGN(const auto decoder, PageDecoder::create(device));
  PENSTOCK_ASSIGN(const auto queue, device->queue());
  const ColumnOfPages column{&text_column, {&chunk}};
  PENSTOCK_ASSIGN(const auto pending, decoder->begin(*queue, std::span(&column, 1)));
  const auto decoded = pending->finish();
  fault = pending->fault();
  if (fault) return Texts();
  PENSTOCK_TRY(decoded.status());
  PENSTOCK_ASSIGN(const Rows rows, read_rows(*device, *queue, word_column, (*decoded)[0]));
  std::vector<char> bytes((*decoded)[0].bytes->bytes());
  PENSTOCK_TRY(queue->download(bytes.data(), *(*decoded)[0].bytes, bytes.size()));
  PENSTOCK_TRY(queue->finish());
  Texts texts;
  for (const auto& row : rows)
    texts.emplace_back(bytes.data() + (*row >> PAGE_STRING_LENGTH_BITS),
                       *row & ((std::uint64_t{1} << PAGE_STRING_LENGTH_BITS) - 1));
  return texts;
}

Texts some_texts(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  Texts texts(count);
  for (std::string& text : texts) {
    // Some are longer than what a warp holds of a page.
    const std::size_t length = random() % 40 == 0 ? random() % 5000 : random() % 40;
    for (std::size_t i = 0; i < length; i++) text += static_cast<char>('a' + random() % 26);
    if (random() % 5 == 0) text += "é日😀";
  }
  return texts;
}

TEST(PageTexts, EveryStringIsFoundWithItsBytes) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    for (const std::size_t count : {1u, 31u, 32u, 33u, 1000u}) {
      const Texts first = some_texts(count, 1), second = some_texts(count + 7, 2);
      const auto chunk =
          chunk_of_texts(first, static_cast<std::uint32_t>(second.size()), stored_texts(second));
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

void expect_text_fault(std::uint32_t count, const PageBytes& bytes, Code code,
                       const std::string& message) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    std::optional<PageFault> fault;
    const auto texts = found_texts(device, *chunk_of_texts({"a", "b"}, count, bytes), fault);
    ASSERT_TRUE(texts.ok()) << texts.status().text();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->page, 1u);
    EXPECT_EQ(fault->status.code(), code);
    EXPECT_EQ(fault->status.message(), message);
  });
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
  expect_text_fault(3, stored_texts({"one", "two"}), Code::truncated,
                    "byte 14 of the page: the page ends before its last value");
}
TEST(PageTexts, EveryCutIsAnError) {
  const PageBytes whole = stored_texts({"abc", "", "de", "é"});
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
    expect_text_fault(3, stored_texts({"good", "é", text}), Code::corrupt,
                      "value 2 of the page: a string that is not valid UTF-8");
  }
}

}  // namespace
}  // namespace penstock::pages
