// Page headers that no honest writer makes.
#include "io/parquet/page_headers.hpp"

#include <fcntl.h>

#include <random>

#include "base/file.hpp"
#include "codec/pages/paged_table.hpp"
#include "host/io/arrow_files.hpp"
#include "host/io/io_files.hpp"
#include "io/parquet/chunk_pages.hpp"

namespace penstock::io {
namespace {

using namespace test;
using Bytes = std::vector<std::byte>;

// Writes the compact protocol of Thrift.
class CompactWriter {
 public:
  CompactWriter& number(unsigned delta, std::int32_t value) {
    byte(delta << 4 | 5);
    return varint(static_cast<std::uint32_t>(value) << 1 ^ static_cast<std::uint32_t>(value >> 31));
  }
  CompactWriter& boolean(unsigned delta, bool value) { return byte(delta << 4 | (value ? 1 : 2)); }
  CompactWriter& begin(unsigned delta) { return byte(delta << 4 | 12); }
  CompactWriter& end() { return byte(0); }
  CompactWriter& byte(unsigned value) {
    bytes_.push_back(static_cast<std::byte>(value));
    return *this;
  }
  CompactWriter& varint(std::uint64_t value) {
    for (; value > 127; value >>= 7) byte(static_cast<unsigned>(value & 127) | 128);
    return byte(static_cast<unsigned>(value));
  }
  CompactWriter& body(std::size_t count) {
    bytes_.insert(bytes_.end(), count, std::byte{0});
    return *this;
  }
  CompactWriter& operator+=(const CompactWriter& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

CompactWriter sizes(std::int32_t kind, std::int32_t bytes, std::int32_t stored) {
  return CompactWriter().number(1, kind).number(1, bytes).number(1, stored);
}

// Pages with their bodies, of zeros.
CompactWriter data_page(std::int32_t values, std::int32_t bytes, std::int32_t stored,
                        std::int32_t encoding = 0, std::int32_t levels = 3) {
  CompactWriter page = sizes(0, bytes, stored);
  page.begin(2).number(1, values).number(1, encoding).number(1, levels).number(1, 3);
  return page.end().end().body(static_cast<std::size_t>(std::max(stored, 0)));
}
CompactWriter dictionary_page(std::int32_t values, std::int32_t bytes, std::int32_t encoding = 0) {
  CompactWriter page = sizes(2, bytes, bytes);
  page.begin(4).number(1, values).number(1, encoding).boolean(1, false);
  return page.end().end().body(static_cast<std::size_t>(std::max(bytes, 0)));
}
CompactWriter data_page_v2(std::int32_t values, std::int32_t nulls, std::int32_t bytes,
                           std::int32_t definition_bytes, std::int32_t repetition_bytes) {
  CompactWriter page = sizes(3, bytes, bytes);
  page.begin(5).number(1, values).number(1, nulls).number(1, values).number(1, 0);
  page.number(1, definition_bytes).number(1, repetition_bytes);
  return page.end().end().body(static_cast<std::size_t>(bytes));
}

// A chunk of ten int32 rows.
pages::ChunkPages chunk_of(const Bytes& bytes,
                           pages::Compression compression = pages::Compression::none) {
  pages::ChunkPages chunk;
  chunk.bytes = bytes;
  chunk.row_count = 10;
  chunk.compression = compression;
  return chunk;
}

std::string refusal(const CompactWriter& pages, ChunkShape shape = {}) {
  pages::ChunkPages chunk = chunk_of(pages.bytes());
  PageFault fault;
  const Status status = find_pages(chunk, shape, fault);
  return status.ok() ? "" : status.message();
}

ChunkShape optional_shape() {
  ChunkShape shape;
  shape.is_optional = true;
  return shape;
}

TEST(PageHeaders, SizesThatContradictTheChunkAreRefused) {
  EXPECT_EQ(refusal(data_page(10, 40, 40)), "");
  EXPECT_EQ(refusal(data_page(10, 40, -40)), "the page header: compressed_page_size is -40");
  EXPECT_EQ(refusal(data_page(10, -1, 40)), "the page header: uncompressed_page_size is -1");
  EXPECT_EQ(refusal(data_page(-10, 40, 40)), "the page header: num_values is -10");
  EXPECT_EQ(refusal(sizes(0, 40, 40)
                        .begin(2)
                        .number(1, 10)
                        .number(1, 0)
                        .number(1, 3)
                        .number(1, 3)
                        .end()
                        .end()
                        .body(39)),
            "the page claims 40 bytes, its column chunk has 39 more");
  EXPECT_EQ(refusal(data_page(10, 41, 40)),
            "the page claims that its 40 bytes are 41 decompressed");
  EXPECT_EQ(refusal(data_page(11, 44, 44)),
            "the page claims 11 values, its row group has 10 more rows");
  EXPECT_EQ(refusal(data_page(9, 36, 36)), "the column's pages end before its last row");
}

TEST(PageHeaders, SizesThatNoCodecReachesAreRefused) {
  for (const auto& [codec, most] :
       std::initializer_list<std::pair<pages::Compression, std::int32_t>>{
           {pages::Compression::snappy, 22},
           {pages::Compression::lz4_raw, 255},
           {pages::Compression::gzip, 1032},
           {pages::Compression::zstandard, 32768}})
    for (const bool is_more : {false, true}) {
      const CompactWriter page = data_page(10, 40 * most + is_more, 40);
      pages::ChunkPages chunk = chunk_of(page.bytes(), codec);
      PageFault fault;
      EXPECT_EQ(find_pages(chunk, {}, fault).ok(), !is_more) << most;
    }
}

TEST(PageHeaders, DictionaryPagesOutOfPlaceAreRefused) {
  CompactWriter twice = dictionary_page(1, 4), late = data_page(5, 20, 20);
  EXPECT_EQ(refusal(twice += dictionary_page(1, 4)), "a second dictionary page");
  EXPECT_EQ(refusal(late += dictionary_page(1, 4)), "a dictionary page after data pages");
  EXPECT_EQ(refusal(dictionary_page(2, 7)), "a dictionary of 2 entries in a page of 7 bytes");
  EXPECT_EQ(refusal(dictionary_page(1, 4, 5)), "a dictionary page of encoding 5");
  EXPECT_EQ(refusal(data_page(10, 40, 40, 8)),
            "a page of dictionary indices without a dictionary page before it");
}

TEST(PageHeaders, EncodingsOfOtherTypesAreRefused) {
  EXPECT_EQ(refusal(data_page(10, 40, 40, 3)),
            "a page of encoding 3, which is of other types than the column's");
  EXPECT_EQ(refusal(data_page(10, 40, 40, 77)), "a page of encoding 77");
  EXPECT_EQ(refusal(data_page(10, 40, 40, 0, 4), optional_shape()),
            "definition levels of encoding BIT_PACKED");
  EXPECT_EQ(refusal(data_page(10, 40, 40, 0, 0), optional_shape()),
            "definition levels of encoding 0");
}

TEST(PageHeaders, LevelsThatContradictThePageAreRefused) {
  EXPECT_EQ(refusal(data_page_v2(10, 2, 40, 8, 0), optional_shape()), "");
  EXPECT_EQ(refusal(data_page_v2(10, 11, 40, 8, 0), optional_shape()),
            "the page header: num_nulls is 11 of 10 values");
  EXPECT_EQ(refusal(data_page_v2(10, 2, 40, 41, 0), optional_shape()),
            "the page header: levels of 41 bytes in a page of 40");
  EXPECT_EQ(refusal(data_page_v2(10, 2, 40, INT32_MAX, INT32_MAX), optional_shape()),
            "the page header: levels of 4294967294 bytes in a page of 40");
  EXPECT_EQ(refusal(data_page_v2(10, 2, 40, 8, 4), optional_shape()),
            "repetition levels of a flat column");
  EXPECT_EQ(refusal(data_page_v2(10, 0, 40, 8, 0)), "definition levels of a column without NULLs");
}

TEST(PageHeaders, OtherPagesAndPagesWithoutValuesAreSkipped) {
  CompactWriter pages = sizes(1, 4, 4).end().body(4);
  pages += sizes(9, 4, 4).end().body(4);
  pages += data_page(0, 0, 0);
  pages += data_page(10, 40, 40);
  pages::ChunkPages chunk = chunk_of(pages.bytes());
  PageFault fault;
  ASSERT_TRUE(find_pages(chunk, {}, fault).ok());
  ASSERT_EQ(chunk.data.size(), 1u);
  EXPECT_EQ(chunk.data[0].offset, pages.bytes().size() - 40);
}

TEST(PageHeaders, AChecksumIsThatOfTheBytes) {
  const auto with = [](std::int32_t checksum) {
    CompactWriter page = sizes(0, 40, 40).number(1, checksum);
    page.begin(1).number(1, 10).number(1, 0).number(1, 3).number(1, 3);
    return refusal(page.end().end().body(40));
  };
  EXPECT_EQ(with(1), "the page's bytes do not have its checksum");
  EXPECT_EQ(with(static_cast<std::int32_t>(0xe9ec3db1)), "");
}

TEST(PageHeaders, UnknownFieldsOfEveryTypeAreSkipped) {
  CompactWriter page = sizes(0, 40, 40);
  page.begin(2).number(1, 10).number(1, 0).number(1, 3).number(1, 3);
  page.begin(1).byte(0x18).varint(3).body(3).end();                  // statistics with a binary
  page.byte(0x18).varint(2).body(2).end();                           // a binary
  page.byte(0x59).byte(0x35).varint(1).varint(2).varint(3);          // a list of three numbers
  page.byte(0x19).byte(0x21).body(2);                                // of two booleans
  page.byte(0x1b).varint(1).byte(0x58).varint(7).varint(1).body(1);  // a map of number to binary
  page.byte(0x1b).varint(0);
  page.byte(0x17).body(8).byte(0x1d).body(16).byte(0x13).body(1);  // double, UUID, byte
  page.byte(0x05).varint(2000).varint(5).boolean(1, true);
  EXPECT_EQ(refusal(page.end().body(40)), "");
}

TEST(PageHeaders, NestingListsAndLengthsHaveLimits) {
  CompactWriter deep = sizes(0, 40, 40), list = deep, binary = deep, number = deep, large = deep;
  for (int i = 0; i < 100'000; i++) deep.begin(15);
  EXPECT_NE(refusal(deep).find("nested too deeply"), std::string::npos);
  list.byte(0x99).byte(0xfc).varint(UINT32_MAX);
  EXPECT_NE(refusal(list).find("does not end"), std::string::npos);
  binary.byte(0x98).varint(UINT64_MAX);
  EXPECT_NE(refusal(binary).find("does not end"), std::string::npos);
  number.byte(0x15).varint(UINT64_MAX >> 1);
  EXPECT_NE(refusal(number).find("more than 32 bits"), std::string::npos);
  large.byte(0x98).varint(17 << 20).body(17 << 20);
  EXPECT_EQ(refusal(large.end()), "the page header: it has more than 16 MiB");
}

TEST(PageHeaders, EveryCutHeaderIsRefused) {
  for (const CompactWriter& page :
       {data_page(10, 40, 40), dictionary_page(1, 4), data_page_v2(10, 2, 40, 8, 0)}) {
    const auto whole = parse_page_header(page.bytes());
    ASSERT_TRUE(whole.ok());
    for (std::size_t bytes = 0; bytes < whole->header_bytes; bytes++)
      EXPECT_EQ(parse_page_header(std::span(page.bytes()).first(bytes)).status().code(),
                Code::corrupt);
  }
}

// Checks what a reader of pages relies on.
void expect_sound(const pages::ChunkPages& chunk) {
  std::uint64_t rows = 0, end = 0;
  const auto look_at = [&](const pages::Page& page) {
    ASSERT_GE(page.offset, end);
    end = page.offset + page.stored_bytes;
    ASSERT_LE(end, chunk.bytes.size());
    ASSERT_LE(page.level_bytes, std::min(page.stored_bytes, page.bytes));
    ASSERT_TRUE(page.is_compressed || page.stored_bytes == page.bytes);
  };
  if (chunk.dictionary) look_at(*chunk.dictionary);
  for (const pages::Page& page : chunk.data) {
    look_at(page);
    rows += page.value_count;
    ASSERT_TRUE(chunk.dictionary || page.encoding != pages::Encoding::dictionary);
  }
  ASSERT_EQ(rows, chunk.row_count);
}

struct HeaderByte {
  std::uint32_t column;
  std::uint64_t offset;  // in the file
};

// The bytes of all page headers of a file's first row group.
std::vector<HeaderByte> header_bytes(const pages::PagedTable& table) {
  std::vector<HeaderByte> bytes;
  for (std::uint32_t column = 0; column < table.columns().size(); column++) {
    const auto chunk = table.read(column, 0, {});
    EXPECT_TRUE(chunk.ok()) << chunk.status().text();
    std::vector<pages::Page> all = chunk->data;
    if (chunk->dictionary) all.insert(all.begin(), *chunk->dictionary);
    const std::uint64_t begin = all[0].header_offset;  // of the chunk
    for (const pages::Page& page : all)
      for (std::uint64_t at = page.header_offset; at < begin + page.offset; at++)
        bytes.push_back({column, at});
  }
  return bytes;
}

void expect_place(const std::string& text) {
  for (const char* part : {"column '", "row group 0, ", "page", ", byte ", " of '"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(PageHeaders, EveryChangedByteIsAnErrorThatSaysWhereOrSoundPages) {
  const Folder folder;
  for (const auto version :
       {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
    parquet::WriterProperties::Builder properties;
    properties.data_page_version(version)->compression(parquet::Compression::SNAPPY);
    properties.data_pagesize(400)->write_batch_size(32);
    write_by_arrow(folder / "t", *physical_types(200, true), 200, properties);
    const auto source = open_table(folder / "t");
    const std::string before = read_file(folder / "t");
    const File file(folder / "t", O_RDWR);
    std::minstd_rand random(7);
    int refused = 0;
    const auto table = (*source)->pages();
    for (const HeaderByte& byte : header_bytes(*table)) {
      const auto write = [&](char value) {
        return ::pwrite(file.descriptor(), &value, 1, static_cast<off_t>(byte.offset)) == 1;
      };
      for (int i = 0; i < 16; i++) {
        const int flipped = before[byte.offset] ^ (1 << i % 8);
        ASSERT_TRUE(write(static_cast<char>(i < 8 ? flipped : static_cast<int>(random() % 256))));
        const auto chunk = table->read(byte.column, 0, {});
        if (chunk.ok()) {
          expect_sound(*chunk);
        } else {
          refused++;
          expect_place(chunk.status().text());
        }
      }
      ASSERT_TRUE(write(before[byte.offset]));
    }
    EXPECT_GT(refused, 1000);
  }
}

}  // namespace
}  // namespace penstock::io
