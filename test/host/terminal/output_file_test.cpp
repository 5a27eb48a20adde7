// Output files appear whole or not at all.
#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "penstock/io.hpp"
#include "terminal/output_file.hpp"

namespace penstock::terminal {
namespace {

namespace fs = std::filesystem;

// A new name each: a reader's thread may hold a file of the folder before for a moment longer.
std::string folder_name() {
  static int count = 0;
  return "penstock-output-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

struct Folder {
  fs::path path = fs::temp_directory_path() / folder_name();
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::size_t file_count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
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

Table small_table() { return Table::of({{"x", Column::from(std::vector<std::int64_t>{1, 2, 3})}}); }

ino_t inode_of(const fs::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

// The files of the folder that this process has open, with a name or without.
std::vector<ino_t> open_files(const Folder& folder) {
  std::vector<ino_t> inodes;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    if (fs::read_symlink(entry.path(), closed).string().starts_with(folder.path.string() + "/"))
      inodes.push_back(inode_of(entry.path()));
  }
  return inodes;
}

// commit() must flush the very file that has the rows.
TEST(OutputFile, TheLibrarysFormatsAreWrittenIntoTheFileThatIsFlushed) {
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc, FileFormat::csv}) {
    Folder folder;
    auto file = OutputFile::create(folder.path / "rows");
    ASSERT_TRUE(file.ok());
    const std::vector<ino_t> begun = open_files(folder);
    ASSERT_EQ(begun.size(), 1u);
    ASSERT_TRUE(
        write_table(
            small_table(), [&](std::string_view bytes) { return (*file)->write(bytes); }, format)
            .ok());
    EXPECT_EQ(open_files(folder), begun);
    ASSERT_TRUE((*file)->commit().ok());
    EXPECT_EQ(folder.file_count(), 1u);
    EXPECT_EQ(inode_of(folder.path / "rows"), begun[0]);
    EXPECT_TRUE(open_table(folder.path / "rows").ok());
  }
}

TEST(OutputFile, AnErrorOfTheSinkIsWhatWritingReturns) {
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc, FileFormat::csv}) {
    EXPECT_EQ(write_table(
                  small_table(), [](std::string_view) { return Status(Code::cancelled, "enough"); },
                  format)
                  .code(),
              Code::cancelled);
    EXPECT_EQ(write_table(
                  small_table(), [](std::string_view) -> Status { throw 3; }, format)
                  .code(),
              Code::internal);
  }
}

TEST(OutputFile, AnErrorAtAnyWriteIsTheSinksOwnAndNotArrows) {
  for (const FileFormat format : {FileFormat::parquet, FileFormat::arrow_ipc, FileFormat::csv}) {
    std::uint64_t writes = 0;
    ASSERT_TRUE(write_table(
                    small_table(), [&](std::string_view) { return writes++, Status(); }, format)
                    .ok());
    for (std::uint64_t failing = 0; failing < writes; failing++) {
      std::uint64_t at = 0;
      const Status status = write_table(
          small_table(),
          [&](std::string_view) { return at++ == failing ? Status(Code::io, "full") : Status(); },
          format);
      EXPECT_EQ(status.text(), "io: full") << failing;
      EXPECT_EQ(at, failing + 1) << "it went on after an error";
    }
  }
}

TEST(OutputFile, ALinkUnderATemporaryNameIsNotFollowed) {
  Folder folder;
  std::ofstream(folder.path / "precious") << "precious";
  const std::string process = std::to_string(::getpid());
  const std::string predictable = folder.path / ("rows.csv.partial-" + process);
  for (const std::string& name : {predictable, predictable + "-0", predictable + "-1"})
    fs::create_symlink("precious", name);
  auto file = OutputFile::create(folder.path / "rows.csv");
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE((*file)->write("rows").ok());
  ASSERT_TRUE((*file)->commit().ok());
  ASSERT_TRUE(write_table(small_table(), folder.path / "rows.csv", FileFormat::csv).ok());
  EXPECT_EQ(folder.read("precious"), "precious");
}

TEST(OutputFile, ANameMayBeAsLongAsNamesCanBe) {
  Folder folder;
  const std::string name(255, 'n');
  auto file = OutputFile::create(folder.path / name);
  ASSERT_TRUE(file.ok()) << file.status().text();
  ASSERT_TRUE((*file)->write("rows").ok());
  ASSERT_TRUE((*file)->commit().ok());
  EXPECT_EQ(folder.read(name.c_str()), "rows");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(OutputFile, TwoAtOnceToOnePlaceDoNotMeet) {
  Folder folder;
  auto first = OutputFile::create(folder.path / "rows.csv"),
       second = OutputFile::create(folder.path / "rows.csv");
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE((*first)->write("first").ok());
  ASSERT_TRUE((*second)->write("second").ok());
  ASSERT_TRUE((*first)->commit().ok());
  EXPECT_EQ(folder.read("rows.csv"), "first");
  ASSERT_TRUE((*second)->commit().ok());
  EXPECT_EQ(folder.read("rows.csv"), "second");
}

TEST(OutputFile, AFolderOrAMissingFolderIsRefusedBeforeAnyWork) {
  Folder folder;
  EXPECT_EQ(OutputFile::create(folder.path).status().code(), Code::io);
  EXPECT_EQ(OutputFile::create(folder.path / "missing" / "rows.csv").status().code(), Code::io);
}

}  // namespace
}  // namespace penstock::terminal
