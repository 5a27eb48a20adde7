// Chunks with bytes that a device would read itself: the host finds the same pages in their headers
// alone.
#include <algorithm>

#include "codec/pages/paged_table.hpp"
#include "host/io/arrow_files.hpp"
#include "host/io/io_files.hpp"

namespace penstock {
namespace {

using namespace test;
using pages::ChunkPages;
using pages::Page;

class UnreadFile final : public device::DirectFile {
 public:
  bool bypasses_host() const override { return true; }
  Status read(Queue&, const Buffer&, std::span<const device::FileRange>) const override {
    return {Code::internal, "the host asks for no byte of a device"};
  }
};

std::string describe(const Page& page) {
  std::string text;
  for (const std::uint64_t number :
       {std::uint64_t{page.header_offset}, std::uint64_t{page.stored_bytes},
        std::uint64_t{page.bytes}, std::uint64_t{page.level_bytes}, std::uint64_t{page.value_count},
        static_cast<std::uint64_t>(page.encoding), std::uint64_t{page.is_v2},
        std::uint64_t{page.is_compressed}, page.offset})
    text += std::to_string(number) + " ";
  return text;
}

std::string describe(const ChunkPages& chunk) {
  std::string text = chunk.dictionary ? describe(*chunk.dictionary) : "none";
  for (const Page& page : chunk.data) text += "\n" + describe(page);
  return text;
}

std::size_t bytes_that_are_there(const ChunkPages& chunk) {
  return static_cast<std::size_t>(std::count_if(
      chunk.bytes.begin(), chunk.bytes.end(), [](std::byte byte) { return byte != std::byte{}; }));
}

struct Written {
  std::string path;
  std::shared_ptr<TableSource> source;
  std::shared_ptr<const pages::PagedTable> whole, direct;
};

Written written(const std::string& path, parquet::WriterProperties::Builder properties) {
  write_by_arrow(path, *physical_types(20'000, true), 10'000, properties);
  Written made{path, *open_table(path), nullptr, nullptr};
  made.whole = made.source->pages();
  made.direct = made.whole->with_direct_reads(std::make_shared<UnreadFile>());
  return made;
}

parquet::WriterProperties::Builder pages_of(std::int64_t bytes) {
  parquet::WriterProperties::Builder properties;
  properties.data_pagesize(bytes)->write_batch_size(64)->compression(parquet::Compression::SNAPPY);
  return properties;
}

TEST(DirectChunks, PagesAreThoseOfTheWholeChunk) {
  const Folder folder;
  const Written file = written(folder / "t", pages_of(4000));
  for (std::uint32_t column = 0; column < file.whole->columns().size(); column++) {
    const auto whole = file.whole->read(column, 1, {}), direct = file.direct->read(column, 1, {});
    ASSERT_TRUE(whole.ok() && direct.ok()) << direct.status().text();
    EXPECT_EQ(describe(*direct), describe(*whole));
    EXPECT_TRUE(direct->file);
    EXPECT_EQ(direct->file_offset % 4096, 0u);
    // A device that reads `read_bytes` there finds the chunk at its place.
    const std::string bytes =
        read_file(file.path).substr(direct->file_offset, direct->read_bytes.size());
    const auto at = static_cast<std::size_t>(direct->bytes.data() - direct->read_bytes.data());
    EXPECT_EQ(
        bytes.compare(at, whole->bytes.size(), reinterpret_cast<const char*>(whole->bytes.data()),
                      whole->bytes.size()),
        0);
  }
}

TEST(DirectChunks, BodiesOfNumbersAreNotReadByTheHost) {
  const Folder folder;
  auto properties = pages_of(100'000);
  properties.disable_dictionary();
  const Written file = written(folder / "t", properties);
  const std::uint32_t column = *find_field(file.source->schema(), "i64");
  const auto whole = file.whole->read(column, 1, {}), direct = file.direct->read(column, 1, {});
  ASSERT_TRUE(whole.ok() && direct.ok());
  EXPECT_GT(bytes_that_are_there(*whole), 20'000u);
  EXPECT_LT(bytes_that_are_there(*direct), 256 * (direct->data.size() + 1));
}

TEST(DirectChunks, ADictionaryOfStringsIsRead) {
  const Folder folder;
  const Written file = written(folder / "t", pages_of(4000));
  const std::uint32_t column = *find_field(file.source->schema(), "text");
  const auto whole = file.whole->read(column, 1, {}), direct = file.direct->read(column, 1, {});
  ASSERT_TRUE(whole.ok() && direct.ok());
  ASSERT_TRUE(direct->dictionary);
  const auto expected = file.whole->dictionary_strings(column, *whole),
             strings = file.direct->dictionary_strings(column, *direct);
  ASSERT_TRUE(expected.ok() && strings.ok()) << strings.status().text();
  ASSERT_EQ(strings->row_count, expected->row_count);
  for (std::uint64_t row = 0; row < strings->row_count; row++)
    ASSERT_EQ(cell(*strings, row), cell(*expected, row));
}

TEST(DirectChunks, ChecksumsAreCompared) {
  const Folder folder;
  auto properties = pages_of(4000);
  properties.enable_page_checksum()->disable_dictionary();
  const Written file = written(folder / "t", properties);
  const std::uint32_t column = *find_field(file.source->schema(), "i64");
  const auto chunk = file.direct->read(column, 1, {});
  ASSERT_TRUE(chunk.ok()) << chunk.status().text();
  std::string bytes = read_file(file.path);
  const auto at = static_cast<std::size_t>(chunk->bytes.data() - chunk->read_bytes.data());
  bytes[chunk->file_offset + at + chunk->data.at(1).offset + 7] ^= 4;
  write_file(folder / "damaged", bytes);
  const auto damaged = (*open_table(folder / "damaged"))->pages();
  const Status expected = damaged->read(column, 1, {}).status();
  const Status status =
      damaged->with_direct_reads(std::make_shared<UnreadFile>())->read(column, 1, {}).status();
  EXPECT_EQ(expected.code(), Code::corrupt);
  EXPECT_EQ(status.text(), expected.text());
}

}  // namespace
}  // namespace penstock
