// Damaged pages: each is an error of the right page, or the values that it says, on every device,
// and under the sanitizers of the host executor.
#include <gtest/gtest.h>

#include "chunk_references.hpp"
#include "on_device/codec/page_columns.hpp"

namespace penstock::pages {
namespace {

// A chunk of three pages, the second of which has the given values.
TestColumn with_middle(const PagedColumn& column, const EncodedPage& middle,
                       const std::vector<std::uint64_t>& entries = {1, 2, 3}) {
  TestColumn made;
  made.column = column;
  ChunkWriter writer;
  writer.add_dictionary(column, entries);
  const Rows rows(60, 2);
  writer.add(encoded_page(column, {}, rows, entries));
  writer.add(middle);
  writer.add(encoded_page(column, {}, rows, entries));
  made.chunks = {writer.finish()};
  return made;
}

EncodedPage page_with(Encoding encoding, std::uint32_t value_count, const PageBytes& values,
                      const PageBytes& levels = {}) {
  EncodedPage page;
  page.page.encoding = encoding;
  page.page.value_count = value_count;
  page.values = values;
  page.levels = levels;
  return page;
}

void expect_fault(const EncodedPage& page, Physical physical, bool is_optional, Code code,
                  const std::string& message) {
  on_each_page_device([&](const std::shared_ptr<Device>& device) {
    const auto column = column_of(Kind::int64, physical, is_optional);
    const auto table = decode_pages(device, {with_middle(column, page)});
    ASSERT_TRUE(table.ok()) << table.status().text();
    ASSERT_TRUE(table->fault);
    EXPECT_EQ(table->fault->page, 1u);
    EXPECT_EQ(table->fault->chunk, 0u);
    EXPECT_EQ(table->fault->status.code(), code);
    EXPECT_EQ(table->fault->status.message(), message);
  });
}

TEST(PageDamage, APlainPageThatEndsEarlyIsAnError) {
  expect_fault(page_with(Encoding::plain, 10, PageBytes(79)), Physical::int64, false,
               Code::truncated, "byte 79 of the page: the page ends before its last value");
}
TEST(PageDamage, AnIndexOutsideTheDictionaryIsAnError) {
  expect_fault(page_with(Encoding::dictionary, 8, {2, 3, 0b00'00'00'00, 0b00'11'00'00}),
               Physical::int64, false, Code::corrupt,
               "value 6 of the page: an index outside the dictionary page");
}
TEST(PageDamage, ARepeatedIndexOutsideTheDictionaryIsAnError) {
  expect_fault(page_with(Encoding::dictionary, 8, {2, 16, 3}), Physical::int64, false,
               Code::corrupt, "byte 1 of the page: an index outside the dictionary");
}
TEST(PageDamage, IndicesOf33BitsAreAnError) {
  expect_fault(page_with(Encoding::dictionary, 8, {33, 16, 0}), Physical::int64, false,
               Code::corrupt, "byte 0 of the page: dictionary indices of more than 32 bits");
}
TEST(PageDamage, ARunPastThePageIsAnError) {
  expect_fault(page_with(Encoding::dictionary, 16, {2, 5, 0, 0, 0}), Physical::int64, false,
               Code::truncated, "byte 1 of the page: a run ends past the page's last byte");
}
TEST(PageDamage, ARunOfNoValuesIsAnError) {
  expect_fault(page_with(Encoding::dictionary, 16, {2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
               Physical::int64, false, Code::corrupt, "byte 1 of the page: an invalid run header");
}
TEST(PageDamage, LevelsPastThePageAreAnError) {
  expect_fault(page_with(Encoding::plain, 1, PageBytes(8), {200, 0, 0, 0}), Physical::int64, true,
               Code::truncated,
               "byte 0 of the page: the definition levels end past the page's last byte");
}
TEST(PageDamage, TooFewLevelsAreAnError) {
  expect_fault(page_with(Encoding::plain, 9, PageBytes(72), {2, 0, 0, 0, 16, 1}), Physical::int64,
               true, Code::truncated,
               "byte 6 of the page: the definition levels end before those of the last value");
}
TEST(PageDamage, ALevelAboveOneIsAnError) {
  expect_fault(page_with(Encoding::plain, 8, PageBytes(64), {2, 0, 0, 0, 16, 2}), Physical::int64,
               true, Code::corrupt, "byte 4 of the page: a definition level above 1");
}
TEST(PageDamage, DifferencesOfTooManyBitsAreAnError) {
  expect_fault(page_with(Encoding::delta, 3, {128, 1, 4, 3, 0, 0, 65, 0, 0, 0}), Physical::int64,
               false, Code::corrupt,
               "byte 6 of the page: an invalid header of DELTA_BINARY_PACKED");
}
TEST(PageDamage, BlocksOf64DifferencesAreAnError) {
  expect_fault(page_with(Encoding::delta, 3, {64, 2, 3, 0, 0, 0, 0}), Physical::int64, false,
               Code::corrupt, "byte 4 of the page: an invalid header of DELTA_BINARY_PACKED");
}
// Arrow and DuckDB refuse it, too.
TEST(PageDamage, ALastMiniblockWithoutItsPaddingIsAnError) {
  PageBytes page{128, 1, 4, 3, 0, 0, 8, 0, 0, 0};
  page.resize(page.size() + 31);
  expect_fault(page_with(Encoding::delta, 3, page), Physical::int64, false, Code::truncated,
               "byte 10 of the page: DELTA_BINARY_PACKED ends before the last value");
}
TEST(PageDamage, StreamsOfAnotherSizeAreAnError) {
  expect_fault(page_with(Encoding::byte_streams, 3, PageBytes(25)), Physical::int64, false,
               Code::corrupt,
               "byte 0 of the page: the size does not fit BYTE_STREAM_SPLIT and the value count");
}

// The kernel of such a column does not look at validity.
TEST(PageDamage, ANullThatTheStatisticsDenyIsAnErrorOfItsPage) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::int64, Physical::int64, true);
    Rows rows(40, 5);
    rows[25] = std::nullopt;
    made.chunks = {chunk_of(made.column, rows, {{.encoding = Encoding::plain}}, {10})};
    for (const bool denies : {false, true}) {
      made.column.denies_nulls = denies;
      const auto table = decode_pages(device, {made});
      ASSERT_TRUE(table.ok());
      ASSERT_EQ(table->fault.has_value(), denies);
      if (!denies) continue;
      EXPECT_EQ(table->fault->page, 2u);
      EXPECT_EQ(table->fault->status.message(),
                "the page has NULLs that the column's statistics deny");
    }
  });
}

TEST(PageDamage, TheFirstPageThatIsDamagedIsNamed) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    const auto column = column_of(Kind::int64, Physical::int64, false);
    TestColumn first, second;
    first.column = second.column = column;
    const auto damaged = [&](std::uint32_t page) {
      ChunkWriter writer(Compression::snappy, batch::snappy_compressed);
      for (std::uint32_t i = 0; i < 4; i++)
        writer.add(i >= page ? page_with(Encoding::plain, 10, PageBytes(3))
                             : encoded_page(column, {}, Rows(10, 5), {}));
      return writer.finish();
    };
    first.chunks = {damaged(4), damaged(2)};
    second.chunks = {damaged(0), damaged(1)};
    const auto table = decode_pages(device, {first, second});
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(table->fault);
    EXPECT_EQ(table->fault->column, 0u);
    EXPECT_EQ(table->fault->chunk, 1u);
    EXPECT_EQ(table->fault->page, 2u);
  });
}

TEST(PageDamage, APageOfAnotherSizeThanItsHeaderSaysIsAnError) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    for (const int more : {-8, 8}) {
      TestColumn made;
      made.column = column_of(Kind::int64, Physical::int64, false);
      ChunkWriter writer(Compression::snappy, batch::snappy_compressed);
      writer.add(encoded_page(made.column, {}, Rows(10, 5), {}));
      made.chunks = {writer.finish()};
      std::uint32_t& bytes = made.chunks[0]->data[0].bytes;
      bytes = static_cast<std::uint32_t>(static_cast<int>(bytes) + more);
      const auto table = decode_pages(device, {made});
      ASSERT_TRUE(table.ok());
      ASSERT_TRUE(table->fault);
      EXPECT_EQ(table->fault->status.code(), Code::corrupt);
      EXPECT_NE(table->fault->status.message().find("decompresses to"), std::string::npos)
          << table->fault->status.message();
    }
  });
}

TEST(PageDamage, ADamagedDictionaryIsNamed) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    const auto fault_of = [&](const PagedColumn& column, std::uint32_t entry_count) {
      TestColumn made;
      made.column = column;
      ChunkWriter writer(Compression::snappy, batch::snappy_compressed);
      writer.add_dictionary(column, {1000, 2000});
      writer.add(encoded_page(column, {}, Rows(10, 1000), {}));
      made.chunks = {writer.finish()};
      made.chunks[0]->dictionary->value_count = entry_count;
      const auto table = decode_pages(device, {made});
      return table.ok() ? table->fault : std::nullopt;
    };
    for (const auto& column :
         {column_of(Kind::int64, Physical::int64, false),
          column_of(Kind::timestamp, Physical::int64, false, Conversion::milliseconds)}) {
      EXPECT_FALSE(fault_of(column, 2));
      const auto fault = fault_of(column, 3);
      ASSERT_TRUE(fault);
      EXPECT_EQ(fault->page, ~std::uint32_t{0});
      EXPECT_EQ(fault->status.message(),
                "byte 16 of the page: the page ends before its last value");
    }
  });
}

// Memory is not asked for by what a header claims alone.
TEST(PageDamage, APageThatClaimsMoreThanItCanBecomeIsRefusedBeforeItIsUploaded) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::int64, Physical::int64, false);
    ChunkWriter writer(Compression::snappy, batch::snappy_compressed);
    writer.add(encoded_page(made.column, {}, Rows(1000, 5), {}));
    made.chunks = {writer.finish()};
    made.chunks[0]->data[0].bytes = 0x7fff0000;
    const auto table = decode_pages(device, {made});
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(table->fault);
    EXPECT_EQ(table->fault->page, 0u);
    EXPECT_EQ(table->fault->status.message(),
              "the page claims more bytes than its compression can make");
  });
}

TEST(PageDamage, ATimestampThatIsNotExactIsAnError) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::timestamp, Physical::int64, false, Conversion::nanoseconds);
    ChunkWriter writer;
    PageBytes values;
    for (std::uint64_t i = 0; i < 20; i++) append_bytes(values, i < 13 ? i * 1000 : i, 8);
    writer.add(page_with(Encoding::plain, 20, values));
    made.chunks = {writer.finish()};
    const auto table = decode_pages(device, {made});
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE(table->fault);
    EXPECT_EQ(table->fault->status.code(), Code::unsupported);
    EXPECT_EQ(table->fault->status.message(),
              "value 13 of the page: a timestamp that is not a whole number of microseconds");
  });
}

// The entries of a dictionary, and the values of pages.
TEST(PageDamage, AnIntegerOutsideItsTypeIsAnError) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    const auto fault_of = [&](Kind kind, std::uint64_t value, const PageStyle& style) {
      TestColumn made;
      made.column = column_of(kind, Physical::int32, false);
      made.rows = Rows(100, 5);
      made.rows[70] = value;
      made.chunks = {chunk_of(made.column, made.rows, {style}, {100})};
      const auto table = decode_pages(device, {made});
      return !table.ok() ? table.status() : table->fault ? table->fault->status : Status();
    };
    for (const Encoding encoding :
         {Encoding::plain, Encoding::dictionary, Encoding::delta, Encoding::byte_streams}) {
      const PageStyle style{.encoding = encoding};
      for (const auto& [kind, inside, outside] :
           {std::tuple(Kind::int8, -128, 128), std::tuple(Kind::uint8, 255, -1),
            std::tuple(Kind::int16, 32767, -32769), std::tuple(Kind::uint16, 65535, 65536)}) {
        EXPECT_OK(fault_of(kind, static_cast<std::uint32_t>(inside), style));
        EXPECT_EQ(fault_of(kind, static_cast<std::uint32_t>(outside), style).message(),
                  "value " + std::string(encoding == Encoding::dictionary ? "1" : "70") +
                      " of the page: a value outside the column's type");
      }
    }
  });
}

// Many damaged columns, each a chunk with one page of each encoding, at once: a fault of one would
// hide the others, so each is a table of its own, and only its end is looked at.
void expect_ends(const std::shared_ptr<Device>& device, std::uint32_t step) {
  const auto column = column_of(Kind::int64, Physical::int64, true);
  std::mt19937 random(step);
  std::uint32_t faults = 0, tables = 0;
  for (const bool is_v2 : {false, true}) {
    const Rows rows = rows_of(column, 180, Nulls::many_runs, 20, 4);
    std::vector<PageStyle> styles;
    for (const Encoding encoding :
         {Encoding::plain, Encoding::dictionary, Encoding::delta, Encoding::byte_streams})
      styles.push_back({encoding, RunStyle::mixed, RunStyle::mixed, is_v2});
    const auto whole = chunk_of(column, rows, styles, {45});
    for (std::size_t page = 0; page < styles.size(); page++)
      for (auto at = static_cast<std::uint32_t>(random() % step); at < whole->data[page].bytes;
           at += step) {
        for (const bool is_cut : {false, true}) {
          auto chunk = std::make_shared<ChunkPages>(*whole);
          if (is_cut) {
            Page& cut = chunk->data[page];
            cut.bytes = cut.stored_bytes = std::max(at, cut.level_bytes);
          } else {
            PageBytes bytes(whole->bytes.size() + 16);
            std::memcpy(bytes.data(), whole->bytes.data(), whole->bytes.size());
            bytes[whole->data[page].offset + at] ^= static_cast<std::uint8_t>(1 + random() % 255);
            auto kept = std::make_shared<PageBytes>(std::move(bytes));
            chunk->memory = {kept, reinterpret_cast<std::byte*>(kept->data())};
            chunk->bytes = {chunk->memory.get(), whole->bytes.size()};
          }
          TestColumn made{column, {chunk}, {}};
          const auto table = decode_pages(device, {made});
          ASSERT_TRUE(table.ok()) << table.status().text();
          tables++;
          if (!table->fault) continue;
          faults++;
          ASSERT_EQ(table->fault->page, page) << table->fault->status.text();
        }
      }
  }
  EXPECT_GT(faults, tables / 4);
}

TEST(PageDamage, EveryCutAndChangedByteEndsInAnErrorOfItsPageOrInValues) {
  on_each_page_device([](const std::shared_ptr<Device>& device) { expect_ends(device, 1); });
}

TEST(PageDamage, DamageReadsNothingOutside) {
  if (!kernel::HostProgram::finds_races()) GTEST_SKIP() << "clang is not installed";
  for (const auto& device : page_devices_on_host())
    ASSERT_NO_FATAL_FAILURE(expect_ends(device, 97));
}

}  // namespace
}  // namespace penstock::pages
