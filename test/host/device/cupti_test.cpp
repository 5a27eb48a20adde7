// Sampling of stalls without a GPU, by a fake CUPTI; and the real library's source lines, if it is
// installed.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>

#include "device/cuda/nvrtc.hpp"
#include "device/cuda/pc_sampling.hpp"

namespace penstock::cuda {
namespace {

TEST(Cupti, ReasonsLoseTheirPrefixAndAreNotCountedTwice) {
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long_scoreboard");
  EXPECT_EQ(stall_reason("smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued"), "");
  EXPECT_EQ(stall_reason("something_new"), "something_new");
}

TEST(Cupti, AMissingLibrarySaysWhatToInstall) {
  ::setenv("PENSTOCK_CUPTI", "/nowhere/libcupti.so", 1);
  const Status status = open_cupti(13).status();
  ::unsetenv("PENSTOCK_CUPTI");
  EXPECT_EQ(status.code(), Code::unsupported);
  EXPECT_NE(status.message().find("pip install nvidia-cuda-cupti"), std::string::npos)
      << status.text();
}

// ---- a CUPTI of two reasons, with data in two parts ----

struct Played {
  std::string calls;
  CUptiResult enabled = CUPTI_SUCCESS;
  int parts = 0;
  PcData* flushed = nullptr;
};
Played played;

CUptiResult note(const char* call, CUptiResult result = CUPTI_SUCCESS) {
  played.calls += std::string(call) + " ";
  return result;
}

void put(PcData& data, std::uint64_t pc, std::uint32_t reason, std::uint32_t samples) {
  static char name[] = "pipeline_a";
  PcRecord& record = data.records[data.record_count++];
  record.cubin_crc = 7;
  record.pc_offset = pc;
  record.function_name = name;
  record.stall_count = 2;
  record.stalls[0] = {reason, samples};
  record.stalls[1] = {9, samples};  // "_not_issued" of it
  data.total_samples += samples;
}

Cupti played_cupti() {
  played = {};
  Cupti cupti;
  cupti.error_name = [](CUptiResult, const char** name) {
    *name = "CUPTI_ERROR_PLAYED";
    return CUptiResult{0};
  };
  cupti.enable = [](PcContextParameters* p) {
    EXPECT_EQ(p->size, 24u);
    return note("enable", played.enabled);
  };
  cupti.disable = [](PcContextParameters*) {
    put(*played.flushed, 0x30, 4, 1);
    return note("disable");
  };
  cupti.start = [](PcContextParameters*) { return note("start"); };
  cupti.stop = [](PcContextParameters*) {
    put(*played.flushed, 0x10, 3, 5);
    return note("stop");
  };
  cupti.set_attributes = [](PcAttributeParameters* p) {
    for (std::size_t i = 0; i < p->count; i++)
      if (p->attributes[i].type == CUPTI_PC_SAMPLING_ATTR_SAMPLING_DATA_BUFFER)
        played.flushed = static_cast<PcData*>(p->attributes[i].value.pointer);
    return note("configure");
  };
  cupti.get_data = [](PcDataParameters* p) {
    auto& data = *static_cast<PcData*>(p->data);
    put(data, 0x10, 3, 10);
    put(data, 0x20, 4, 3);
    data.remaining_count = played.parts == 0 ? 2 : 0;
    data.dropped_samples = 1;
    played.parts++;
    return note("data");
  };
  cupti.reason_count = [](PcReasonCountParameters* p) {
    *p->count = 3;
    return CUptiResult{0};
  };
  cupti.reasons = [](PcReasonParameters* p) {
    const char* names[] = {"smsp__pcsamp_warps_issue_stalled_barrier",
                           "smsp__pcsamp_warps_issue_stalled_wait",
                           "smsp__pcsamp_warps_issue_stalled_wait_not_issued"};
    const std::uint32_t indices[] = {3, 4, 9};
    for (std::size_t i = 0; i < 3; i++) {
      p->indices[i] = indices[i];
      std::snprintf(p->names[i], reason_name_bytes, "%s", names[i]);
    }
    return CUptiResult{0};
  };
  cupti.line_of = [](PcLineParameters* p) {
    p->line = static_cast<std::uint32_t>(p->pc_offset >= 0x20 ? 12 : 11);
    p->file = ::strdup("pipeline");
    return CUptiResult{0};
  };
  cupti.crc_of = [](PcCrcParameters* p) {
    p->crc = 7;
    return CUptiResult{0};
  };
  return cupti;
}

class PcSamplingTest : public ::testing::Test {
 protected:
  PcSamplingTest() {
    api_.cuCtxPushCurrent = [](CUcontext) { return CUresult{0}; };
    api_.cuCtxPopCurrent = [](CUcontext*) { return CUresult{0}; };
    api_.cuModuleUnload = [](CUmodule) { return CUresult{0}; };
    context_ = std::make_shared<Context>(api_, nvrtc_, Traits());
    programs_->by_key["a key"] =
        std::make_shared<Module>(context_, nullptr, std::vector<std::byte>(8), false);
  }
  Api api_;
  Nvrtc nvrtc_;
  ContextPointer context_;
  std::shared_ptr<SampledPrograms> programs_ = std::make_shared<SampledPrograms>();
};

TEST_F(PcSamplingTest, EveryPartIsTakenOnceAndGroupedByLine) {
  auto sampler = begin_pc_sampling(played_cupti(), context_, programs_);
  ASSERT_TRUE(sampler.ok()) << sampler.status().text();
  const auto stalls = (*sampler)->finish();
  ASSERT_TRUE(stalls.ok()) << stalls.status().text();
  EXPECT_EQ(played.calls, "enable configure start stop data data disable ");
  ASSERT_EQ(stalls->samples.size(), 2u);
  const StallSample &barrier = stalls->samples[0], &wait = stalls->samples[1];
  EXPECT_EQ(barrier.program_key + " " + barrier.kernel + " " + barrier.reason,
            "a key pipeline_a barrier");
  EXPECT_EQ(barrier.part + " " + std::to_string(barrier.line), "pipeline 11");
  EXPECT_EQ(barrier.samples, 25u);  // 5 that stop() flushed, twice 10
  EXPECT_EQ(wait.line, 12u);
  EXPECT_EQ(wait.samples, 7u);  // twice 3, and 1 that disable() flushed
  EXPECT_EQ(stalls->total, 32u);
  EXPECT_EQ(stalls->dropped, 2u);
}

TEST_F(PcSamplingTest, AMissingRightSaysWhatToAllow) {
  Cupti cupti = played_cupti();
  played.enabled = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  const Status status = begin_pc_sampling(cupti, context_, programs_).status();
  EXPECT_EQ(status.code(), Code::unsupported);
  EXPECT_NE(status.message().find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos)
      << status.text();
  EXPECT_EQ(played.calls, "enable ");
}

TEST_F(PcSamplingTest, AFullBufferIsAnErrorAndSamplingEnds) {
  Cupti cupti = played_cupti();
  cupti.get_data = [](PcDataParameters*) { return note("data", CUPTI_ERROR_OUT_OF_MEMORY); };
  {
    auto sampler = begin_pc_sampling(cupti, context_, programs_);
    ASSERT_TRUE(sampler.ok());
    EXPECT_EQ((*sampler)->finish().status().code(), Code::capacity);
  }
  EXPECT_EQ(played.calls, "enable configure start stop data disable ");
}

// With the real library, which needs no GPU for this (CUPTI 12; CUDA 13's does not answer without a
// driver).
TEST(Cupti, InstructionsKnowTheLinesOfTheText) {
  const auto cupti = open_cupti(0);
  const auto nvrtc = open_nvrtc(0);
  if (!cupti.ok() || !nvrtc.ok()) GTEST_SKIP() << cupti.status().text() << nvrtc.status().text();
  const std::string text =
      "#define N 3\n#line 1 \"program\"\nextern \"C\" __global__ void add(float* x, int n) {\n  "
      "float s = 0;\n"
      "  for (int k = 0; k < n; k++)\n    s += x[k] * x[k + 1];\n  x[threadIdx.x] = s;\n}\n";
  const auto compiled = compile_source(*nvrtc, text, 90, {"--generate-line-info"}, "add");
  ASSERT_TRUE(compiled.ok()) << compiled.status().text();
  std::vector<std::uint32_t> per_line(8);
  for (std::uint64_t pc = 0; pc < 0x2000; pc += 0x10)
    if (const std::uint32_t line = place_of(*cupti, compiled->binary, "add", pc).line;
        line < per_line.size())
      per_line[line]++;
  EXPECT_GT(per_line[4], 0u);
  EXPECT_GT(per_line[5], 0u);
}

}  // namespace
}  // namespace penstock::cuda
