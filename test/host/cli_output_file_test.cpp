// Output files appear whole or not at all.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cli/output_file.hpp"

namespace penstock::cli {
namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("penstock-output-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::size_t file_count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator())); }
  std::string read(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(path / name).rdbuf();
    return text.str();
  }
};

TEST(OutputFile, WithoutCommitNothingIsLeft) {
  Folder folder;
  {
    auto file = OutputFile::create(folder.path / "rows.csv");
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->write("half of it").ok());
    EXPECT_FALSE(fs::exists(folder.path / "rows.csv"));
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(OutputFile, CommitReplacesAnOlderFileInOneStep) {
  Folder folder;
  std::ofstream(folder.path / "rows.csv") << "old";
  auto file = OutputFile::create(folder.path / "rows.csv");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->write("new").ok());
  EXPECT_EQ(folder.read("rows.csv"), "old");
  ASSERT_TRUE((*file)->commit().ok());
  EXPECT_EQ(folder.read("rows.csv"), "new");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(OutputFile, AFolderOrAMissingFolderIsRefusedBeforeAnyWork) {
  Folder folder;
  EXPECT_EQ(OutputFile::create(folder.path).status().code(), Code::io);
  EXPECT_EQ(OutputFile::create(folder.path / "missing" / "rows.csv").status().code(), Code::io);
}

}  // namespace
}  // namespace penstock::cli
