// Files cut short and with bits flipped: every one is read or refused with its path; a sanitizer
// sees the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "host/io/io_files.hpp"
#include "io/common/dictionary_limit.hpp"

namespace penstock {
namespace {

using namespace test;

// Reads everything; refusals must name the path.
bool reads(const std::string& path) {
  const auto source = open_table(path);
  Status status = source.status();
  if (status.ok()) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < (*source)->schema().size(); i++)
      if ((*source)->schema()[i].unsupported.empty()) columns.push_back(i);
    status = read_cells(**source, columns, {256, 2}).status();
  }
  if (!status.ok()) {
    EXPECT_NE(status.text().find(path), std::string::npos) << status.text();
    EXPECT_NE(status.code(), Code::internal) << status.text();
  }
  return status.ok();
}

TEST(HostileDictionaries, TooManyEntriesForABatchAreRefused) {
  constexpr std::uint64_t codes_end = std::uint64_t{1} << 31;
  EXPECT_EQ(io::check_dictionary_size(codes_end, codes_end).code(),
            Code::capacity);  // codes would turn negative
  EXPECT_EQ(io::check_dictionary_size(100'000'000, 1000).code(),
            Code::capacity);  // a small file that fills the memory
  EXPECT_TRUE(io::check_dictionary_size(codes_end - 1, codes_end).ok());
  EXPECT_TRUE(io::check_dictionary_size(5'000'000, 10).ok());  // the dictionary of a slice
}

class Hostile : public testing::TestWithParam<FileFormat> {};

TEST_P(Hostile, PrefixesAreRefused) {
  const Folder folder;
  ASSERT_TRUE(write_table(every_kind(700, true), folder / "whole", GetParam()).ok());
  const std::string bytes = read_file(folder / "whole");
  ASSERT_TRUE(reads(folder / "whole"));
  int read = 0;
  const std::size_t step = std::max<std::size_t>(bytes.size() / 400, 1);
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    write_file(folder / "cut", std::string_view(bytes).substr(0, size));
    read += reads(folder / "cut");
  }
  if (GetParam() != FileFormat::csv) { EXPECT_EQ(read, 0); }
}

TEST_P(Hostile, AFileWithoutItsEndIsSaidToBeCut) {
  if (GetParam() == FileFormat::csv) GTEST_SKIP() << "a CSV file may end behind any row";
  const Folder folder;
  ASSERT_TRUE(write_table(every_kind(700, true), folder / "whole", GetParam()).ok());
  const std::string bytes = read_file(folder / "whole");
  for (const std::size_t size : {std::size_t{8}, bytes.size() / 2, bytes.size() - 1}) {
    write_file(folder / "cut", std::string_view(bytes).substr(0, size));
    const auto source = open_table(folder / "cut");
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(source.status().code(), Code::truncated) << source.status().text();
    EXPECT_NE(source.status().message().find("it may be cut short"), std::string::npos)
        << source.status().text();
  }
}

TEST_P(Hostile, AFileThatIsShortenedAfterItWasOpenedIsAnError) {
  if (GetParam() == FileFormat::csv) GTEST_SKIP() << "text_input_test.cpp shortens text";
  const Folder folder;
  for (const std::uintmax_t left : {50'000, 0}) {
    ASSERT_TRUE(write_table(every_kind(20'000, true), folder / "t", GetParam()).ok());
    const auto source = open_table(folder / "t");
    ASSERT_TRUE(source.ok());
    ASSERT_GT(std::filesystem::file_size(folder / "t"), 2 * left);
    std::filesystem::resize_file(folder / "t", left);
    std::vector<std::uint32_t> columns((*source)->schema().size());
    std::iota(columns.begin(), columns.end(), 0u);
    const Status status = read_cells(**source, columns, {256, 2}).status();
    EXPECT_FALSE(status.ok() || status.code() == Code::internal) << status.text();
  }
}

TEST(HostileFooters, AnErrorOfTheReadersEndsWithoutABlankLine) {
  const Folder folder;
  ASSERT_TRUE(write_table(every_kind(700, true), folder / "t", FileFormat::parquet).ok());
  std::string bytes = read_file(folder / "t");
  std::uint32_t footer_bytes = 0;
  std::memcpy(&footer_bytes, bytes.data() + bytes.size() - 8, 4);
  std::fill_n(bytes.end() - 8 - footer_bytes, 20, '\xff');
  write_file(folder / "t", bytes);
  const auto source = open_table(folder / "t");
  ASSERT_FALSE(source.ok());
  EXPECT_NE(source.status().message().find("hrift"), std::string::npos)
      << source.status().message();
  EXPECT_EQ(source.status().message().find('\n'), std::string::npos) << source.status().message();
}

TEST_P(Hostile, FlippedBitsNeverCrash) {
  const Folder folder;
  std::mt19937_64 random(20260101);
  int refused = 0;
  std::string bytes;
  for (int i = 0; i < 1500; i++) {
    if (i % 750 == 0) {  // columns with NULLs and without are decoded by other loops
      ASSERT_TRUE(write_table(every_kind(700, i == 0), folder / "whole", GetParam()).ok());
      bytes = read_file(folder / "whole");
    }
    // Half of the flips fall on the last bytes, where the formats keep what everything else depends
    // on.
    const std::size_t tail = std::min<std::size_t>(bytes.size(), 4096);
    const std::size_t at =
        i % 2 == 0 ? random() % bytes.size() : bytes.size() - 1 - random() % tail;
    const char before = bytes[at];
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    write_file(folder / "flipped", bytes);
    bytes[at] = before;
    refused += !reads(folder / "flipped");
  }
  if (GetParam() == FileFormat::parquet) { EXPECT_GT(refused, 500); }  // pages carry checksums
}

std::string name_of_format(const testing::TestParamInfo<FileFormat>& format) {
  return format.param == FileFormat::parquet     ? "parquet"
         : format.param == FileFormat::arrow_ipc ? "arrow_ipc"
                                                 : "csv";
}
INSTANTIATE_TEST_SUITE_P(Formats, Hostile,
                         testing::Values(FileFormat::parquet, FileFormat::arrow_ipc,
                                         FileFormat::csv),
                         name_of_format);

}  // namespace
}  // namespace penstock
