// Sources that are compiled before a device is open. Needs NVRTC, and no GPU.
#include "device/cuda/begun_sources.hpp"

#include <gtest/gtest.h>

#include "device/cuda/expected_device.hpp"

namespace penstock::cuda {
namespace {

class BegunSourcesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto nvrtc = open_nvrtc(0);
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status().text();
    nvrtc_ = std::move(nvrtc).value();
  }
  static SourceToCompile source_of(const std::string& name) {
    return {90, {"--std=c++17"}, "extern \"C\" __global__ void " + name + "(int* a) { *a = 1; }\n"};
  }
  Nvrtc nvrtc_;
};

TEST_F(BegunSourcesTest, TheDeviceFindsWhatWasCompiledOfItsTextAndOptionsAlone) {
  const SourceToCompile begun = source_of("begun");
  begin_source(nvrtc_, begun, "begun", [] { return false; });
  SourceToCompile other = begun;
  other.options.emplace_back("-fmad=false");
  EXPECT_FALSE(take_begun(other));
  EXPECT_FALSE(take_begun(source_of("other")));
  const auto taken = take_begun(begun);
  ASSERT_TRUE(taken);
  const auto compiled =
      compile_source(nvrtc_, begun.text, begun.architecture, begun.options, "begun");
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  EXPECT_EQ(taken->binary, compiled->binary);
  EXPECT_FALSE(take_begun(begun)) << "it was taken";
}

TEST_F(BegunSourcesTest, WhatTheCacheHasIsNotCompiled) {
  begin_source(nvrtc_, source_of("cached"), "cached", [] { return true; });
  EXPECT_FALSE(take_begun(source_of("cached")));
}

TEST_F(BegunSourcesTest, AnErrorIsLeftToTheDeviceThatCompilesTheSourceAgain) {
  SourceToCompile wrong = source_of("wrong");
  wrong.text += "no type at all;";
  begin_source(nvrtc_, wrong, "wrong", [] { return false; });
  EXPECT_FALSE(take_begun(wrong));
}

TEST(ExpectedDevice, NamesOfGpusAreWholeWords) {
  EXPECT_EQ(architecture_of_model("NVIDIA H200"), 90);
  EXPECT_EQ(architecture_of_model("NVIDIA A100-SXM4-80GB"), 80);
  EXPECT_EQ(architecture_of_model("NVIDIA A10"), 86);
  EXPECT_EQ(architecture_of_model("NVIDIA A1000"), 0);
  EXPECT_EQ(architecture_of_model("Tesla T4"), 75);
  EXPECT_EQ(architecture_of_model(""), 0);
}

}  // namespace
}  // namespace penstock::cuda
