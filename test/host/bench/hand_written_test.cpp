// Programs compiled ahead for an architecture are those that its GPUs ask for.
#include "bench/ahead/hand_written.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <mutex>
#include <set>

#include "device/ahead_of_time.hpp"
#include "device/cuda/compiling_device.hpp"
#include "device/cuda/cuda_ahead_of_time.hpp"
#include "device/cuda/cuda_compile.hpp"
#include "device/cuda/cuda_traits.hpp"
#include "device/driver.hpp"
#include "kernel/bandwidth.hpp"

namespace penstock::bench {
namespace {

// Records the keys of what it is asked to build.
class KeyRecorder final : public cuda::CompilingDevice {
 public:
  explicit KeyRecorder(Traits traits) : CompilingDevice(std::move(traits)) {}
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    add(source, cuda::compiler_options(source));
    for (const LinkedSource& linked : source.linked) {
      const cuda::LinkedPart part = cuda::linked_part(linked, traits_, source.fast_math);
      add(part.source, part.options);
    }
    return std::shared_ptr<Program>(
        std::make_shared<cuda::CompiledProgram>(source.group_size, BuildReport{}));
  }
  std::set<Hash128> keys;

 private:
  void add(const ProgramSource& source, const std::vector<std::string>& options) {
    const std::lock_guard lock(mutex_);
    keys.insert(cuda::programs_ahead_of_time(traits_, source, options).key.digest);
  }
  std::mutex mutex_;
};

std::set<Hash128> keys_for(const Traits& traits) {
  const auto device = std::make_shared<KeyRecorder>(traits);
  const FilledPrograms filled = build_hand_written(device);
  EXPECT_TRUE(filled.failed.empty()) << filled.failed.front();
  return device->keys;
}

// A GPU as CUDA's driver describes it.
struct Gpu {
  const char* name;
  int architecture;
  std::uint32_t compute_units;
  std::uint64_t local_bytes, global_bytes;
};

Traits traits_of(const Gpu& gpu) {
  Traits traits;
  cuda::set_common_traits(traits);
  traits.id = "cuda:0", traits.name = gpu.name;
  traits.driver = "CUDA 13.0, driver 580.65.06", traits.compiler = "NVRTC 12.9";
  traits.architecture = "sm_" + std::to_string(gpu.architecture);
  traits.compute_units = gpu.compute_units;
  traits.max_group_size = 1024, traits.subgroup_size = 32;
  traits.local_bytes = gpu.local_bytes;
  traits.global_bytes = traits.max_allocation_bytes = gpu.global_bytes;
  return traits;
}

TEST(HandWritten, AGpuAsksForTheProgramsThatWereCompiledForItsArchitecture) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  constexpr Gpu gpus[] = {{"NVIDIA H200", 90, 132, 232448, 140 * gib},
                          {"NVIDIA A100-SXM4-80GB", 80, 108, 166912, 79 * gib},
                          {"NVIDIA A10", 86, 72, 101376, 22 * gib},
                          {"NVIDIA L4", 89, 58, 101376, 22 * gib},
                          {"Tesla T4", 75, 40, 65536, 15 * gib}};
  for (const Gpu& gpu : gpus) {
    const int shipped = cuda::shipped_architecture(gpu.architecture);
    const auto ahead = keys_for(cuda::traits_of_architecture(shipped));
    EXPECT_GT(ahead.size(), 80u);
    EXPECT_EQ(keys_for(traits_of(gpu)), ahead) << gpu.name;
  }
}

TEST(HandWritten, AnotherArchitectureHasOtherKeys) {
  const auto of_80 = keys_for(cuda::traits_of_architecture(80));
  for (const Hash128& key : keys_for(cuda::traits_of_architecture(90)))
    EXPECT_FALSE(of_80.contains(key));
}

// Through NVRTC and the file, to what a GPU looks up.
TEST(HandWritten, AProgramCompiledAheadIsFoundByItsKey) {
  const auto device = device::cuda_compiler_for(90);
  if (!device.ok()) GTEST_SKIP() << device.status().text();
  const std::string path = ::testing::TempDir() + "penstock-hand-written.programs";
  device::begin_writing_programs();
  ASSERT_TRUE(kernel::build_copy(**device).ok());
  const auto count = device::end_writing_programs(path);
  ASSERT_TRUE(count.ok()) << count.status().text();
  EXPECT_EQ(*count, 1u);
  const auto gpu = std::make_shared<KeyRecorder>(
      traits_of({"NVIDIA H200", 90, 132, 232448, std::uint64_t{1} << 37}));
  ASSERT_TRUE(kernel::build_copy(*gpu).ok());
  device::AheadOfTime ahead{path, "", {}};
  ASSERT_EQ(gpu->keys.size(), 1u);
  ahead.key.digest = *gpu->keys.begin();
  const auto found = ahead.find();
  ASSERT_TRUE(found);
  ASSERT_GT(found->binary.size(), 4u);
  EXPECT_EQ(std::to_integer<char>(found->binary[1]), 'E');  // "\x7fELF"
}

}  // namespace
}  // namespace penstock::bench
