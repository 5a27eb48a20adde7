// GPUDirect Storage without a GPU: a cuFile that reads into plain memory (fake_cufile.cpp).
#include "device/cuda/cufile.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "device/library.hpp"
#include "host/io/io_files.hpp"

namespace penstock::cuda {
namespace {

constexpr std::size_t any_bytes = ~std::size_t{0};

class CuFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("PENSTOCK_CUFILE", PENSTOCK_FAKE_CUFILE, 1);
    auto library = open_cufile();
    ::unsetenv("PENSTOCK_CUFILE");
    ASSERT_TRUE(library.ok()) << library.status().text();
    library_ = *library;
    const auto fake = device::Library::open({PENSTOCK_FAKE_CUFILE});
    ASSERT_TRUE(fake->bind(script_, "fake_cufile_script").ok());
    ASSERT_TRUE(fake->bind(open_handles_, "fake_cufile_open_handles").ok());
    script_(0, any_bytes, -1, 0, 0);
    for (std::size_t i = 0; i < 100'000; i++) bytes_ += static_cast<char>(i * 31 + i / 251);
    test::write_file(path_, bytes_);
  }

  Result<std::string> read_range(std::uint64_t offset, std::uint64_t bytes) {
    PENSTOCK_ASSIGN(const auto file, CuFileHandle::open(library_, path_));
    std::string read(bytes + 20, '\0');
    PENSTOCK_TRY(file->read(read.data(), bytes, offset, 10));
    EXPECT_EQ(read.substr(0, 10) + read.substr(bytes + 10), std::string(20, '\0'));
    return read.substr(10, bytes);
  }

  CuFile library_;
  void (*script_)(int, std::size_t, off_t, ssize_t, unsigned) = nullptr;
  int (*open_handles_)() = nullptr;
  test::Folder folder_;
  std::string path_ = folder_ / "file";
  std::string bytes_;
};

TEST_F(CuFileTest, BytesAreThoseOfTheFileAtTheirPlace) {
  for (const auto& [offset, bytes] :
       {std::pair{0u, 100'000u}, {4096u, 8192u}, {4097u, 1u}, {77'777u, 22'223u}, {5u, 0u}}) {
    const auto read = read_range(offset, bytes);
    ASSERT_TRUE(read.ok()) << read.status().text();
    EXPECT_EQ(*read, bytes_.substr(offset, bytes));
  }
  EXPECT_EQ(open_handles_(), 0);
}

TEST_F(CuFileTest, ShortReadsGoOnWhereTheyEnded) {
  script_(0, 777, -1, 0, 0);
  const auto read = read_range(3, 99'000);
  ASSERT_TRUE(read.ok()) << read.status().text();
  EXPECT_EQ(*read, bytes_.substr(3, 99'000));
}

TEST_F(CuFileTest, AnErrorInTheMiddleNamesTheByte) {
  script_(0, any_bytes, 50'000, -5011, 0);
  const Status status = read_range(10, 90'000).status();
  EXPECT_EQ(status.code(), Code::io);
  EXPECT_EQ(status.message(), "cuFileRead at byte 50000 of '" + path_ + "': cuFile's error 5011");
}

TEST_F(CuFileTest, AnErrorOfTheSystemIsNamed) {
  script_(0, any_bytes, 50'000, -1, 0);
  const Status status = read_range(10, 90'000).status();
  EXPECT_EQ(status.code(), Code::io);
  EXPECT_NE(status.message().find("Input/output error"), std::string::npos) << status.text();
}

TEST_F(CuFileTest, AFileThatEndsEarlyIsTruncated) {
  const Status status = read_range(99'000, 2000).status();
  EXPECT_EQ(status.code(), Code::truncated);
  EXPECT_EQ(status.message(), "the file ends at byte 100000 of '" + path_ + "'");
}

TEST_F(CuFileTest, AFileThatCannotBeRegisteredIsRefusedByName) {
  script_(5009, any_bytes, -1, 0, 0);
  const Status status = CuFileHandle::open(library_, path_).status();
  EXPECT_EQ(status.code(), Code::unsupported);
  EXPECT_NE(status.text().find("cuFileHandleRegister: cuFile's error 5009"), std::string::npos)
      << status.text();
  EXPECT_NE(status.text().find(path_), std::string::npos);
  EXPECT_EQ(open_handles_(), 0);
}

TEST_F(CuFileTest, AMissingLibrarySaysWhatToInstall) {
  ::setenv("PENSTOCK_CUFILE", "/nowhere/libcufile.so.0", 1);
  const Status status = open_cufile().status();
  ::unsetenv("PENSTOCK_CUFILE");
  EXPECT_EQ(status.code(), Code::unsupported);
  EXPECT_NE(status.message().find("libcufile.so.0"), std::string::npos) << status.text();
}

TEST(CuFile, TheCompatibilityModeIsNotTakenForDirectReads) {
  constexpr unsigned nvme = 1u << 4, nfs = 1u << 2;
  constexpr std::uint64_t ext4 = 0xEF53, network = 0x6969, tmpfs = 0x01021994;
  EXPECT_TRUE(reads_directly(nvme, ext4));
  EXPECT_TRUE(reads_directly(nvme | nfs, network));
  EXPECT_FALSE(reads_directly(nfs, ext4));  // the driver has no block devices
  EXPECT_FALSE(reads_directly(nvme, network));
  EXPECT_FALSE(reads_directly(~0u, tmpfs));
  EXPECT_FALSE(reads_directly(0, ext4));
}

}  // namespace
}  // namespace penstock::cuda
