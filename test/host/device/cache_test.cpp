// The JIT cache without any device: files, locks, damage, processes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "device/module_cache.hpp"

namespace penstock::device {
namespace {

namespace fs = std::filesystem;

class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "penstock-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    setenv("PENSTOCK_CACHE_DIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("PENSTOCK_CACHE_DIR");
    std::error_code error;
    fs::permissions(folder_, fs::perms::owner_all, error);
    fs::remove_all(folder_);
  }
  fs::path file_of(const CacheKey& key) const {
    return fs::path(folder_) / (key.digest.hex() + ".jit");
  }
  std::size_t entry_count() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_))
      count += entry.path().extension() == ".jit";
    return count;
  }
  std::string folder_;
  static constexpr std::uint64_t mebibyte = 1 << 20;
};

CacheKey key_of(const std::string& text) { return {text, content_hash(text)}; }

CacheEntry entry_of(const std::string& binary) {
  CacheEntry entry;
  const auto bytes = std::as_bytes(std::span(binary));
  entry.binary.assign(bytes.begin(), bytes.end());
  entry.log = "a warning", entry.notes = "a note";
  return entry;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

TEST_F(Cache, WhatIsStoredComesBackWhole) {
  const DiskCache disk(folder_, mebibyte);
  const CacheKey key = key_of("key");
  EXPECT_FALSE(disk.load(key).has_value());
  ASSERT_TRUE(disk.store(key, entry_of("binary")));
  const auto entry = disk.load(key);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->binary, entry_of("binary").binary);
  EXPECT_EQ(entry->log, "a warning");
  EXPECT_EQ(entry->notes, "a note");
}

TEST_F(Cache, AFileCutShortAnywhereIsAMissAndIsRemoved) {
  const DiskCache disk(folder_, mebibyte);
  const CacheKey key = key_of("a key of some length");
  ASSERT_TRUE(disk.store(key, entry_of("a binary of some length")));
  const std::string whole = read_file(file_of(key));
  for (std::size_t size = 0; size < whole.size(); size++) {
    write_file(file_of(key), whole.substr(0, size));
    ASSERT_FALSE(disk.load(key).has_value()) << size;
  }
  write_file(file_of(key), whole + "x");
  EXPECT_FALSE(disk.load(key).has_value());
  EXPECT_FALSE(fs::exists(file_of(key)));
}

TEST_F(Cache, EveryFlippedBitIsNoticed) {
  const DiskCache disk(folder_, mebibyte);
  const CacheKey key = key_of("key");
  ASSERT_TRUE(disk.store(key, entry_of("binary")));
  const std::string whole = read_file(file_of(key));
  for (std::size_t bit = 0; bit < whole.size() * 8; bit++) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    write_file(file_of(key), damaged);
    ASSERT_FALSE(disk.load(key).has_value()) << "bit " << bit;
  }
}

TEST_F(Cache, TwoKeysWithOneHashDoNotShareABinary) {
  const DiskCache disk(folder_, mebibyte);
  CacheKey a = key_of("a"), b = key_of("b");
  b.digest = a.digest;
  ASSERT_TRUE(disk.store(a, entry_of("binary of a")));
  EXPECT_FALSE(disk.load(b).has_value());
}

TEST_F(Cache, TheOldestUseGoesFirstWhenTheLimitIsReached) {
  const std::uint64_t entry_bytes = 10000;
  const DiskCache disk(folder_, entry_bytes * 8);
  const std::string binary(entry_bytes - 200, 'b');
  const auto age = [&](const CacheKey& key, int minutes) {
    fs::last_write_time(file_of(key),
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  for (int i = 0; i < 7; i++) {
    ASSERT_TRUE(disk.store(key_of("key" + std::to_string(i)), entry_of(binary)));
    age(key_of("key" + std::to_string(i)), 100 - i);
  }
  ASSERT_TRUE(disk.load(key_of("key0")).has_value());  // young again
  for (int i = 7; i < 10; i++)
    ASSERT_TRUE(disk.store(key_of("key" + std::to_string(i)), entry_of(binary)));
  EXPECT_LE(disk.summary()->bytes, entry_bytes * 8);
  EXPECT_TRUE(disk.load(key_of("key0")).has_value());
  EXPECT_FALSE(disk.load(key_of("key1")).has_value());
  EXPECT_TRUE(disk.load(key_of("key9")).has_value());
}

TEST_F(Cache, AnEntryAboveTheLimitIsNotKept) {
  const DiskCache disk(folder_, 1000);
  EXPECT_FALSE(disk.store(key_of("key"), entry_of(std::string(2000, 'b'))));
  EXPECT_EQ(entry_count(), 0u);
}

TEST_F(Cache, FilesOfDeadWritersAreRemovedLaterButNotAtOnce) {
  const DiskCache disk(folder_, mebibyte);
  const fs::path dead = fs::path(folder_) / (std::string(32, 'a') + ".partial.1.0"),
                 fresh = fs::path(folder_) / (std::string(32, 'b') + ".partial.1.0");
  write_file(dead, "x"), write_file(fresh, "x");
  fs::last_write_time(dead, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(disk.store(key_of("key"), entry_of("binary")));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(fresh));
}

TEST_F(Cache, TheSourceOfAHeaderThatIsGoneIsRemovedLaterButNotAtOnce) {
  const DiskCache cache(folder_, mebibyte);
  const auto kept = cache.paths_of_header(key_of("kept")),
             old = cache.paths_of_header(key_of("old")),
             young = cache.paths_of_header(key_of("young"));
  write_file(kept.compiled, "compiled");
  for (const auto& paths : {kept, old, young}) write_file(paths.source, "source");
  const auto hours_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  for (const auto& paths : {kept, old}) fs::last_write_time(paths.source, hours_ago);
  ASSERT_TRUE(cache.store(key_of("k"), entry_of("binary")));
  EXPECT_FALSE(fs::exists(old.source));
  EXPECT_TRUE(fs::exists(kept.source) && fs::exists(young.source));
}

TEST_F(Cache, ClearRemovesOurFilesAndNothingElse) {
  const DiskCache disk(folder_, mebibyte);
  ASSERT_TRUE(disk.store(key_of("a"), entry_of("1")));
  ASSERT_TRUE(disk.store(key_of("b"), entry_of("2")));
  write_file(folder_ + "/thesis.txt", "years of work");
  write_file(folder_ + "/notes.jit", "not a hash");
  EXPECT_EQ(summarize_cache()->file_count, 2u);
  const auto removed = clear_cache();
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(removed->file_count, 2u);
  EXPECT_GT(removed->bytes, 0u);
  EXPECT_EQ(summarize_cache()->file_count, 0u);
  EXPECT_TRUE(fs::exists(folder_ + "/thesis.txt"));
  EXPECT_TRUE(fs::exists(folder_ + "/notes.jit"));
}

TEST_F(Cache, ADirectoryThatCannotBeMadeIsNoError) {
  for (const std::string& place : {std::string("/proc/penstock"), std::string("/dev/null"),
                                   std::string("/dev/null/x"), std::string()}) {
    const DiskCache disk(place, mebibyte);
    EXPECT_FALSE(disk.writable()) << place;
    EXPECT_FALSE(disk.store(key_of("key"), entry_of("binary"))) << place;
    EXPECT_FALSE(disk.load(key_of("key")).has_value()) << place;
    const auto lock = disk.lock(key_of("key"));
    EXPECT_TRUE(disk.clear().ok() || disk.clear().status().code() == Code::io) << place;
  }
}

TEST_F(Cache, ALinkInPlaceOfAnEntryIsNotFollowed) {
  const DiskCache disk(folder_, mebibyte);
  const CacheKey key = key_of("key");
  ASSERT_TRUE(disk.store(key, entry_of("binary")));
  fs::rename(file_of(key), folder_ + "/elsewhere");
  fs::create_symlink(folder_ + "/elsewhere", file_of(key));
  EXPECT_FALSE(disk.load(key).has_value());
}

TEST_F(Cache, TheEnvironmentChoosesDirectoryAndLimit) {
  setenv("PENSTOCK_CACHE_BYTES", "12345", 1);
  EXPECT_EQ(summarize_cache()->directory, folder_);
  EXPECT_EQ(summarize_cache()->limit_bytes, 12345u);
  setenv("PENSTOCK_CACHE_BYTES", "12 apples", 1);
  EXPECT_EQ(summarize_cache()->limit_bytes, std::uint64_t{256} << 20);
  unsetenv("PENSTOCK_CACHE_BYTES");
  unsetenv("PENSTOCK_CACHE_DIR");
  setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  EXPECT_EQ(summarize_cache()->directory, folder_ + "/penstock");
  setenv("XDG_CACHE_HOME", "relative", 1);
  const char* home = getenv("HOME");
  const std::string old_home = home ? home : "";
  setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(summarize_cache()->directory, folder_ + "/.cache/penstock");
  unsetenv("HOME");
  EXPECT_EQ(summarize_cache()->directory, "");
  if (home) setenv("HOME", old_home.c_str(), 1);
  unsetenv("XDG_CACHE_HOME");
}

// A driver with the text of its binary as a "module".
struct FakeModule {
  std::string text;
};

struct FakeDriver {
  ModuleCache<FakeModule> modules;
  std::atomic<int> compiles{0}, loads{0}, running{0}, max_running{0};
  bool refuses_binaries = false;

  Result<Found<FakeModule>> build(const CacheKey& key, int milliseconds = 0,
                                  const AheadOfTime* ahead = nullptr) {
    const auto load = [&](const CacheEntry& entry) -> Result<std::shared_ptr<FakeModule>> {
      loads++;
      if (refuses_binaries) return Status(Code::internal, "INVALID_BINARY");
      return std::make_shared<FakeModule>(FakeModule{
          std::string(reinterpret_cast<const char*>(entry.binary.data()), entry.binary.size())});
    };
    const auto compile = [&]() -> Result<Compiled<FakeModule>> {
      compiles++;
      int now = ++running, most = max_running;
      while (now > most && !max_running.compare_exchange_weak(most, now)) {}
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      running--;
      if (key.text == "wrong") return Status(Code::compile, "wrong");
      return Compiled<FakeModule>{std::make_shared<FakeModule>(FakeModule{key.text}),
                                  entry_of(key.text)};
    };
    return modules.get(key, load, compile, ahead);
  }
};

TEST_F(Cache, MemoryThenDiskThenCompiler) {
  FakeDriver first;
  EXPECT_EQ(first.build(key_of("k"))->report.cache, CacheResult::compiled);
  const auto again = first.build(key_of("k"));
  EXPECT_EQ(again->report.cache, CacheResult::memory);
  EXPECT_EQ(again->report.log, "a warning");
  EXPECT_EQ(again->report.key, key_of("k").digest.hex());
  FakeDriver second;
  const auto loaded = second.build(key_of("k"));
  EXPECT_EQ(loaded->report.cache, CacheResult::disk);
  EXPECT_EQ(loaded->module->text, "k");
  EXPECT_EQ(loaded->report.log, "a warning");
  EXPECT_EQ(second.compiles, 0);
}

// Programs of a package: written on a machine with the compiler, read by a user with an empty
// cache.
struct Package : Cache {
  void SetUp() override {
    Cache::SetUp();
    ahead_.path = folder_ + "/programs";
    make("k on the maker's device");
  }
  void make(const std::string& text) {
    begin_writing_programs();
    FakeDriver maker;
    const auto made = maker.build(key_of(text), 0, &ahead_);
    ASSERT_TRUE(made.ok());
    EXPECT_EQ(made->report.cache, CacheResult::compiled);
    const auto count = end_writing_programs(ahead_.path);
    ASSERT_TRUE(count.ok()) << count.status().text();
    EXPECT_EQ(*count, 1u);
  }
  AheadOfTime ahead_{"", "", key_of("k on any device")};
};

TEST_F(Package, AProgramThatCameWithTheDriverIsNotCompiled) {
  FakeDriver user;
  const auto found = user.build(key_of("k on the user's device"), 0, &ahead_);
  EXPECT_EQ(found->report.cache, CacheResult::disk);
  EXPECT_EQ(found->module->text, "k on the maker's device");
  EXPECT_EQ(user.compiles, 0);
}

TEST_F(Package, AProgramOfAnotherKeyIsNotTaken) {
  FakeDriver user;
  ahead_.key = key_of("k by another compiler");
  const auto found = user.build(key_of("k on the user's device"), 0, &ahead_);
  EXPECT_EQ(found->report.cache, CacheResult::compiled);
  EXPECT_EQ(user.loads, 0);
}

TEST_F(Package, AProgramThatTheDriverRefusesIsCompiledAndStaysInThePackage) {
  FakeDriver user;
  user.refuses_binaries = true;
  const auto found = user.build(key_of("k on the user's device"), 0, &ahead_);
  EXPECT_EQ(found->report.cache, CacheResult::compiled);
  EXPECT_TRUE(ahead_.find());
}

TEST_F(Package, AnOlderPackageIsNotCopiedIntoTheNextOne) {
  EXPECT_TRUE(ahead_.find());
  make("k by a newer compiler");
}

TEST_F(Package, AProgramThatOthersMayWriteIsNotRun) {
  fs::permissions(ahead_.path, fs::perms::group_write, fs::perm_options::add);
  FakeDriver user;
  const auto found = user.build(key_of("k on the user's device"), 0, &ahead_);
  EXPECT_EQ(found->report.cache, CacheResult::compiled);
}

TEST_F(Package, ProgramsAreRunThatNoOneElseMayWriteThanTheLibrary) {
  ahead_.beside = folder_ + "/library";
  write_file(ahead_.beside, "");
  fs::permissions(ahead_.beside, fs::perms::group_write, fs::perm_options::add);
  fs::permissions(ahead_.path, fs::perms::group_write, fs::perm_options::add);
  EXPECT_TRUE(ahead_.find());
}

TEST_F(Package, AFileThatCannotBeWrittenIsAnError) {
  begin_writing_programs();
  EXPECT_FALSE(end_writing_programs(folder_ + "/missing/programs").ok());
  EXPECT_FALSE(is_writing_programs());
}

TEST_F(Cache, ADamagedFileIsCompiledAgainAndMended) {
  FakeDriver first, second, third;
  ASSERT_TRUE(first.build(key_of("k")).ok());
  const std::string whole = read_file(file_of(key_of("k")));
  write_file(file_of(key_of("k")), whole.substr(0, whole.size() / 2));
  EXPECT_EQ(second.build(key_of("k"))->report.cache, CacheResult::compiled);
  EXPECT_EQ(third.build(key_of("k"))->report.cache, CacheResult::disk);
}

TEST_F(Cache, ABinaryThatTheDriverRefusesIsCompiledAgain) {
  FakeDriver first, second;
  ASSERT_TRUE(first.build(key_of("k")).ok());
  second.refuses_binaries = true;
  const auto found = second.build(key_of("k"));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->report.cache, CacheResult::compiled);
}

TEST_F(Cache, AFailureIsReportedEachTimeAndLeavesNothingBehind) {
  FakeDriver driver;
  EXPECT_EQ(driver.build(key_of("wrong")).status().code(), Code::compile);
  EXPECT_EQ(driver.build(key_of("wrong")).status().code(), Code::compile);
  EXPECT_EQ(driver.compiles, 2);
  EXPECT_EQ(entry_count(), 0u);
}

TEST_F(Cache, EightThreadsCompileOneKeyOnce) {
  FakeDriver driver;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; t++)
    threads.emplace_back([&] {
      const auto found = driver.build(key_of("k"), 50);
      if (!found.ok() || found->module->text != "k") wrong++;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(driver.compiles, 1);
}

TEST_F(Cache, EightThreadsCompileEightKeysAtOnce) {
  FakeDriver driver;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; t++)
    threads.emplace_back([&, t] { (void)driver.build(key_of("k" + std::to_string(t)), 200); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(driver.compiles, 8);
  EXPECT_GE(driver.max_running, 4) << "different keys must not wait for one another";
}

TEST_F(Cache, HundredsOfKeysDoNotStartHundredsOfCompilers) {
  FakeDriver driver;
  std::vector<std::thread> threads;
  const int max_count = static_cast<int>(CompilePermit::max_count());
  for (int t = 0; t < 4 * max_count; t++)
    threads.emplace_back([&, t] { (void)driver.build(key_of("k" + std::to_string(t)), 20); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(driver.compiles, 4 * max_count);
  EXPECT_LE(driver.max_running, max_count);
}

TEST_F(Cache,
       TwoCachesOfOneProcessCompileOneKeyOnce) {  // as two devices with one architecture would
  FakeDriver drivers[2];
  std::thread other([&] { (void)drivers[1].build(key_of("k"), 100); });
  (void)drivers[0].build(key_of("k"), 100);
  other.join();
  EXPECT_EQ(drivers[0].compiles + drivers[1].compiles, 1);
}

TEST_F(Cache, WithoutADirectoryProgramsAreKeptInMemory) {
  setenv("PENSTOCK_CACHE_DIR", "/proc/penstock", 1);
  FakeDriver driver;
  EXPECT_EQ(driver.build(key_of("k"))->report.cache, CacheResult::compiled);
  EXPECT_EQ(driver.build(key_of("k"))->report.cache, CacheResult::memory);
}

TEST_F(Cache, ThousandsOfKeysStayWithinTheMemoryLimit) {
  setenv("PENSTOCK_CACHE_DIR", "/proc/penstock", 1);
  FakeDriver driver;
  for (int i = 0; i < 1100; i++) ASSERT_TRUE(driver.build(key_of(std::to_string(i))).ok());
  EXPECT_EQ(driver.build(key_of("1099"))->report.cache, CacheResult::memory);
  EXPECT_EQ(driver.build(key_of("0"))->report.cache, CacheResult::compiled);
}

// Run by the tests below in a process of its own; its exit status counts the compiles.
TEST(CacheChild, DISABLED_BuildsTheSameKeys) {
  FakeDriver driver;
  bool right = true;
  for (int i = 0; i < 10; i++) {
    const std::string text = "k" + std::to_string(i);
    const auto found = driver.build(key_of(text), 20);
    right = right && found.ok() && found->module->text == text;
  }
  _exit(right ? driver.compiles.load() : 100);
}

pid_t start_child() {
  const pid_t child = fork();
  if (child != 0) return child;
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  execl("/proc/self/exe", "child", "--gtest_filter=CacheChild.*", "--gtest_also_run_disabled_tests",
        static_cast<char*>(nullptr));
  _exit(101);
}

int compiles_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

TEST_F(Cache, TwoProcessesCompileEachKeyOnce) {
  const pid_t a = start_child(), b = start_child();
  EXPECT_EQ(compiles_of(a) + compiles_of(b), 10);
  EXPECT_EQ(entry_count(), 10u);
  EXPECT_EQ(compiles_of(start_child()), 0) << "a later process compiles nothing";
}

TEST_F(Cache, AProcessKilledWhileItCompilesDoesNotBlockTheNext) {
  const pid_t victim = start_child();
  usleep(50000);
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
  EXPECT_LE(compiles_of(start_child()), 10);
  EXPECT_EQ(entry_count(), 10u);
}

}  // namespace
}  // namespace penstock::device
