#include <arrow/io/memory.h>
#include <arrow/util/config.h>
#include <parquet/column_page.h>
#include <parquet/column_reader.h>
#include <parquet/file_reader.h>

#include <algorithm>

#include "codec/pages/page_stream.hpp"
#include "host/io/arrow_files.hpp"
#include "host/io/io_files.hpp"

namespace penstock {
namespace {

using namespace test;
using pages::ChunkPages;
using pages::Encoding;
using pages::Page;

// Arrow's reader of a chunk's pages, which does not decompress them.
std::unique_ptr<parquet::PageReader> stored_pages(const std::string& file,
                                                  parquet::RowGroupReader& group, int column) {
  const auto chunk = group.metadata()->ColumnChunk(column);
  std::int64_t begin = chunk->data_page_offset();
  if (chunk->has_dictionary_page()) begin = std::min(begin, chunk->dictionary_page_offset());
  auto input = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file.substr(
      static_cast<std::size_t>(begin), static_cast<std::size_t>(chunk->total_compressed_size()))));
#if ARROW_VERSION_MAJOR >= 25
  return parquet::PageReader::Open(
      std::move(input), chunk->num_values(), parquet::Compression::UNCOMPRESSED,
      parquet::default_reader_properties(), *group.metadata()->schema()->Column(column));
#else
  return parquet::PageReader::Open(std::move(input), chunk->num_values(),
                                   parquet::Compression::UNCOMPRESSED,
                                   parquet::default_reader_properties());
#endif
}

int number_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::plain: return parquet::Encoding::PLAIN;
    case Encoding::dictionary: return parquet::Encoding::RLE_DICTIONARY;
    case Encoding::rle: return parquet::Encoding::RLE;
    case Encoding::delta: return parquet::Encoding::DELTA_BINARY_PACKED;
    case Encoding::delta_lengths: return parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY;
    case Encoding::delta_bytes: return parquet::Encoding::DELTA_BYTE_ARRAY;
    case Encoding::byte_streams: return parquet::Encoding::BYTE_STREAM_SPLIT;
  }
  return -1;
}

std::string_view body_of(const ChunkPages& chunk, const Page& page) {
  return {reinterpret_cast<const char*>(chunk.bytes.data()) + page.offset, page.stored_bytes};
}

std::string_view bytes_of(const parquet::Page& page) {
  return {reinterpret_cast<const char*>(page.data()), static_cast<std::size_t>(page.size())};
}

void expect_data_page(const ChunkPages& chunk, const Page& page, const parquet::Page& arrow_page) {
  const auto& data = static_cast<const parquet::DataPage&>(arrow_page);
  EXPECT_EQ(page.value_count, static_cast<std::uint32_t>(data.num_values()));
  EXPECT_EQ(page.bytes, static_cast<std::uint32_t>(data.uncompressed_size()));
  const int encoding = data.encoding() == parquet::Encoding::PLAIN_DICTIONARY
                           ? parquet::Encoding::RLE_DICTIONARY
                           : data.encoding();
  EXPECT_EQ(number_of(page.encoding), encoding);
  EXPECT_EQ(body_of(chunk, page), bytes_of(arrow_page));
  ASSERT_EQ(page.is_v2, arrow_page.type() == parquet::PageType::DATA_PAGE_V2);
  if (!page.is_v2) return;
  const auto& v2 = static_cast<const parquet::DataPageV2&>(arrow_page);
  EXPECT_EQ(page.level_bytes, static_cast<std::uint32_t>(v2.definition_levels_byte_length()));
  if (chunk.compression != pages::Compression::none && page.is_compressed != v2.is_compressed()) {
    EXPECT_EQ(page.stored_bytes, page.level_bytes);
  }
}

void expect_pages_of_arrow(const ChunkPages& chunk, parquet::PageReader& pages) {
  std::size_t data_pages = 0;
  bool has_dictionary = false;
  while (const auto page = pages.NextPage()) {
    if (page->type() == parquet::PageType::DICTIONARY_PAGE) {
      has_dictionary = true;
      ASSERT_TRUE(chunk.dictionary);
      const auto& dictionary = static_cast<const parquet::DictionaryPage&>(*page);
      EXPECT_EQ(chunk.dictionary->value_count, static_cast<std::uint32_t>(dictionary.num_values()));
      EXPECT_EQ(body_of(chunk, *chunk.dictionary), bytes_of(*page));
    } else {
      ASSERT_LT(data_pages, chunk.data.size());
      expect_data_page(chunk, chunk.data[data_pages++], *page);
    }
  }
  EXPECT_EQ(data_pages, chunk.data.size());
  EXPECT_EQ(has_dictionary, chunk.dictionary.has_value());
}

// Compares every chunk that can be read as pages; returns their number.
int expect_file_of_arrow(const std::string& path) {
  int compared = 0;
  const auto source = open_table(path);
  EXPECT_TRUE(source.ok());
  const auto table = (*source)->pages();
  const std::string bytes = read_file(path);
  const auto reader = parquet::ParquetFileReader::OpenFile(path);
  for (int g = 0; g < reader->metadata()->num_row_groups(); g++)
    for (std::uint32_t c = 0; c < table->columns().size(); c++) {
      const auto group_index = static_cast<std::uint32_t>(g);
      if (!table->why_not(c, group_index).empty()) continue;
      SCOPED_TRACE("column " + std::to_string(c) + ", row group " + std::to_string(g));
      const auto chunk = table->read(c, group_index, {});
      EXPECT_TRUE(chunk.ok()) << chunk.status().text();
      if (!chunk.ok()) continue;
      const auto group = reader->RowGroup(g);
      EXPECT_EQ(chunk->row_count, static_cast<std::uint32_t>(group->metadata()->num_rows()));
      if (chunk->row_count > 0)
        expect_pages_of_arrow(*chunk, *stored_pages(bytes, *group, static_cast<int>(c)));
      compared++;
    }
  return compared;
}

parquet::WriterProperties::Builder small_pages() {
  parquet::WriterProperties::Builder properties;
  properties.data_pagesize(60)->write_batch_size(64);
  return properties;
}

TEST(PagedFile, PagesAreThoseOfArrowForEveryCodecAndVersion) {
  using Codec = parquet::Compression;
  const Folder folder;
  for (const auto codec :
       {Codec::UNCOMPRESSED, Codec::SNAPPY, Codec::GZIP, Codec::ZSTD, Codec::LZ4})
    for (const auto version :
         {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2})
      for (const bool nulls : {false, true})
        for (const bool dictionaries : {false, true}) {
          auto properties = small_pages();
          properties.compression(codec)->data_page_version(version);
          dictionaries ? properties.enable_dictionary() : properties.disable_dictionary();
          properties.enable_page_checksum();
          write_by_arrow(folder / "t", *physical_types(2500, nulls), 1000, properties);
          EXPECT_GE(expect_file_of_arrow(folder / "t"), 3 * (dictionaries ? 9 : 8));
        }
}

TEST(PagedFile, PagesAreThoseOfArrowForEveryEncoding) {
  using Encodings = parquet::Encoding;
  const Folder folder;
  const auto written = [&](const std::string& column, Encodings::type encoding) {
    auto properties = small_pages();
    properties.disable_dictionary()->encoding(column, encoding);
    write_by_arrow(folder / "t", *physical_types(2500, true), 1000, properties);
    const auto source = open_table(folder / "t");
    const std::uint32_t index = *find_field((*source)->schema(), column);
    const auto chunk = (*source)->pages()->read(index, 1, {});
    ASSERT_TRUE(chunk.ok()) << chunk.status().text();
    EXPECT_GT(chunk->data.size(), 1u);
    EXPECT_EQ(number_of(chunk->data.at(0).encoding), encoding);
    EXPECT_GE(expect_file_of_arrow(folder / "t"), 3 * 8);
  };
  written("flag", Encodings::RLE);
  for (const char* column : {"i32", "i64", "millis"}) {
    written(column, Encodings::DELTA_BINARY_PACKED);
    written(column, Encodings::BYTE_STREAM_SPLIT);
  }
  for (const char* column : {"f32", "f64", "money"}) written(column, Encodings::BYTE_STREAM_SPLIT);
  written("text", Encodings::DELTA_LENGTH_BYTE_ARRAY);
  for (const char* column : {"text", "money"}) written(column, Encodings::DELTA_BYTE_ARRAY);
}

TEST(PagedFile, ChunksThatDevicesDoNotDecodeSayWhy) {
  const Folder folder;
  auto properties = small_pages();
  properties.disable_dictionary()->compression("i64", parquet::Compression::BROTLI);
  write_by_arrow(folder / "t", *physical_types(100, false), 100, properties);
  const auto source = open_table(folder / "t");
  const auto table = (*source)->pages();
  const auto why = [&](const char* name) {
    const std::uint32_t column = *find_field((*source)->schema(), name);
    EXPECT_EQ(table->read(column, 0, {}).status().code(), Code::unsupported);
    return table->why_not(column, 0);
  };
  EXPECT_EQ(why("i64"), "it is compressed by Brotli");
}

TEST(PagedFile, ADictionaryOfStringsHasArrowsEntries) {
  const Folder folder;
  for (const auto codec : {parquet::Compression::UNCOMPRESSED, parquet::Compression::SNAPPY,
                           parquet::Compression::ZSTD}) {
    auto properties = small_pages();
    properties.compression(codec);
    write_by_arrow(folder / "t", *physical_types(2500, true), 1000, properties);
    const auto source = open_table(folder / "t");
    const std::uint32_t column = *find_field((*source)->schema(), "text");
    const auto chunk = (*source)->pages()->read(column, 2, {});
    ASSERT_TRUE(chunk.ok());
    const auto strings = (*source)->pages()->dictionary_strings(column, *chunk);
    ASSERT_TRUE(strings.ok()) << strings.status().text();
    const auto reader = parquet::ParquetFileReader::OpenFile(folder / "t");
    const auto values = std::static_pointer_cast<parquet::ByteArrayReader>(
        reader->RowGroup(2)->ColumnWithExposeEncoding(static_cast<int>(column),
                                                      parquet::ExposedEncoding::DICTIONARY));
    std::int16_t levels[500];
    std::int32_t codes[500], count = 0;
    std::int64_t present = 0;
    const parquet::ByteArray* entries = nullptr;
    values->ReadBatchWithDictionary(500, levels, nullptr, codes, &present, &entries, &count);
    ASSERT_EQ(strings->row_count, static_cast<std::uint64_t>(count));
    for (std::uint64_t i = 0; i < strings->row_count; i++)
      EXPECT_EQ(strings->string(i), std::string_view(entries[i]));
  }
}

TEST(PagedFile, FilesAndRowGroupsWithoutRowsHaveNoPages) {
  const Folder folder;
  auto properties = small_pages();
  write_by_arrow(folder / "t", *physical_types(0, true), 100, properties);
  const auto source = open_table(folder / "t");
  const auto table = (*source)->pages();
  EXPECT_EQ(table->first_rows().back(), 0u);
  for (std::uint32_t g = 0; g + 1 < table->first_rows().size(); g++)
    for (std::uint32_t c = 0; c < table->columns().size(); c++) {
      ASSERT_EQ(table->why_not(c, g), "");
      const auto chunk = table->read(c, g, {});
      ASSERT_TRUE(chunk.ok()) << chunk.status().text();
      EXPECT_TRUE(chunk->data.empty());
    }
}

TEST(PagedFile, ChunksGoToTheMemoryGivenWithBytesToSpare) {
  const Folder folder;
  auto properties = small_pages();
  write_by_arrow(folder / "t", *physical_types(1000, false), 1000, properties);
  const auto source = open_table(folder / "t");
  std::uint64_t asked = 0;
  std::shared_ptr<std::byte> given;
  const auto chunk = (*source)->pages()->read(1, 0, [&](std::uint64_t bytes) {
    asked = bytes;
    return given =
               std::shared_ptr<std::byte>(new std::byte[bytes], std::default_delete<std::byte[]>());
  });
  ASSERT_TRUE(chunk.ok());
  EXPECT_EQ(chunk->memory, given);
  EXPECT_EQ(chunk->bytes.data(), given.get());
  EXPECT_GE(asked, chunk->bytes.size() + 16);
  EXPECT_EQ(chunk->bytes.size(), (*source)->pages()->chunks(1)[0].stored_bytes);
}

TEST(PagedFile, AStreamHasTheChunksOfAllRowGroups) {
  const Folder folder;
  auto properties = small_pages();
  write_by_arrow(folder / "t", *physical_types(5000, true), 300, properties);
  const auto source = open_table(folder / "t");
  const auto table = (*source)->pages();
  const std::vector<std::uint32_t> columns{2, 8, 0};
  std::vector<std::uint32_t> groups(table->first_rows().size() - 1);
  std::iota(groups.begin(), groups.end(), 0u);
  auto stream = pages::PageStream::open(
      table, columns, pages::plan_batches(*table, columns, groups, {30'000, 1 << 30, 1000}), {}, 4);
  ASSERT_TRUE(stream.ok());
  std::uint32_t group = 0;
  for (;;) {
    const auto batch = (*stream)->next();
    ASSERT_TRUE(batch.ok()) << batch.status().text();
    if (!*batch) break;
    for (std::size_t g = 0; g < (*batch)->groups.row_groups.size(); g++, group++)
      for (std::size_t c = 0; c < columns.size(); c++) {
        const auto alone = table->read(columns[c], group, {});
        ASSERT_TRUE(alone.ok());
        const ChunkPages& chunk = (*batch)->columns[c][g];
        EXPECT_EQ(chunk.row_group, group);
        EXPECT_TRUE(std::ranges::equal(chunk.bytes, alone->bytes));
        EXPECT_EQ(chunk.data.size(), alone->data.size());
      }
  }
  EXPECT_EQ(group, groups.size());
}

TEST(PagedFile, AFileCutAfterItWasOpenedIsTruncated) {
  const Folder folder;
  auto properties = small_pages();
  write_by_arrow(folder / "t", *physical_types(1000, false), 1000, properties);
  const auto source = open_table(folder / "t");
  std::filesystem::resize_file(folder / "t", 100);
  const auto chunk = (*source)->pages()->read(2, 0, {});
  EXPECT_EQ(chunk.status().code(), Code::truncated) << chunk.status().text();
}

TEST(PagedFile, ByPyarrowNestedColumnsAndWideDecimalsSayWhy) {
  const Folder folder;
  if (!by_pyarrow(folder / "t", R"(
t = pa.table({'l': pa.array([[1], [2]]), 's': pa.array([{'a': 1}, {'a': 2}]),
              'd': pa.array([decimal.Decimal(1), decimal.Decimal(2)], pa.decimal128(30, 2)),
              'b': pa.array([b'x', b'y']), 'i': pa.array([1, 2])})
pq.write_table(t, path)
)"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  const auto table = (*source)->pages();
  EXPECT_EQ(table->why_not(0, 0), "it is nested");
  EXPECT_EQ(table->why_not(1, 0), "it is nested");
  EXPECT_EQ(table->why_not(2, 0), "its decimals have more than 18 digits");
  EXPECT_EQ(table->why_not(3, 0), "its type is BLOB");
  EXPECT_EQ(table->why_not(4, 0), "");
}

// INT96 and Spark's layout of levels are what other writers make.
TEST(PagedFile, ByPyarrowTimestampsOfSparkAreInt96) {
  const Folder folder;
  if (!by_pyarrow(folder / "t", R"(
t = pa.table({'t': pa.array([datetime.datetime(2026, 1, 2), None], pa.timestamp('us'))})
pq.write_table(t, path, use_deprecated_int96_timestamps=True, use_dictionary=False)
)"))
    GTEST_SKIP() << "no pyarrow";
  const auto source = open_table(folder / "t");
  const auto& column = (*source)->pages()->columns()[0];
  EXPECT_EQ(column.physical, pages::Physical::int96);
  EXPECT_EQ(column.conversion, pages::Conversion::int96);
  EXPECT_EQ(expect_file_of_arrow(folder / "t"), 1);
}

}  // namespace
}  // namespace penstock
