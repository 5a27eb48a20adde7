// Samples of stalls as tables: grouped by reason and by line, most first.
#include <gtest/gtest.h>

#include "cli/report/stall_table.hpp"

namespace penstock::cli {
namespace {

RunReport report_of(std::vector<StallSample> samples) {
  RunReport report;
  KernelReport kernel;
  kernel.build.key = "key";
  kernel.source = std::make_shared<const std::string>(
      "#line 1 \"expr/operations.kc\"\nline one\n#line 1 \"pipeline\"\n  x += y[i];\nline three");
  report.kernels.push_back(kernel);
  report.profile.emplace();
  report.profile->stalls.emplace();
  report.profile->stalls->samples = std::move(samples);
  return report;
}

std::vector<std::string> shown(const ProfileSection& section) {
  std::vector<std::string> rows;
  for (const auto& row : section.rows) {
    rows.emplace_back();
    for (const ProfileCell& cell : row) rows.back() += cell.shown + "|";
  }
  return rows;
}
using Rows = std::vector<std::string>;

const std::vector<StallSample> some = {{"key", "a", "wait", "operations.kc", 1, 10},
                                       {"key", "a", "barrier", "pipeline", 1, 60},
                                       {"key", "a", "wait", "pipeline", 1, 20},
                                       {"key", "a", "wait", "pipeline", 2, 10},
                                       {"", "b", "wait", "", 0, 5}};

TEST(StallTable, ReasonsOfAKernelAddUpItsLines) {
  const auto sections = stall_sections(report_of(some));
  EXPECT_EQ(sections[1].name, "stalls");
  EXPECT_EQ(shown(sections[1]),
            (Rows{"0|a|barrier|60|60 %|", "0|a|wait|40|40 %|", "unknown|b|wait|5|100 %|"}));
}

TEST(StallTable, LinesShowTheirTextAndCommonestReason) {
  const auto sections = stall_sections(report_of(some));
  EXPECT_EQ(sections[2].name, "stall_lines");
  EXPECT_EQ(shown(sections[2]),
            (Rows{"0|a|4|80|76 %|barrier|75 %|x += y[i];|", "0|a|2|10|10 %|wait|100 %|line one|",
                  "0|a|5|10|10 %|wait|100 %|line three|", "unknown|b|unknown|5|5 %|wait|100 %||"}));
}

TEST(StallTable, ALineOrPartThatTheTextLacksIsUnknown) {
  EXPECT_EQ(shown(stall_sections(report_of({{"key", "a", "wait", "pipeline", 9, 1}}))[2]),
            (Rows{"0|a|unknown|1|100 %|wait|100 %||"}));
  EXPECT_EQ(shown(stall_sections(report_of({{"key", "a", "wait", "other", 1, 1}}))[2]),
            (Rows{"0|a|unknown|1|100 %|wait|100 %||"}));
}

TEST(StallTable, NoSamplesAreNoRows) {
  const auto sections = stall_sections(report_of({}));
  EXPECT_TRUE(sections[1].rows.empty());
  EXPECT_TRUE(sections[2].rows.empty());
}

}  // namespace
}  // namespace penstock::cli
