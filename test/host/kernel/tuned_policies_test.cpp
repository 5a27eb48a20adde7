// The file of tuned policies, and the choice of rows by name: what is taken, and what is refused.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "kernel/tuned_policies.hpp"

namespace penstock::kernel {
namespace {

namespace fs = std::filesystem;

class TunedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "penstock-tuned-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const char* const before = getenv("PENSTOCK_CACHE_DIR");
    before_ = before ? before : "";
    setenv("PENSTOCK_CACHE_DIR", folder_.c_str(), 1);
    traits_.id = "cuda:0", traits_.name = "A device", traits_.driver = "1.2";
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("PENSTOCK_CACHE_DIR");
    else
      setenv("PENSTOCK_CACHE_DIR", before_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void store() { ASSERT_TRUE(store_tuned(traits_, {tuned_}).ok()); }
  std::string path() const { return tuned_paths().at(0); }
  PolicyNumbers in_force(const PolicyNumbers& standard, bool fits = true) const {
    return policy_in_force(traits_, "scan", "by_tiles", standard,
                           [&](const PolicyNumbers&) { return fits; });
  }

  std::string folder_, before_;
  Traits traits_;
  const PolicyNumbers standard_ = {{"group_size", 256, {256, 512}}, {"depth", 2, {1, 2, 3}}};
  const TunedPolicy tuned_ = {"scan", "by_tiles", standard_, {{"group_size", 512}, {"depth", 3}},
                              1.25,   0.0625};
};

TEST_F(TunedFiles, WhatIsStoredIsReadBackAndTaken) {
  store();
  EXPECT_EQ(tuned_file(traits_).policies, std::vector{tuned_});
  EXPECT_EQ(tuned_file(traits_).note, "");
  EXPECT_EQ(in_force(standard_), tuned_.best);
}

TEST_F(TunedFiles, AProgramOfAnotherDefaultKeepsIt) {
  store();
  const PolicyNumbers other = {{"group_size", 128}, {"depth", 2}};
  EXPECT_EQ(in_force(other), other);
}

TEST_F(TunedFiles, APolicyThatDoesNotFitIsLeftAlone) {
  store();
  EXPECT_EQ(in_force(standard_, false), standard_);
}

// The checksum is right: it is of whatever was stored.
TEST_F(TunedFiles, NumbersThatAreNoChoicesMakeTheFileUnusedWithANote) {
  const PolicyNumbers wrong[] = {{{"group_size", 0}, {"depth", 2}},
                                 {{"group_size", 257}, {"depth", 2}},
                                 {{"group_size", 256}, {"depth", 4294967295u}}};
  for (const PolicyNumbers& numbers : wrong) {
    SCOPED_TRACE(text_of(numbers));
    TunedPolicy other = tuned_;
    other.best = numbers;
    ASSERT_TRUE(remove_tuned().ok());
    ASSERT_TRUE(store_tuned(traits_, {other}).ok());
    EXPECT_EQ(in_force(standard_), standard_);
    EXPECT_EQ(tuned_file(traits_).policies.size(), 0u);
    EXPECT_NE(tuned_file(traits_).note.find(text_of(numbers)), std::string::npos);
  }
}

TEST_F(TunedFiles, ATrialOfANumberThatIsNoChoiceIsRefused) {
  const PolicyTrial trial("scan", {{"depth", 4}});
  EXPECT_EQ(in_force(standard_), standard_);
  EXPECT_TRUE(trial.was_refused());
}

TEST_F(TunedFiles, EveryChangedByteMakesTheFileUnusedWithANote) {
  store();
  std::ifstream stream(path(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}}, file = path();
  const auto stored_at = fs::last_write_time(file);
  for (std::size_t at = 0; at < text.size(); at++) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    std::ofstream(file, std::ios::binary) << changed;
    // A file of the same size is known by its time, and a turn may be shorter than a clock's tick.
    fs::last_write_time(file, stored_at + std::chrono::seconds(at + 1));
    ASSERT_EQ(tuned_file(traits_).policies.size(), 0u) << "byte " << at;
    ASSERT_NE(tuned_file(traits_).note, "") << "byte " << at;
    ASSERT_EQ(in_force(standard_), standard_);
  }
}

TEST_F(TunedFiles, AFileThatWasCutShortIsUnusedWithANote) {
  store();
  fs::resize_file(path(), fs::file_size(path()) / 2);
  EXPECT_EQ(in_force(standard_), standard_);
  EXPECT_NE(tuned_file(traits_).note.find("damaged"), std::string::npos);
}

TEST_F(TunedFiles, AnotherDriversFileIsUnusedWithANoteThatNamesBoth) {
  store();
  traits_.driver = "1.3";
  EXPECT_EQ(in_force(standard_), standard_);
  EXPECT_NE(tuned_file(traits_).note.find("'driver 1.2', and this is 'driver 1.3'"),
            std::string::npos)
      << tuned_file(traits_).note;
}

TEST_F(TunedFiles, AVariableTurnsThemOff) {
  store();
  setenv("PENSTOCK_TUNED", "0", 1);
  EXPECT_EQ(in_force(standard_), standard_);
  unsetenv("PENSTOCK_TUNED");
  EXPECT_EQ(in_force(standard_), tuned_.best);
}

TEST_F(TunedFiles, AFileThatChangesDuringARunIsTheNextRuns) {
  {
    const TunedFilesOfRun run;
    EXPECT_EQ(tuned_file(traits_).policies.size(), 0u);
    store();
    EXPECT_EQ(tuned_file(traits_).policies.size(), 0u);
    EXPECT_EQ(in_force(standard_), standard_);
    const TunedFilesOfRun inner;
    EXPECT_EQ(in_force(standard_), tuned_.best);
  }
  const TunedFilesOfRun next;
  EXPECT_EQ(in_force(standard_), tuned_.best);
}

TEST_F(TunedFiles, AFileThatARunFoundUnusableIsUnusedInItToo) {
  ASSERT_TRUE(
      store_tuned(traits_, {{"scan", "by_tiles", standard_, {{"group_size", 257}}, 1.25, 0}}).ok());
  const TunedFilesOfRun run;
  EXPECT_EQ(tuned_file(traits_).note, "");
  EXPECT_EQ(in_force(standard_), standard_);
  EXPECT_NE(tuned_file(traits_).note, "");
}

TEST_F(TunedFiles, RemovedFilesAreNotTaken) {
  store();
  EXPECT_TRUE(remove_tuned().ok());
  EXPECT_TRUE(tuned_paths().empty());
  EXPECT_EQ(in_force(standard_), standard_);
}

TEST_F(TunedFiles, ATrialWinsOverTheFileAndEndsWithItsScope) {
  store();
  {
    const PolicyTrial trial("scan", {{"depth", 1}});
    EXPECT_EQ(in_force(standard_), (PolicyNumbers{{"group_size", 256}, {"depth", 1}}));
    EXPECT_EQ(trial.row(), "by_tiles");
    EXPECT_EQ(trial.standard(), standard_);
    EXPECT_EQ(in_force(standard_, false), standard_);
    EXPECT_TRUE(trial.was_refused());
  }
  EXPECT_EQ(in_force(standard_), tuned_.best);
}

}  // namespace
}  // namespace penstock::kernel
