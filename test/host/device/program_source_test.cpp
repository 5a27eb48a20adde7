// Names, messages and the choice of a device: what needs no device.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "device/cache_key.hpp"
#include "device/compile_error.hpp"
#include "device/cuda/cuda_api.hpp"
#include "device/opencl/opencl_api.hpp"
#include "device/program_source.hpp"
#include "device/queue_checks.hpp"
#include "penstock/device.hpp"

namespace penstock {
namespace {

TEST(TargetNames, EveryTargetIsFoundByItsName) {
  for (const Target target :
       {Target::cuda, Target::opencl, Target::metal, Target::sycl, Target::cpu, Target::host}) {
    const auto found = target_from_name(name_of(target));
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(*found, target);
  }
  EXPECT_EQ(target_from_name("vulkan").status().code(), Code::invalid);
}

TEST(CompileError, QuotesTheLineOfANamedPart) {
  const std::string text =
      "int a;\n#line 1 \"kernel/one.kc\"\nfirst\nsecond\n#line 10 "
      "\"kernel/two.kc\"\ntenth\neleventh\n";
  const std::string message = device::compile_error("sum of x", "opencl:0", text,
                                                    "kernel/two.kc:11:5: error: no such thing\n")
                                  .message();
  EXPECT_NE(message.find("sum of x"), std::string::npos);
  EXPECT_NE(message.find("opencl:0"), std::string::npos);
  EXPECT_NE(message.find("no such thing"), std::string::npos);
  EXPECT_NE(message.find("kernel/two.kc:11 | eleventh"), std::string::npos) << message;
  EXPECT_EQ(message.find("tenth\n"), std::string::npos) << "only lines that the log names";
}

TEST(CompileError, ReadsTheFormOfNvrtcToo) {
  const std::string message =
      device::compile_error("x", "sm_90", "#line 1 \"program\"\nalpha\nbeta\n",
                            "program(2): error: identifier \"y\" is undefined")
          .message();
  EXPECT_NE(message.find("program:2 | beta"), std::string::npos) << message;
}

TEST(CompileError, ReadsTheFormOfPoclToo) {
  const std::string message =
      device::compile_error("x", "d", "#line 1 \"program\"\nalpha\nbeta\n",
                            "error: program:2:13: use of undeclared identifier")
          .message();
  EXPECT_NE(message.find("program:2 | beta"), std::string::npos) << message;
}

TEST(CompileError, LinesBeforeAnyDirectiveBelongToTheCompilersOwnName) {
  const std::string message =
      device::compile_error("x", "d", "alpha\nbeta\n", "/tmp/cache/tempfile.cl:2:1: error: bad")
          .message();
  EXPECT_NE(message.find("line 2 | beta"), std::string::npos) << message;
}

TEST(CompileError, ACompilerThatCountsLinesAsTheyStandIsUnderstood) {
  const std::string message =
      device::compile_error("x", "d", "#define A\n#line 1 \"program\"\nalpha\nbeta\n",
                            "<kernel>:4:13: error: bad")
          .message();
  EXPECT_NE(message.find("program:2 | beta"), std::string::npos) << message;
}

TEST(CompileError, StrangeLogsAreShownAsTheyAre) {
  for (const char* log : {"", "error", "error:", ":error", "x:99999999999999:1: error: y",
                          "(:(:(1 error", "a:7:1: error: beyond the text"}) {
    const Status status =
        device::compile_error("x", "d", "#line\n#line x\n#line 3 \"open\nz\n", log);
    EXPECT_EQ(status.code(), Code::compile);
    EXPECT_NE(status.message().find(log), std::string::npos);
  }
}

TEST(CompileError, AnEndlessLogIsCut) {
  const std::string message =
      device::compile_error("x", "d", "text", std::string(1 << 20, 'e')).message();
  EXPECT_LT(message.size(), 20000u);
  EXPECT_NE(message.find("the log is longer"), std::string::npos);
}

TEST(CacheKey, EveryFieldCountsExceptTheLabel) {
  Traits traits;
  traits.name = "N", traits.architecture = "A", traits.driver = "D", traits.compiler = "C";
  const ProgramSource source{
      .text = "t", .group_size = 64, .defines = {{"A", "1"}}, .fast_math = false, .label = "one"};
  const auto key = [](const Traits& t, const ProgramSource& s,
                      const std::vector<std::string>& options = {"-x"}) {
    return device::cache_key(t, device::key_options(options, s), s).text;
  };
  const std::string plain = key(traits, source);
  ProgramSource changed = source;
  changed.label = "another";
  EXPECT_EQ(key(traits, changed), plain);
  changed = source, changed.text = "u";
  EXPECT_NE(key(traits, changed), plain);
  changed = source, changed.group_size = 32;
  EXPECT_NE(key(traits, changed), plain);
  changed = source, changed.defines[0].second = "2";
  EXPECT_NE(key(traits, changed), plain);
  EXPECT_NE(key(traits, source, {"-y"}), plain);
  changed = source, changed.linked = {{.text = "f", .label = "f", .max_registers = 40}};
  const std::string linked = key(traits, changed);
  EXPECT_NE(linked, plain);
  changed.linked[0].max_registers = 64;
  EXPECT_NE(key(traits, changed), linked);
  changed.linked[0] = {.text = "g", .label = "f", .max_registers = 40};
  EXPECT_NE(key(traits, changed), linked);
  for (std::string Traits::* field :
       {&Traits::name, &Traits::architecture, &Traits::driver, &Traits::compiler}) {
    Traits other = traits;
    other.*field = "else";
    EXPECT_NE(key(other, source), plain);
  }
  Traits other = traits;
  other.target = Target::cuda;
  EXPECT_NE(key(other, source), plain);
}

TEST(CacheKey, FieldsCannotRunIntoOneAnother) {
  const auto key = [](std::vector<std::string> options) {
    return device::cache_key(Traits{}, options, ProgramSource{}).text;
  };
  EXPECT_NE(key({"ab", "c"}), key({"a", "bc"}));
  EXPECT_NE(key({"a\noption 1\nb"}), key({"a", "b"}));
}

TEST(ProgramText, DefinesMayHoldSpacesAndQuotesButNoSecondLine) {
  Traits traits;
  traits.max_group_size = 128;
  ProgramSource source{.text = "body\n",
                       .group_size = 64,
                       .defines = {{"NAME", "a \"b\" c"}},
                       .fast_math = false,
                       .label = "l"};
  EXPECT_TRUE(device::check_source(traits, source).ok());
  EXPECT_EQ(device::with_head(source, "extra\n"),
            "#define GROUP_SIZE 64\n#define NAME a \"b\" c\nextra\n#line 1 \"program\"\nbody\n");
  source.defines = {{"NAME", "1\n#include \"x\""}};
  EXPECT_EQ(device::check_source(traits, source).code(), Code::invalid);
  source.defines = {{"9", "1"}};
  EXPECT_EQ(device::check_source(traits, source).code(), Code::invalid);
  source.defines.clear(), source.group_size = 129;
  EXPECT_NE(device::check_source(traits, source).message().find("129"), std::string::npos);
  source.group_size = 0;
  EXPECT_EQ(device::check_source(traits, source).code(), Code::invalid);
}

TEST(DriverErrors, FaultsAreALostDeviceByTheDriversName) {
  EXPECT_EQ(opencl::status_of(opencl::CL_OUT_OF_RESOURCES, "clFinish").code(), Code::device_lost);
  EXPECT_NE(opencl::status_of(opencl::CL_OUT_OF_RESOURCES, "clFinish")
                .text()
                .find("clFinish: CL_OUT_OF_RESOURCES (-5)"),
            std::string::npos);
  EXPECT_EQ(opencl::status_of(opencl::CL_DEVICE_NOT_AVAILABLE, "x").code(), Code::device_lost);
  EXPECT_EQ(opencl::status_of(opencl::CL_MEM_OBJECT_ALLOCATION_FAILURE, "x").code(),
            Code::no_memory);
  EXPECT_EQ(opencl::status_of(opencl::CL_INVALID_VALUE, "x").code(), Code::internal);
  EXPECT_EQ(opencl::status_of(-9999, "x").code(), Code::internal);
  EXPECT_TRUE(opencl::status_of(opencl::CL_SUCCESS, "x").ok());
  EXPECT_EQ(cuda::code_of(cuda::CUDA_ERROR_ILLEGAL_ADDRESS), Code::device_lost);
  EXPECT_EQ(cuda::code_of(717), Code::device_lost);
  EXPECT_EQ(cuda::code_of(cuda::CUDA_ERROR_OUT_OF_MEMORY), Code::no_memory);
  EXPECT_EQ(cuda::code_of(cuda::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES), Code::internal);
}

struct Hidden {
  explicit Hidden(const char* drivers) { setenv("PENSTOCK_HIDE", drivers, 1); }
  ~Hidden() { unsetenv("PENSTOCK_HIDE"); }
};

TEST(OpenDevice, WithoutAnyDriverTheErrorSaysWhatToInstall) {
  const Hidden hidden("cuda,cpu,opencl,sycl");
  EXPECT_TRUE(list_devices().empty());
  for (const char* selector : {"", "cpu", "gpu", "cuda", "opencl:0"}) {
    const Status status = open_device(selector).status();
    EXPECT_EQ(status.code(), Code::no_device) << selector;
    EXPECT_NE(status.text().find("apt install tcc gcc"), std::string::npos) << status.text();
    EXPECT_NE(status.text().find("nvidia-cuda-nvrtc"), std::string::npos) << status.text();
  }
}

TEST(OpenDevice, HidingNamesWholeDriversOnly) {
  const Hidden hidden("open,cud,opencl-x");
  std::vector<std::string> notes;
  list_devices(&notes);
  for (const std::string& note : notes)
    EXPECT_EQ(note.find("PENSTOCK_HIDE"), std::string::npos) << note;
}

TEST(OpenDevice, WhatIsNoSelectorIsInvalidNotAbsent) {
  for (const char* selector : {"gpgpu", "opencl:", "opencl:x", "opencl:1x", "cuda:-1",
                               "cuda:99999999999999999999", "CPU", " "})
    EXPECT_EQ(open_device(selector).status().code(), Code::invalid) << selector;
}

}  // namespace
}  // namespace penstock
