#include "base/page_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/file.hpp"
#include "host/io/io_files.hpp"

namespace penstock {
namespace {

constexpr std::array<std::uint64_t, 4> four_places = {0, 1 << 20, 2 << 20, (4 << 20) - 1};

TEST(PageCache, WhatWasJustWrittenIsThere) {
  const test::Folder folder;
  test::write_file(folder / "file", std::string(4 << 20, 'x'));
  EXPECT_EQ(share_in_page_cache(folder / "file", four_places), 1);
}

TEST(PageCache, AFileThatWasDroppedIsNotSaidToBeThere) {
  const test::Folder folder;
  test::write_file(folder / "file", std::string(4 << 20, 'x'));
  const File file(folder / "file", O_RDONLY);
  ASSERT_EQ(fsync(file.descriptor()), 0);
  ASSERT_EQ(posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED), 0);
  const std::optional<double> share = share_in_page_cache(folder / "file", four_places);
  if (share.value_or(1) == 1) GTEST_SKIP() << "the system keeps the file, or does not tell";
  EXPECT_LE(*share, 0.5);  // the system may keep single pages for a while
}

TEST(PageCache, OfAFileThatCannotBeOpenedNothingIsKnown) {
  EXPECT_EQ(share_in_page_cache("/nowhere/file", four_places), std::nullopt);
}

}  // namespace
}  // namespace penstock
