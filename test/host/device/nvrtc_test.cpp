// NVRTC needs no GPU: where the library is, CUDA text compiles here.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda/nvrtc.hpp"

namespace penstock::cuda {
namespace {

class NvrtcTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto nvrtc = open_nvrtc(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status().text();
    nvrtc_ = std::move(nvrtc).value();
  }
  Nvrtc nvrtc_;
};

constexpr const char* scale_source = R"(#line 1 "program"
extern "C" __device__ const unsigned scale_local_bytes = 65536;
extern "C" __global__ void scale(const float* __restrict__ a, float* __restrict__ b, float by) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = a[blockIdx.x * GROUP_SIZE + threadIdx.x];
  __syncthreads();
  b[blockIdx.x * GROUP_SIZE + threadIdx.x] = tile[threadIdx.x] * by + 1.0f;
}
)";

bool contains(const std::vector<std::byte>& binary, std::string_view text) {
  return std::string_view(reinterpret_cast<const char*>(binary.data()), binary.size()).find(text) !=
         std::string_view::npos;
}

TEST_F(NvrtcTest, ACubinForTheExactArchitectureKeepsTheExportedConstants) {
  const auto compiled = compile_source(
      nvrtc_, std::string("#define GROUP_SIZE 64\n") + scale_source, 90, {"--std=c++17"}, "scale");
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  EXPECT_EQ(std::memcmp(compiled->binary.data(),
                        "\x7f"
                        "ELF",
                        4),
            0);
  EXPECT_TRUE(contains(compiled->binary, "scale_local_bytes"));
}

TEST_F(NvrtcTest, AGpuNewerThanTheCompilerGetsPtx) {
  const auto compiled = compile_source(
      nvrtc_, std::string("#define GROUP_SIZE 64\n") + scale_source, 999, {"--std=c++17"}, "scale");
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  EXPECT_TRUE(contains(compiled->binary, ".visible .entry scale"));
  EXPECT_EQ(compiled->binary.back(), std::byte{0});
}

TEST_F(NvrtcTest, AGpuThatTheCompilerNoLongerKnowsIsRefusedByName) {
  const auto compiled = compile_source(nvrtc_, scale_source, 20, {}, "scale");
  EXPECT_EQ(compiled.status().code(), Code::unsupported);
  EXPECT_NE(compiled.status().text().find("sm_20"), std::string::npos);
}

// As a compiler does that does not know an option.
int (*real_compile)(Nvrtc::Program, int, const char* const*) = nullptr;
std::string_view unknown_option;
std::vector<std::string> accepted_options;
int refuse_unknown_option(Nvrtc::Program program, int count, const char* const* options) {
  accepted_options.assign(options, options + count);
  for (const std::string& option : accepted_options)
    if (option.starts_with(unknown_option)) return 5;  // NVRTC_ERROR_INVALID_OPTION
  return real_compile(program, count, options);
}

TEST_F(NvrtcTest, AnOlderCompilerIsAskedAgainWithoutWhatItRefuses) {
  real_compile = std::exchange(nvrtc_.compile, refuse_unknown_option);
  const std::string text = std::string("#define GROUP_SIZE 64\n") + scale_source;
  struct Row {
    std::string_view unknown;
    std::size_t quick_options;  // that are left
  };
  for (const Row& row : {Row{"--no-cache", 2}, Row{"--minimal", 1}, Row{"--split-compile", 0}}) {
    unknown_option = row.unknown;
    const auto compiled = compile_source(nvrtc_, text, 90, {"--std=c++17"}, "scale");
    ASSERT_TRUE(compiled.ok()) << compiled.status().text();
    EXPECT_TRUE(contains(compiled->binary, "scale_local_bytes"));
    constexpr std::size_t own_options = 2;  // the architecture and the language
    EXPECT_EQ(accepted_options.size(), own_options + row.quick_options) << row.unknown;
  }
}

TEST_F(NvrtcTest, ErrorsQuoteTheLine) {
  const auto compiled = compile_source(
      nvrtc_, "#line 1 \"kernel/x.kc\"\n\nextern \"C\" __global__ void f() { missing(); }\n", 90,
      {}, "my step");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), Code::compile);
  for (const char* part :
       {"my step", "missing", "kernel/x.kc:2 | extern \"C\" __global__ void f() { missing(); }"})
    EXPECT_NE(compiled.status().message().find(part), std::string::npos)
        << compiled.status().message();
}

TEST_F(NvrtcTest, MultiplyAddIsNotContractedUnlessAsked) {
  const std::string text = std::string("#define GROUP_SIZE 64\n") + scale_source;
  const auto exact = compile_source(nvrtc_, text, 999, {"-fmad=false"}, "scale"),
             fast = compile_source(nvrtc_, text, 999, {"--use_fast_math"}, "scale");
  ASSERT_TRUE(exact.ok() && fast.ok());
  EXPECT_FALSE(contains(exact->binary, "fma."));
  EXPECT_TRUE(contains(fast->binary, "fma."));
}

namespace fs = std::filesystem;

// A folder with a planted NVRTC in `.venv`, an executable in build/, and this process inside.
class NvrtcPlace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "penstock-nvrtc-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    const fs::path library =
        root_ / ".venv/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
    fs::create_directories(library.parent_path());
    fs::create_directories(root_ / "build");
    std::ofstream(library) << "planted";
    std::ofstream(root_ / "build" / "penstock") << "program";
    fs::current_path(root_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(root_);
  }
  bool is_found(const fs::path& executable) const {
    for (const std::string& path : nvrtc_candidates(executable))
      if (path.starts_with(root_.string())) return true;
    return false;
  }
  fs::path root_, before_ = fs::current_path();
};

TEST_F(NvrtcPlace, TheWorkingDirectoryIsNeverSearched) {
  EXPECT_FALSE(is_found("/usr/bin/env"));
  EXPECT_FALSE(is_found(""));
}

TEST_F(NvrtcPlace, ABuildFindsItsProjectsEnvironment) {
  EXPECT_TRUE(is_found(root_ / "build" / "penstock"));
}

TEST_F(NvrtcPlace, AnEnvironmentThatAnybodyMayWriteToIsPassedOver) {
  fs::permissions(root_ / ".venv", fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(is_found(root_ / "build" / "penstock"));
}

TEST_F(NvrtcPlace, AnEnvironmentOfAnotherUserIsPassedOver) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(lchown((root_ / ".venv").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(is_found(root_ / "build" / "penstock"));
  ASSERT_EQ(lchown((root_ / "build" / "penstock").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(is_found(root_ / "build" / "penstock"));  // his program, his environment
}

TEST(NvrtcSearch, AWrongPathInTheVariableIsNotPassedOver) {
  setenv("PENSTOCK_NVRTC", "/nonexistent/libnvrtc.so", 1);
  const auto nvrtc = open_nvrtc(0);
  unsetenv("PENSTOCK_NVRTC");
  ASSERT_FALSE(nvrtc.ok());
  EXPECT_EQ(nvrtc.status().code(), Code::no_device);
  EXPECT_NE(nvrtc.status().text().find("nvidia-cuda-nvrtc"), std::string::npos);
}

}  // namespace
}  // namespace penstock::cuda
