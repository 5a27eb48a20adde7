// Building programs on every device: the cache across processes, threads and damage; compile
// errors; options.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>
#include <fstream>
#include <thread>

#include "device/disk_cache.hpp"
#include "on_device/device/device_fixture.hpp"

namespace penstock {
namespace {

namespace fs = std::filesystem;

// The cache keeps programs of a CPU's optimising compiler.
const int optimising = setenv("PENSTOCK_CPU_COMPILER", "optimising", 1);
// A child process shares its parent's directory; everyone else makes one.
const char* const child_device = getenv("PENSTOCK_TEST_CHILD_DEVICE");
const auto* const empty_cache_directory =
    child_device ? nullptr : ::testing::AddGlobalTestEnvironment(new EmptyCacheDirectory);

ProgramSource source_of(const Device& device, const std::string& salt) {
  const std::string body =
      "KERNEL count_up(GLOBAL unsigned* a, unsigned count) { if (AT < count) a[AT] += STEP; "
      "}\n/* " +
      salt + " */\n";
  return {.text = source_for(device.traits().target, body),
          .group_size = threads_of(device, 32),
          .defines = {{"STEP", "3u + 4u"}},
          .fast_math = false,
          .label = "count_up"};
}

fs::path file_of(const Program& program) {
  return fs::path(getenv("PENSTOCK_CACHE_DIR")) / (program.report().key + ".jit");
}

ino_t inode_of(const fs::path& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

Status run(Device& device, const Program& program, std::vector<std::uint32_t>& values) {
  PENSTOCK_ASSIGN(auto buffer, device.allocate(values.size() * 4));
  PENSTOCK_ASSIGN(auto queue, device.queue());
  PENSTOCK_TRY(queue->upload(*buffer, values.data(), values.size() * 4));
  const auto count = static_cast<std::uint32_t>(values.size());
  PENSTOCK_TRY(queue->launch(program, "count_up",
                             (count + program.group_size() - 1) / program.group_size(),
                             {{Argument::of(*buffer), Argument::value(count)}}));
  PENSTOCK_TRY(queue->download(values.data(), *buffer, values.size() * 4));
  return queue->finish();
}

void expect_runs(Device& device, const Program& program) {
  std::vector<std::uint32_t> values(1000, 5);
  EXPECT_OK(run(device, program, values));
  EXPECT_EQ(values, std::vector<std::uint32_t>(1000, 12));
}

// PoCL compiles at a launch too, into files of its own cache.
std::size_t compiled_by_pocl() {
  std::error_code error;
  std::size_t count = 0;
  for (fs::recursive_directory_iterator at(getenv("POCL_CACHE_DIR"), error), end;
       !error && at != end; at.increment(error))
    count += at->path().extension() == ".so";
  return count;
}

// Exit status: 0 found in the cache on disk, 1 compiled, 5 found on disk but PoCL had to
// specialise; all right. Any other status: wrong.
TEST(DeviceCacheChild, DISABLED_BuildsAndRuns) {
  ASSERT_NE(child_device, nullptr);
  auto device = open_device(child_device);
  if (!device.ok()) _exit(2);
  auto program = (*device)->build(source_of(**device, getenv("PENSTOCK_TEST_CHILD_SALT")));
  if (!program.ok()) _exit(3);
  const std::size_t compiled = compiled_by_pocl();
  std::vector<std::uint32_t> values(1000, 5);
  if (!run(**device, **program, values).ok() || values != std::vector<std::uint32_t>(1000, 12))
    _exit(4);
  if ((*program)->report().cache != CacheResult::disk) _exit(1);
  _exit(compiled_by_pocl() == compiled ? 0 : 5);
}

pid_t start_child(const std::string& id, const std::string& salt) {
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("PENSTOCK_TEST_CHILD_DEVICE", id.c_str(), 1);
  setenv("PENSTOCK_TEST_CHILD_SALT", salt.c_str(), 1);
  for (const char* shard : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"})
    unsetenv(shard);  // or a shard's child would run its share of one test: none
  setenv("POCL_CACHE_DIR",
         (std::string(getenv("PENSTOCK_CACHE_DIR")) + "/pocl-" + std::to_string(getpid())).c_str(),
         1);
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  execl("/proc/self/exe", "child", "--gtest_filter=DeviceCacheChild.*",
        "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
  _exit(101);
}

int outcome_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 102;
}

TEST(DeviceCache, TheSecondBuildComesFromMemory) {
  on_each_device([](Device& device) {
    TAKE(auto first, device.build(source_of(device, "memory")));
    TAKE(auto second, device.build(source_of(device, "memory")));
    EXPECT_EQ(first->report().cache, CacheResult::compiled);
    EXPECT_EQ(second->report().cache, CacheResult::memory);
    EXPECT_EQ(first->report().key, second->report().key);
    EXPECT_GT(first->report().seconds, second->report().seconds);
    expect_runs(device, *second);
  });
}

TEST(DeviceCache,
     ASecondProcessCompilesNothing) {  // not even PoCL: its own cache is empty in each child
  on_each_device([](Device& device) {
    EXPECT_EQ(outcome_of(start_child(device.traits().id, "process")), 1);
    EXPECT_EQ(outcome_of(start_child(device.traits().id, "process")), 0);
    TAKE(auto program, device.build(source_of(device, "process")));
    EXPECT_EQ(program->report().cache, CacheResult::disk);
    expect_runs(device, *program);
  });
}

TEST(DeviceCache, WhatWasSpecialisedIsNotStoredAgain) {
  on_each_device([](Device& device) {
    TAKE(auto program, device.build(source_of(device, "again")));
    expect_runs(device, *program);
    const ino_t before = inode_of(file_of(*program));
    EXPECT_NE(before, 0u);
    expect_runs(device, *program);
    EXPECT_EQ(outcome_of(start_child(device.traits().id, "again")), 0);
    EXPECT_EQ(inode_of(file_of(*program)), before);
  });
}

TEST(DeviceCache, TwoProcessesAtOnceCompileOnce) {
  on_each_device([](Device& device) {
    const pid_t children[] = {start_child(device.traits().id, "race"),
                              start_child(device.traits().id, "race")};
    int compiled = 0;
    for (const pid_t child : children) {
      const int outcome = outcome_of(child);
      compiled += outcome == 1;
      EXPECT_TRUE(outcome == 0 || outcome == 1 || outcome == 5)
          << outcome;  // 5: launched before the first had
    }
    EXPECT_EQ(compiled, 1);
  });
}

TEST(DeviceCache, ADamagedFileIsCompiledAgain) {
  on_each_device([](Device& device) {
    const std::string& id = device.traits().id;
    ASSERT_EQ(outcome_of(start_child(id, "damage")), 1);
    ASSERT_EQ(outcome_of(start_child(id, "damage")), 0);
    for (const auto& entry : fs::directory_iterator(getenv("PENSTOCK_CACHE_DIR"))) {
      if (entry.path().extension() != ".jit") continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file.put('\x5A').put('\xA5');
    }
    EXPECT_EQ(outcome_of(start_child(id, "damage")), 1);
    EXPECT_EQ(outcome_of(start_child(id, "damage")), 0);
  });
}

TEST(DeviceCache,
     ABinaryThatTheDriverRefusesIsCompiledAgain) {  // as after a driver's silent change of format
  on_each_device([](Device& device) {
    const std::string& id = device.traits().id;
    fs::remove_all(getenv("PENSTOCK_CACHE_DIR"));  // another device's binaries
    ASSERT_EQ(outcome_of(start_child(id, "refused")), 1);
    const device::DiskCache disk(getenv("PENSTOCK_CACHE_DIR"), 1 << 30);
    int replaced = 0;
    for (const auto& entry : fs::directory_iterator(getenv("PENSTOCK_CACHE_DIR"))) {
      if (entry.path().extension() != ".jit") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(file), {}};
      if (content.find("/* refused */") == std::string::npos) continue;
      std::uint64_t key_bytes = 0;  // after eight bytes that name the format
      std::memcpy(&key_bytes, content.data() + 8, sizeof key_bytes);
      const std::string text = content.substr(content.find("format "), key_bytes);
      const device::CacheKey key{text, content_hash(text)};
      ASSERT_EQ(key.digest.hex(), entry.path().stem().string());
      ASSERT_TRUE(disk.store(key, {std::vector<std::byte>(5000, std::byte{0x42}), "", ""}));
      replaced++;
    }
    ASSERT_EQ(replaced, 1);
    EXPECT_EQ(outcome_of(start_child(id, "refused")), 1);
    EXPECT_EQ(outcome_of(start_child(id, "refused")), 0);
  });
}

TEST(DeviceCache, AnotherDirectoryIsAnotherCache) {
  on_each_device([](Device& device) {
    const std::string& id = device.traits().id;
    const std::string folder = getenv("PENSTOCK_CACHE_DIR");
    ASSERT_EQ(outcome_of(start_child(id, "moved")), 1);
    setenv("PENSTOCK_CACHE_DIR", (folder + "/of/its/own").c_str(), 1);
    EXPECT_EQ(outcome_of(start_child(id, "moved")), 1);
    EXPECT_EQ(outcome_of(start_child(id, "moved")), 0);
    setenv("PENSTOCK_CACHE_DIR", folder.c_str(), 1);
  });
}

TEST(DeviceCache, AnUnwritableDirectoryCostsCompilesOnly) {
  on_each_device([](Device& device) {
    const std::string folder = getenv("PENSTOCK_CACHE_DIR");
    setenv("PENSTOCK_CACHE_DIR", "/proc/penstock", 1);
    const auto program = device.build(source_of(device, "unwritable"));
    setenv("PENSTOCK_CACHE_DIR", folder.c_str(), 1);
    ASSERT_OK(program);
    EXPECT_EQ((*program)->report().cache, CacheResult::compiled);
    expect_runs(device, **program);
  });
}

TEST(DeviceCache, EightThreadsBuildFourProgramsFourTimes) {
  on_each_device([](Device& device) {
    std::vector<std::thread> threads;
    std::atomic<int> compiled{0}, wrong{0};
    for (int t = 0; t < 8; t++)
      threads.emplace_back([&, t] {
        const auto program = device.build(source_of(device, "threads" + std::to_string(t % 4)));
        if (!program.ok()) return void(wrong++);
        if ((*program)->report().cache == CacheResult::compiled) compiled++;
        std::vector<std::uint32_t> values(1000, 5);
        if (!run(device, **program, values).ok() || values != std::vector<std::uint32_t>(1000, 12))
          wrong++;
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(compiled, 4);
  });
}

TEST(DeviceBuild, GroupSizeDefinesAndFastMathMakeOtherPrograms) {
  on_each_device([](Device& device) {
    const ProgramSource plain = source_of(device, "keys");
    TAKE(auto base, device.build(plain));
    ProgramSource changed = plain;
    if (device.traits().max_group_size >= 64) {
      changed.group_size = 64;
      TAKE(auto by_size, device.build(changed));
      EXPECT_NE(base->report().key, by_size->report().key);
      EXPECT_EQ(by_size->group_size(), 64u);
    }
    changed = plain, changed.defines = {{"STEP", "8u"}};
    TAKE(auto by_define, device.build(changed));
    changed = plain, changed.fast_math = true;
    TAKE(auto by_option, device.build(changed));
    EXPECT_NE(base->report().key, by_define->report().key);
    // cpu:0 takes no fast_math: both its compilers give the same bits.
    EXPECT_EQ(base->report().key == by_option->report().key, device.traits().target == Target::cpu);
    std::vector<std::uint32_t> values(100, 0);
    EXPECT_OK(run(device, *by_define, values));
    EXPECT_EQ(values[99], 8u);
  });
}

// The linked source's function is another one here than the program's own, to tell them apart.
TEST(DeviceBuild, AProgramCallsTheFunctionsThatAreLinkedToIt) {
  on_each_device([](Device& device) {
    if (device.traits().target != Target::cuda) return;  // no other driver links
    const std::string kernel =
        "KERNEL count_up(GLOBAL unsigned* a, unsigned count) { if (AT < count) a[AT] = "
        "linked_step(a[AT]); }\n";
    const std::string own =
        "#ifdef LINKED_CALLS\nextern \"C\" __device__ unsigned linked_step(unsigned x);\n#else\n"
        "__device__ unsigned linked_step(unsigned x) { return x + 1; }\n#endif\n";
    ProgramSource source = source_of(device, "linked");
    source.text = source_for(device.traits().target, own + kernel);
    std::vector<std::uint32_t> values(100, 0);
    TAKE(auto whole, device.build(source));
    EXPECT_OK(run(device, *whole, values));
    EXPECT_EQ(values[99], 1u);
    source.linked = {
        {.text = "extern \"C\" __device__ unsigned linked_step(unsigned x) { return x + 7; }\n",
         .label = "step",
         .max_registers = 32}};
    TAKE(auto linked, device.build(source));
    EXPECT_OK(run(device, *linked, values));
    EXPECT_EQ(values[99], 8u);
  });
}

TEST(DeviceBuild, ACompileErrorHoldsLabelLogAndLine) {
  on_each_device([](Device& device) {
    const std::string body =
        "#line 1 \"step/broken.kc\"\nKERNEL f(GLOBAL unsigned* a) {\n  a[THREAD] = "
        "nonsense_name;\n}\n";
    const auto program = device.build({.text = source_for(device.traits().target, body),
                                       .group_size = threads_of(device, 32),
                                       .defines = {},
                                       .fast_math = false,
                                       .label = "step 3: map"});
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.status().code(), Code::compile);
    for (const char* part :
         {"step 3: map", "nonsense_name", "step/broken.kc:2 |   a[THREAD] = nonsense_name;"})
      EXPECT_NE(program.status().message().find(part), std::string::npos)
          << program.status().message();
  });
}

TEST(DeviceBuild, ImpossibleGroupSizesAreRefusedBeforeTheCompiler) {
  on_each_device([](Device& device) {
    ProgramSource source = source_of(device, "size");
    source.group_size = device.traits().max_group_size + 1;
    const auto program = device.build(source);
    EXPECT_EQ(program.status().code(), Code::invalid);
    EXPECT_NE(program.status().text().find(std::to_string(device.traits().max_group_size)),
              std::string::npos);
  });
}

TEST(DeviceBuild, EmptyTextHasNoKernels) {
  on_each_device([](Device& device) {
    const auto program = device.build(
        {.text = "", .group_size = 1, .defines = {}, .fast_math = false, .label = "empty"});
    if (!program.ok()) return;  // a driver may refuse it
    TAKE(auto queue, device.queue());
    EXPECT_EQ(queue->launch(**program, "f", 1, {}).code(), Code::invalid);
  });
}

// CUDA only: what a kernel exports beside itself reaches the launch.
TEST(DeviceBuild, ExportedLocalBytesReachTheLaunch) {
  on_each_device([](Device& device) {
    if (device.traits().target != Target::cuda) return;
    const std::string body = R"(
extern "C" __device__ const unsigned probe_local_bytes = 100 * 1024;
KERNEL probe(unsigned* a) {
  extern __shared__ unsigned tile[];
  if (THREAD == 0) { unsigned bytes; asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes)); a[0] = bytes; a[1] = blockDim.x; }
  tile[100 * 256 - 1 - THREAD] = THREAD;
}
)";
    TAKE(auto program, device.build({.text = source_for(Target::cuda, body),
                                     .group_size = 64,
                                     .defines = {},
                                     .fast_math = false,
                                     .label = "probe"}));
    TAKE(auto buffer, device.allocate(8));
    TAKE(auto queue, device.queue());
    std::uint32_t out[2] = {0, 0};
    ASSERT_OK(queue->launch(*program, "probe", 1, {{Argument::of(*buffer)}}));
    ASSERT_OK(queue->download(out, *buffer, 8));
    ASSERT_OK(queue->finish());
    EXPECT_EQ(out[0], 100u * 1024u);
    EXPECT_EQ(out[1], 64u);
    TAKE(const std::uint32_t resident, device.resident_groups(*program, "probe"));
    EXPECT_LE(resident, device.traits().compute_units * 2);  // by local memory
  });
}

}  // namespace
}  // namespace penstock
