// The file of programs that comes with Penstock: what is found in it, and damage.
#include "device/program_archive.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "device/ahead_of_time.hpp"

namespace penstock::device {
namespace {

namespace fs = std::filesystem;

ProgramBytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class Archive : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "penstock-programs-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/programs";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write() const { ASSERT_TRUE(ProgramArchive::write(path_, programs_).ok()); }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  // Whether the file gives each program as it was written, or none.
  bool is_right_or_missing() const {
    const ProgramArchive archive(path_, "");
    for (const auto& [key, program] : programs_)
      if (const auto found = archive.find(key); found && *found != program) return false;
    return true;
  }
  std::size_t found_count() const {
    const ProgramArchive archive(path_, "");
    std::size_t count = 0;
    for (const auto& [key, program] : programs_) count += archive.find(key).has_value();
    return count;
  }

  std::string folder_, path_;
  const std::map<Hash128, ProgramBytes> programs_ = {{content_hash("a"), bytes_of("code of a")},
                                                     {content_hash("b"), bytes_of("")},
                                                     {content_hash("c"), bytes_of("c, longer")}};
};

TEST_F(Archive, EachProgramIsFoundAndNoOther) {
  write();
  const ProgramArchive archive(path_, "");
  EXPECT_EQ(archive.size(), programs_.size());
  for (const auto& [key, program] : programs_) EXPECT_EQ(archive.find(key), program);
  EXPECT_FALSE(archive.find(content_hash("d")));
}

TEST_F(Archive, AMissingFileHasNone) { EXPECT_EQ(ProgramArchive(path_, "").size(), 0u); }

TEST_F(Archive, AFileCutShortGivesNothingWrong) {
  write();
  const std::string whole = content();
  for (std::size_t length = 0; length < whole.size(); length++) {
    replace(whole.substr(0, length));
    EXPECT_TRUE(is_right_or_missing()) << length;
    EXPECT_LT(found_count(), programs_.size()) << length;
  }
}

TEST_F(Archive, ADamagedByteGivesNothingWrong) {
  write();
  const std::string whole = content();
  for (std::size_t at = 0; at < whole.size(); at++)
    for (const char flipped : {'\x01', '\x80'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ flipped);
      replace(damaged);
      EXPECT_TRUE(is_right_or_missing()) << at;
      EXPECT_LT(found_count(), programs_.size()) << at;
    }
}

TEST_F(Archive, AnIndexWithPlacesOutsideOfTheFileIsRead) {
  write();
  std::string damaged = content();
  // The first entry's size, and the index's checksum to match it.
  constexpr std::size_t head = 32, entry = 48, checksum = 16, bytes_of_first = head + 24;
  damaged.replace(bytes_of_first, 8, std::string(8, '\xff'));
  const Hash128 index =
      content_hash(std::string_view(damaged).substr(head, programs_.size() * entry));
  damaged.replace(checksum, sizeof index, reinterpret_cast<const char*>(&index), sizeof index);
  replace(damaged);
  EXPECT_EQ(found_count(), programs_.size() - 1);
}

// The folder of this test's program.
class Shipped : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = fs::read_symlink("/proc/self/exe").parent_path() / name_;
    std::ofstream(file_) << "x";
    ASSERT_TRUE(fs::exists(file_));
  }
  void TearDown() override {
    fs::remove(file_);
    unsetenv("PENSTOCK_PROGRAMS_OF_TEST");
  }
  static AheadOfTime find(const std::string& name) {
    return shipped_programs("PENSTOCK_PROGRAMS_OF_TEST", name,
                            reinterpret_cast<const void*>(&find));
  }
  const std::string name_ = "penstock-shipped-" + std::to_string(getpid());
  fs::path file_;
};

TEST_F(Shipped, AFileBesideTheProgramIsFound) {
  EXPECT_EQ(find(name_).path, file_.string());
  EXPECT_EQ(find(name_ + ".other").path, "");
}

TEST_F(Shipped, AVariableNamesAnotherFileOrNone) {
  for (const std::string named : {"/tmp/other", ""}) {
    setenv("PENSTOCK_PROGRAMS_OF_TEST", named.c_str(), 1);
    EXPECT_EQ(find(name_).path, named);
  }
  setenv("PENSTOCK_PROGRAMS_OF_TEST", "relative", 1);
  EXPECT_EQ(find(name_).path, "");
}

}  // namespace
}  // namespace penstock::device
