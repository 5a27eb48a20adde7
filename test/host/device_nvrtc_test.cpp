// NVRTC needs no GPU: where the library is, CUDA text compiles here.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>

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

constexpr const char* scale_text = R"(#line 1 "program"
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
  const auto compiled = compile_text(nvrtc_, std::string("#define GROUP_SIZE 64\n") + scale_text, 90, {"--std=c++17"},
                                     "scale");
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  EXPECT_EQ(std::memcmp(compiled->binary.data(), "\x7f" "ELF", 4), 0);
  EXPECT_TRUE(contains(compiled->binary, "scale_local_bytes"));
}

TEST_F(NvrtcTest, AGpuNewerThanTheCompilerGetsPtx) {
  const auto compiled = compile_text(nvrtc_, std::string("#define GROUP_SIZE 64\n") + scale_text, 999, {"--std=c++17"},
                                     "scale");
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  EXPECT_TRUE(contains(compiled->binary, ".visible .entry scale"));
  EXPECT_EQ(compiled->binary.back(), std::byte{0});
}

TEST_F(NvrtcTest, AGpuThatTheCompilerNoLongerKnowsIsRefusedByName) {
  const auto compiled = compile_text(nvrtc_, scale_text, 20, {}, "scale");
  EXPECT_EQ(compiled.status().code(), Code::unsupported);
  EXPECT_NE(compiled.status().text().find("sm_20"), std::string::npos);
}

TEST_F(NvrtcTest, ErrorsQuoteTheLine) {
  const auto compiled = compile_text(
      nvrtc_, "#line 1 \"kernel/x.kc\"\n\nextern \"C\" __global__ void f() { missing(); }\n", 90, {}, "my step");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.status().code(), Code::compile);
  for (const char* part : {"my step", "missing", "kernel/x.kc:2 | extern \"C\" __global__ void f() { missing(); }"})
    EXPECT_NE(compiled.status().message().find(part), std::string::npos) << compiled.status().message();
}

TEST_F(NvrtcTest, MultiplyAddIsNotContractedUnlessAsked) {
  const std::string text = std::string("#define GROUP_SIZE 64\n") + scale_text;
  const auto exact = compile_text(nvrtc_, text, 999, {"-fmad=false"}, "scale"),
             fast = compile_text(nvrtc_, text, 999, {"--use_fast_math"}, "scale");
  ASSERT_TRUE(exact.ok() && fast.ok());
  EXPECT_FALSE(contains(exact->binary, "fma."));
  EXPECT_TRUE(contains(fast->binary, "fma."));
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
