// Chunks of pages: compressions, dictionaries that end early, strings, and columns of many chunks,
// decoded on every device.
#include <gtest/gtest.h>

#include "on_device/codec/page_columns.hpp"
#include "zstd_reference.hpp"

namespace penstock::pages {
namespace {

PageBytes zstd_page(const PageBytes& page) { return batch::zstd_reference().compressed(page); }
PageBytes lz4_page(const PageBytes& page) { return batch::lz4_compressed(page, 0); }
PageBytes gzip_page(const PageBytes& page) {
  return batch::deflate_compressed(page, {.window = batch::gzip_window});
}
// Two members, which gzip's readers take for one output.
PageBytes gzip_members(const PageBytes& page) {
  const auto middle = page.begin() + static_cast<std::ptrdiff_t>(page.size() / 2);
  PageBytes made = gzip_page({page.begin(), middle});
  append(made, gzip_page({middle, page.end()}));
  return made;
}

struct Codec {
  Compression compression;
  Compress compress;
};
std::vector<Codec> all_codecs() {
  return {{Compression::snappy, batch::snappy_compressed},
          {Compression::gzip, gzip_page},
          {Compression::gzip, gzip_members},
          {Compression::zstandard, zstd_page},
          {Compression::lz4_raw, lz4_page}};
}

TEST(PageChunks, PagesOfEveryCompressionHaveTheirValues) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    for (const Codec& codec : all_codecs()) {
      std::vector<TestColumn> columns;
      for (const bool is_v2 : {false, true})
        for (const bool is_optional : {false, true}) {
          TestColumn made;
          made.column = column_of(Kind::int64, Physical::int64, is_optional);
          made.rows = rows_of(made.column, 20'000, is_optional ? Nulls::some : Nulls::none, 100, 3);
          const PageStyle coded{Encoding::dictionary, RunStyle::arrow, RunStyle::arrow, is_v2};
          const PageStyle plain{Encoding::plain, RunStyle::arrow, RunStyle::arrow, is_v2};
          made.chunks = {chunk_of(made.column, made.rows, {coded, plain}, {6000},
                                  ChunkWriter(codec.compression, codec.compress))};
          columns.push_back(std::move(made));
        }
      ASSERT_NO_FATAL_FAILURE(expect_rows(device, columns)) << int(codec.compression);
    }
  });
}

// A page of version 2 may say that it is not compressed, and one of NULLs has nothing to compress.
TEST(PageChunks, PagesThatAreNotCompressedInACompressedChunkAreCopied) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::int32, Physical::int32, true);
    made.rows = rows_of(made.column, 30'000, Nulls::some, 5000, 1);
    ChunkWriter writer(Compression::snappy, batch::snappy_compressed);
    const PageStyle style{.is_v2 = true};
    for (std::size_t at = 0; at < made.rows.size(); at += 10'000)
      writer.add(encoded_page(made.column, style,
                              Rows(made.rows.begin() + static_cast<std::ptrdiff_t>(at),
                                   made.rows.begin() + static_cast<std::ptrdiff_t>(at + 10'000)),
                              {}),
                 at == 10'000);
    writer.add(encoded_page(made.column, style, Rows(77), {}));
    made.rows.resize(made.rows.size() + 77);
    made.chunks = {writer.finish()};
    expect_rows(device, {made});
  });
}

TEST(PageChunks, ManyChunksOfAColumnAreReadInOrder) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    std::vector<TestColumn> columns;
    for (const bool is_optional : {false, true}) {
      TestColumn made;
      made.column = column_of(Kind::int32, Physical::int32, is_optional);
      for (std::uint32_t i = 0; i < 7; i++) {
        const Nulls nulls = !is_optional || i % 3 == 0 ? Nulls::none
                            : i % 3 == 1               ? Nulls::all
                                                       : Nulls::many_runs;
        const Rows rows = rows_of(made.column, i == 4 ? 0 : 3000 + i, nulls, 300 + i, i);
        made.chunks.push_back(chunk_of(made.column, rows,
                                       {{Encoding::dictionary}, {Encoding::delta}, {}}, {700, 65}));
        made.rows.insert(made.rows.end(), rows.begin(), rows.end());
      }
      columns.push_back(std::move(made));
    }
    expect_rows(device, columns);
  });
}

// More values than a slice, so that several warps share the page.
TEST(PageChunks, LargePagesAreSharedWithoutAGap) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    std::vector<TestColumn> columns;
    for (const RunStyle runs :
         {RunStyle::arrow, RunStyle::repeated, RunStyle::mixed, RunStyle::cut})
      for (const Encoding encoding : {Encoding::dictionary, Encoding::byte_streams}) {
        TestColumn made;
        made.column = column_of(Kind::int32, Physical::int32, true);
        made.rows = rows_of(made.column, 100'000, Nulls::many_runs, 300, 9);
        if (runs == RunStyle::repeated) std::sort(made.rows.begin(), made.rows.end());
        made.chunks = {chunk_of(made.column, made.rows, {{encoding, runs, runs}}, {100'000})};
        columns.push_back(std::move(made));
      }
    expect_rows(device, columns);
  });
}

TEST(PageChunks, StringsAreTheCodesOfTheirDictionary) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    const PagedColumn numbers = column_of(Kind::int32, Physical::int32, true);
    made.column = column_of(Kind::string, Physical::byte_array, true);
    made.rows = rows_of(numbers, 5000, Nulls::some, 1000, 5);
    const auto chunk = chunk_of(numbers, made.rows, {{Encoding::dictionary}}, {900});
    auto codes = std::make_shared<std::vector<std::uint32_t>>();
    for (const std::uint64_t entry : distinct_values(made.rows))
      codes->push_back(static_cast<std::uint32_t>(entry));
    chunk->dictionary_codes = codes;
    made.chunks = {chunk};
    expect_rows(device, {made});
  });
}

TEST(PageChunks, ADictionaryWithoutEntriesServesNulls) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::int64, Physical::int64, true);
    made.rows = Rows(500);
    made.chunks = {chunk_of(made.column, made.rows, {{Encoding::dictionary}}, {100})};
    expect_rows(device, {made});
  });
}

TEST(PageChunks, AColumnWithoutRowsIsEmpty) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::int64, Physical::int64, true);
    made.chunks = {ChunkWriter().finish()};
    expect_rows(device, {made, made});
  });
}

TEST(PageChunks, DictionaryIndicesOf32BitsAreRead) {
  on_each_page_device([](const std::shared_ptr<Device>& device) {
    TestColumn made;
    made.column = column_of(Kind::int32, Physical::int32, false);
    ChunkWriter writer;
    writer.add_dictionary(made.column, {7, 8, 9});
    EncodedPage page;
    page.page.encoding = Encoding::dictionary;
    page.page.value_count = 40;
    std::vector<std::uint64_t> indices;
    for (std::uint32_t i = 0; i < 40; i++) {
      indices.push_back(i % 3);
      made.rows.push_back(7 + i % 3);
    }
    page.values = {32};
    append(page.values, hybrid(indices, 32, RunStyle::mixed));
    writer.add(page);
    made.chunks = {writer.finish()};
    expect_rows(device, {made});
  });
}

}  // namespace
}  // namespace penstock::pages
