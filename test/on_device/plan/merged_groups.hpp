// A group-by run twice: its chunks' groups merged on the device, and by the host.
#pragma once
#include "exec/collect/run_tiles.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {

struct Grouping {
  Plan plan;
  StepId step = 0;
};

struct Merged {
  Table table;
  RunReport report;
};

inline Result<Merged> merged_at(plan::MergeLocation location, Device& device, const Plan& plan,
                                StepId groups, RunOptions options,
                                const plan::TopK* first = nullptr) {
  StepId source = plan.step(groups).inputs[0];
  while (!plan.step(source).source) source = plan.step(source).inputs[0];
  PENSTOCK_ASSIGN(const plan::TileProgram program, plan::fuse(plan, source, groups));
  PENSTOCK_ASSIGN(auto shared, open_device(device.traits().id));
  plan::StringPool strings;
  Merged merged;
  const plan::RunContext run{
      .device = shared, .options = &options, .strings = &strings, .report = &merged.report};
  PENSTOCK_ASSIGN(merged.table, plan::run_tiles(run, program, *plan.step(source).source,
                                                {.merges = location, .first_groups = first}));
  return merged;
}

inline std::vector<std::string> texts_of(const Table& table) {
  std::vector<std::string> texts;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    texts.push_back(text_of_row(table, row));
  return texts;
}

// Runs both, compares them to the last digit, and passes on the device's report.
inline void expect_as_on_host(const Plan& plan, StepId groups, const RunOptions& options,
                              const std::function<void(const Merged&)>& look = {}) {
  on_each_device([&](Device& device) {
    TAKE(const Merged there, merged_at(plan::MergeLocation::device, device, plan, groups, options));
    TAKE(const Merged here, merged_at(plan::MergeLocation::host, device, plan, groups, options));
    EXPECT_FALSE(has_kernel(here.report, "group_merge"));
    EXPECT_EQ(texts_of(there.table), texts_of(here.table));
    if (look) look(there);
  });
}

}  // namespace penstock::test
