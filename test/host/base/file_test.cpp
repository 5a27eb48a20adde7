#include "base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "host/io/io_files.hpp"

namespace penstock {
namespace {

TEST(FileReadAt, TheEndIsNotTakenForAFailure) {
  const test::Folder folder;
  test::write_file(folder / "file", "abcdef");
  const File file(folder / "file", O_RDONLY);
  char text[8] = {};
  errno = EIO;  // of something before
  EXPECT_EQ(file.read_at(text, sizeof text, 4), 2u);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(std::string(text, 2), "ef");
  EXPECT_EQ(file.read_at(text, 1, 100), 0u);
  EXPECT_EQ(errno, 0);
}

TEST(FileReadAt, AFailureIsNotTakenForTheEnd) {
  const test::Folder folder;
  const File file(folder / "", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(file);
  char text[8];
  EXPECT_EQ(file.read_at(text, sizeof text, 0), 0u);
  EXPECT_EQ(errno, EISDIR);
}

TEST(FileReadAt, LeavesWhereTheFileStands) {
  const test::Folder folder;
  test::write_file(folder / "file", "abcdef");
  const File file(folder / "file", O_RDONLY);
  char text[3] = {};
  EXPECT_EQ(file.read_at(text, 3, 3), 3u);
  EXPECT_EQ(std::string(text, 3), "def");
  EXPECT_EQ(file.read_up_to(text, 3), 3u);
  EXPECT_EQ(std::string(text, 3), "abc");
}

}  // namespace
}  // namespace penstock
