// The host executor on kernels with one defect each, and on kernels without.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "kernel_c/host_program.hpp"

namespace penstock::kernel {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(PENSTOCK_KERNEL_C_DIRECTORY) + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr std::uint32_t group_size = 64, groups = 2;

const Result<HostProgram>& broken_program() {
  static const Result<HostProgram> program =
      HostProgram::build(assemble(Target::host, {{{"broken.kc", file_text("/kernels/broken.kc")}}}),
                         {.group_size = group_size});
  return program;
}

struct Defect {
  const char* kernel;
  const char* words;     // what the report must say
  bool is_race = false;  // found only where clang compiled the text
  friend void PrintTo(const Defect& defect, std::ostream* stream) { *stream << defect.kernel; }
};

class BrokenKernel : public ::testing::TestWithParam<Defect> {};

TEST_P(BrokenKernel, IsFoundInEveryOrder) {
  const Defect defect = GetParam();
  if (defect.is_race && !HostProgram::finds_races())
    GTEST_SKIP() << "races are found with clang only";
  ASSERT_TRUE(broken_program().ok()) << broken_program().status().text();
  for (const ThreadOrder order :
       {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::shuffled}) {
    std::vector<std::uint32_t> out(group_size * groups, 0);
    const Status status =
        broken_program().value().run(defect.kernel, groups, {HostArgument::buffer(out)}, order);
    ASSERT_EQ(status.code(), Code::internal) << defect.kernel << " ran without a finding";
    EXPECT_NE(status.message().find(defect.words), std::string::npos) << status.message();
    EXPECT_EQ(out, std::vector<std::uint32_t>(group_size * groups, 0))
        << "a failed run changed the caller's buffer";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Defects, BrokenKernel,
    ::testing::Values(
        Defect{"missing_barrier", "race on 'tile'", true},
        Defect{"missing_second_barrier", "race on 'tile'", true},
        Defect{"race_in_global_memory", "race on 'out'", true},
        Defect{"groups_overlap", "of another group", true},
        Defect{"group_reads_another", "of another group", true},
        Defect{"struct_race", "race on 'tile'", true}, Defect{"line_race", "race on 'tile'", true},
        Defect{"plain_beside_atomic", "an atomic operation", true},
        Defect{"returns_before_barrier", "thread 3 has returned"},
        Defect{"two_barriers", "divergent barrier in 'two_barriers'"},
        Defect{"barrier_in_a_divergent_loop", "thread 0 has returned"},
        Defect{"tile_index", "out of bounds"}, Defect{"past_the_tile", "heap-buffer-overflow"},
        Defect{"past_a_buffer", "heap-buffer-overflow"}, Defect{"before_a_buffer", "runtime error"},
        Defect{"private_index", "stack-buffer-"}, Defect{"misaligned_vector", "misaligned address"},
        Defect{"misaligned_word", "misaligned address"},
        Defect{"shift_by_width", "shift exponent 64"},
        Defect{"signed_overflow", "signed integer overflow"},
        Defect{"division_by_zero", "division by zero"},
        Defect{"float_outside_integer", "outside the range"}),
    [](const auto& instance) { return instance.param.kernel; });

// "broken.kc:12": the line of `words` within a kernel.
std::string place_of(const std::string& kernel, const std::string& words, int occurrence = 1) {
  const std::string text = file_text("/kernels/broken.kc");
  std::size_t at = text.find("KERNEL(" + kernel);
  for (int i = 0; i < occurrence; i++) at = text.find(words, at + 1);
  return "broken.kc:" +
         std::to_string(
             1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string report_of(const std::string& kernel) {
  if (!broken_program().ok()) return broken_program().status().text();
  std::vector<std::uint32_t> out(group_size * groups);
  return broken_program().value().run(kernel, groups, {HostArgument::buffer(out)}).message();
}

TEST(HostExecutor, ADivergedBarrierNamesBothThreadsAndTheirLines) {
  const std::string report = report_of("two_barriers");
  EXPECT_NE(report.find(place_of("two_barriers", "BARRIER")), std::string::npos) << report;
  EXPECT_NE(report.find(place_of("two_barriers", "BARRIER", 2)), std::string::npos) << report;
}

TEST(HostExecutor, ARaceNamesBothLines) {
  if (!HostProgram::finds_races()) GTEST_SKIP() << "races are found with clang only";
  const std::string report = report_of("missing_barrier");
  EXPECT_NE(
      report.find("thread 32 of group 0 writes at " + place_of("missing_barrier", "tile->words") +
                  " what thread 31 read at " + place_of("missing_barrier", "tile->words", 2)),
      std::string::npos)
      << report;
}

TEST(HostExecutor, ARaceWithAnAtomicNamesItsLine) {
  if (!HostProgram::finds_races()) GTEST_SKIP() << "races are found with clang only";
  const std::string report = report_of("plain_beside_atomic");
  EXPECT_NE(
      report.find("an atomic operation wrote at " + place_of("plain_beside_atomic", "ATOMIC_ADD")),
      std::string::npos)
      << report;
}

TEST(HostExecutor, KernelsWithoutADefectHaveNoFinding) {
  ASSERT_TRUE(broken_program().ok()) << broken_program().status().text();
  for (const ThreadOrder order :
       {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::shuffled}) {
    std::vector<std::uint32_t> out(group_size * groups);
    Status status =
        broken_program().value().run("late_return", groups, {HostArgument::buffer(out)}, order);
    EXPECT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(out[0], group_size - 1);
    status =
        broken_program().value().run("all_ordered", groups, {HostArgument::buffer(out)}, order);
    EXPECT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(out, std::vector<std::uint32_t>(group_size * groups, 2 * group_size));
  }
}

TEST(HostExecutor, ArgumentsThatDoNotFitAreRefusedByName) {
  ASSERT_TRUE(broken_program().ok()) << broken_program().status().text();
  const Status missing = broken_program().value().run("no_such_kernel", 1, {});
  EXPECT_EQ(missing.code(), Code::invalid);
  const Status value =
      broken_program().value().run("all_ordered", 1, {HostArgument::value(std::uint32_t{1})});
  EXPECT_NE(value.text().find("'out'"), std::string::npos) << value.text();
}

TEST(HostExecutor, ATextThatDoesNotCompileShowsTheCompilersWords) {
  const auto program = HostProgram::build(
      assemble(Target::host, {{{"x.kc", "\nFUNCTION u32 f() { return missing; }\n"}}}));
  EXPECT_EQ(program.status().code(), Code::compile);
  EXPECT_NE(program.status().text().find("x.kc:2"), std::string::npos) << program.status().text();
}

}  // namespace
}  // namespace penstock::kernel
