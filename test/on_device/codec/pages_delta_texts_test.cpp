// Strings of DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY, and decimals of bytes, on every device
// and under the sanitizers of the host executor.
#include <gtest/gtest.h>

#include "chunk_references.hpp"
#include "on_device/codec/page_texts.hpp"

namespace penstock::pages {
namespace {

PageBytes encoded_texts(const Texts& texts, Encoding encoding) {
  if (encoding == Encoding::delta_lengths) return texts_after_lengths(texts);
  return encoding == Encoding::delta_bytes ? chained_texts(texts) : plain_texts(texts);
}

EncodedPage page_of(const Texts& texts, Encoding encoding) {
  return text_page(static_cast<std::uint32_t>(texts.size()), encoded_texts(texts, encoding),
                   encoding);
}

void expect_texts(const std::shared_ptr<Device>& device, const ChunkPages& chunk,
                  const Texts& expected) {
  std::optional<PageFault> fault;
  const auto texts = found_texts(device, chunk, fault);
  ASSERT_TRUE(texts.ok()) << texts.status().text();
  ASSERT_FALSE(fault) << fault->status.text();
  ASSERT_EQ(texts->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); i++) ASSERT_EQ((*texts)[i], expected[i]) << i;
}

// Neighbours share some bytes, all of them, or none.
Texts related_texts(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  Texts texts;
  std::string last;
  while (texts.size() < count) {
    if (random() % 4 != 0) last.resize(random() % (last.size() + 1));
    if (random() % 50 == 0) last.clear();
    for (std::size_t more = random() % 4 == 0 ? 0 : random() % 9; more > 0; more--)
      last += static_cast<char>('a' + random() % 3);
    texts.push_back(last);
    if (random() % 5 == 0) texts.push_back(last);
  }
  texts.resize(count);
  return texts;
}

TEST(PageDeltaTexts, EveryStringIsFoundWithItsBytes) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    for (const Encoding encoding : {Encoding::delta_lengths, Encoding::delta_bytes})
      for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 129u, 9000u}) {
        SCOPED_TRACE(count);
        ChunkWriter writer(Compression::snappy, batch::snappy_compressed);
        Texts expected;
        for (const Texts& texts :
             {some_texts(count, 1), related_texts(count + 7, 2), Texts(5), Texts(40, "same")}) {
          writer.add(page_of(texts, encoding));
          expected.insert(expected.end(), texts.begin(), texts.end());
        }
        ASSERT_NO_FATAL_FAILURE(expect_texts(device, *writer.finish(), expected));
      }
  });
}

// A dictionary that was given up, and then every other encoding in turn.
TEST(PageDeltaTexts, PagesOfEveryEncodingMayBeInOneChunk) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    ChunkWriter writer;
    Texts expected;
    std::uint32_t seed = 0;
    for (const Encoding encoding :
         {Encoding::plain, Encoding::delta_bytes, Encoding::delta_lengths, Encoding::delta_bytes}) {
      const Texts texts = related_texts(100, seed++);
      writer.add(page_of(texts, encoding));
      expected.insert(expected.end(), texts.begin(), texts.end());
    }
    expect_texts(device, *writer.finish(), expected);
  });
}

// A prefix may end within a character, which the rest completes.
TEST(PageDeltaTexts, AStringMayShareAPartOfACharacter) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    const Texts texts = {"\xe6\x97\xa5", "\xe6\x97\xa6", "\xe6\x97\xa6", "\xe6\x96\x87x"};
    ChunkWriter writer;
    writer.add(text_page(4, chained_texts(texts, {0, 2, 3, 1}), Encoding::delta_bytes));
    expect_texts(device, *writer.finish(), texts);
  });
}

// Strings that grow byte by byte share with all before them.
TEST(PageDeltaTexts, ChainsOverManyWindowsArePutTogether) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    Texts texts;
    std::string text;
    for (std::uint32_t i = 0; i < 300; i++)
      texts.push_back(text += static_cast<char>('a' + i % 26));
    for (std::uint32_t i = 0; i < 300; i++) texts.push_back(texts[299 - i]);
    for (std::uint32_t i = 0; i < 200; i++)
      texts.push_back(texts[i].substr(0, i) + static_cast<char>('A' + i % 26));
    ChunkWriter writer;
    writer.add(page_of(texts, Encoding::delta_bytes));
    expect_texts(device, *writer.finish(), texts);
  });
}

void expect_text_fault(std::uint32_t count, const PageBytes& bytes, Encoding encoding, Code code,
                       const std::string& message) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    ChunkWriter writer;
    writer.add(page_of({"good"}, encoding));
    writer.add(text_page(count, bytes, encoding));
    std::optional<PageFault> fault;
    const auto texts = found_texts(device, *writer.finish(), fault);
    ASSERT_TRUE(texts.ok()) << texts.status().text();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->page, 1u);
    EXPECT_EQ(fault->status.code(), code);
    EXPECT_EQ(fault->status.message(), message);
  });
}

PageBytes lengths_and_bytes(const std::vector<std::uint64_t>& lengths, std::size_t byte_count) {
  PageBytes bytes = deltas(lengths, true);
  bytes.resize(bytes.size() + byte_count, 'a');
  return bytes;
}

TEST(PageDeltaTexts, LengthsThatAreNotThoseOfTheBytesAreAnError) {
  for (const std::size_t bytes : {9u, 11u})
    expect_text_fault(3, lengths_and_bytes({5, 2, 3}, bytes), Encoding::delta_lengths,
                      Code::corrupt,
                      "byte 0 of the page: the lengths of strings do not add up to the bytes of "
                      "the page");
}
TEST(PageDeltaTexts, ANegativeLengthIsAnError) {
  expect_text_fault(3, lengths_and_bytes({5, 0xfffffffe, 2}, 5), Encoding::delta_lengths,
                    Code::corrupt, "byte 0 of the page: a negative length of a string");
}
TEST(PageDeltaTexts, ALengthOf16MiBIsAnError) {
  expect_text_fault(2, lengths_and_bytes({5, 1 << 24}, 5), Encoding::delta_lengths,
                    Code::unsupported,
                    "byte 0 of the page: a string of 16 MiB or more, which the host decodes");
}
TEST(PageDeltaTexts, AnotherNumberOfLengthsIsAnError) {
  expect_text_fault(2, lengths_and_bytes({1, 1, 1}, 3), Encoding::delta_lengths, Code::corrupt,
                    "byte 5 of the page: an invalid header of DELTA_BINARY_PACKED");
}
TEST(PageDeltaTexts, AFirstStringThatSharesIsAnError) {
  PageBytes bytes = deltas({1, 0}, true);
  append(bytes, texts_after_lengths({"ab", "c"}));
  expect_text_fault(2, bytes, Encoding::delta_bytes, Code::corrupt,
                    "byte 0 of the page: a string shares more than the one before it has");
}
TEST(PageDeltaTexts, AStringThatSharesTooMuchIsAnErrorWhereverItIs) {
  for (const std::size_t at : {1u, 31u, 32u, 33u, 64u, 99u}) {
    std::vector<std::uint64_t> shared(100, 1);
    shared[0] = 0;
    shared[at] = 3;
    PageBytes bytes = deltas(shared, true);
    append(bytes, texts_after_lengths(Texts(100, "x")));
    expect_text_fault(100, bytes, Encoding::delta_bytes, Code::corrupt,
                      "byte 0 of the page: a string shares more than the one before it has");
  }
}
TEST(PageDeltaTexts, StringsPutTogetherAreCheckedToBeUtf8) {
  const Texts texts = {"\xe6\x97\xa5", "\xe6\x97x", "good"};
  expect_text_fault(3, chained_texts(texts), Encoding::delta_bytes, Code::corrupt,
                    "value 1 of the page: a string that is not valid UTF-8");
}

// A page of few bytes may claim any number of bytes: memory is not asked for before they are known
// to be few enough.
TEST(PageDeltaTexts, StringsThatGrowWithoutEndAreRefused) {
  std::vector<std::uint64_t> shared = {0};
  Texts suffixes = {std::string(1 << 20, 'x')};
  for (std::uint64_t i = 0; i < 1100; i++) {
    shared.push_back((1 << 20) + i);
    suffixes.push_back("y");
  }
  PageBytes bytes = deltas(shared, true);
  append(bytes, texts_after_lengths(suffixes));
  expect_text_fault(1101, bytes, Encoding::delta_bytes, Code::unsupported,
                    "byte 0 of the page: strings that together have 1 GiB or more, which the host "
                    "decodes");
}

// Every cut is an error, and every changed byte an error or strings.
void expect_texts_or_ends(const std::shared_ptr<Device>& device, std::size_t step) {
  for (const Encoding encoding : {Encoding::delta_lengths, Encoding::delta_bytes}) {
    const Texts texts = related_texts(70, 3);
    const PageBytes whole = encoded_texts(texts, encoding);
    for (std::size_t at = 0; at < whole.size(); at += step)
      for (const bool is_cut : {false, true}) {
        PageBytes bytes(whole.begin(), whole.begin() + (is_cut ? at : whole.size()));
        if (!is_cut) bytes[at] ^= static_cast<std::uint8_t>(1 + at % 255);
        ChunkWriter writer;
        writer.add(text_page(70, bytes, encoding));
        std::optional<PageFault> fault;
        const auto found = found_texts(device, *writer.finish(), fault);
        ASSERT_TRUE(found.ok()) << found.status().text();
        EXPECT_TRUE(fault || !is_cut) << at;
        EXPECT_TRUE(fault || found->size() == 70) << at;
      }
  }
}

TEST(PageDeltaTexts, EveryCutAndChangedByteEndsInAnErrorOrInStrings) {
  on_each_page_device(
      [](const std::shared_ptr<Device>& device) { expect_texts_or_ends(device, 1); });
}

TEST(PageDeltaTexts, DamageReadsNothingOutside) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const auto& device : page_devices_on_host())
    ASSERT_NO_FATAL_FAILURE(expect_texts_or_ends(device, 29));
}

Texts big_endian_texts(const Rows& rows, std::uint32_t width) {
  Texts texts;
  for (const auto& row : rows) {
    const auto number = static_cast<std::int64_t>(*row);
    std::uint32_t bytes = width;
    for (bytes = std::max(bytes, 1u); width == 0 && bytes < 8; bytes++)
      if (number >> (8 * bytes - 1) == 0 || number >> (8 * bytes - 1) == -1) break;
    std::string text;
    for (std::uint32_t i = bytes; i-- > 0;)
      text += static_cast<char>(i >= 8 ? number >> 63 : number >> 8 * i);
    texts.push_back(text);
  }
  return texts;
}

TEST(PageDeltaTexts, DecimalsOfBytesAreNumbers) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    std::vector<TestColumn> columns;
    for (const std::uint32_t width : {0u, 5u, 16u})
      for (const Encoding encoding :
           {Encoding::plain, Encoding::delta_lengths, Encoding::delta_bytes}) {
        if (width != 0 && encoding != Encoding::delta_bytes) continue;
        TestColumn made;
        made.column =
            column_of(Kind::decimal, width == 0 ? Physical::byte_array : Physical::fixed_bytes,
                      false, Conversion::big_endian, width == 0 ? 8 : width);
        made.rows = rows_of(
            column_of(Kind::decimal, Physical::fixed_bytes, false, Conversion::big_endian, 4), 500,
            Nulls::none, 90, width);
        ChunkWriter writer;
        writer.add(page_of(big_endian_texts(made.rows, width), encoding));
        made.column.fixed_bytes = width;
        made.chunks = {writer.finish()};
        columns.push_back(std::move(made));
      }
    expect_rows(device, columns);
  });
}

TEST(PageDeltaTexts, ADecimalThatDoesNotFitIsAnError) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    for (const std::uint32_t width : {0u, 4u}) {
      TestColumn made;
      made.column =
          column_of(Kind::decimal, width == 0 ? Physical::byte_array : Physical::fixed_bytes, false,
                    Conversion::big_endian, width);
      ChunkWriter writer;
      // Values of nine bytes, and of another length than the type's.
      writer.add(
          page_of({std::string(4, '\1'), "\1" + std::string(8, '\0')}, Encoding::delta_bytes));
      made.chunks = {writer.finish()};
      const auto table = decode_pages(device, {made});
      ASSERT_TRUE(table.ok()) << table.status().text();
      ASSERT_TRUE(table->fault);
      EXPECT_EQ(table->fault->status.message(),
                "value 1 of the page: a DECIMAL value outside its precision");
    }
  });
}

}  // namespace
}  // namespace penstock::pages
