// Groups by keys of known ranges on the host executor: which device and variant, and what the
// answer should be.
#pragma once
#include <gtest/gtest.h>

#include <map>

#include "exec/collect/run_tiles.hpp"
#include "kernel_c/host_device.hpp"
#include "penstock/expression.hpp"
#include "take.hpp"

namespace penstock::plan {

struct Where {
  const char* variant;
  kernel::HostDeviceOptions device;
};

class DenseGroups : public ::testing::TestWithParam<Where> {
 protected:
  Result<Table> grouped(const Plan& plan, StepId groups, std::uint64_t batch_rows = 0) {
    StepId source = groups;
    while (plan.step(source).kind != StepKind::source) source = plan.step(source).inputs[0];
    PENSTOCK_ASSIGN(const TileProgram program, fuse(plan, source, groups));
    RunOptions options;
    options.batch_rows = batch_rows;
    options.variant = GetParam().variant;
    options.memory_limit_bytes = memory_limit_bytes;
    options.on_source = [&](std::string_view) { programs++; };
    StringPool strings;
    RunReport report;
    const RunContext run{kernel::make_host_device(GetParam().device), &options, &strings, &report};
    Result<Table> result = run_tiles(run, program, *plan.step(source).source);
    if (result.ok()) variant = report.kernels[0].variant;
    return result;
  }
  std::uint64_t memory_limit_bytes = 0;
  int programs = 0;     // compiled
  std::string variant;  // at the end
};

// Sum and count of `x` by the table's other columns, as text, against a map of rows.
inline void expect_sums(const Table& table, const Table& result) {
  std::map<std::vector<std::string>, std::pair<double, std::int64_t>> expected;
  const std::size_t keys = table.columns.size() - 1;
  const auto key_of = [&](const Table& from, std::uint64_t row) {
    std::vector<std::string> key;
    for (std::size_t c = 0; c < keys; c++) key.push_back(text_of(scalar_at(from.columns[c], row)));
    return key;
  };
  for (std::uint64_t row = 0; row < table.row_count; row++) {
    auto& [sum, count] = expected[key_of(table, row)];
    const Scalar x = scalar_at(table.columns[keys], row);
    sum += x.type.kind == Kind::float64 ? x.real : static_cast<double>(x.integer);
    count++;
  }
  ASSERT_EQ(result.row_count, expected.size());
  for (std::uint64_t row = 0; row < result.row_count; row++) {
    const auto found = expected.find(key_of(result, row));
    ASSERT_NE(found, expected.end()) << found->first[0];
    const Scalar sum = scalar_at(result.columns[keys], row);
    EXPECT_EQ(sum.type.kind == Kind::float64 ? sum.real : static_cast<double>(sum.integer),
              found->second.first)
        << found->first[0];
    EXPECT_EQ(static_cast<std::int64_t>(scalar_at(result.columns[keys + 1], row).integer),
              found->second.second)
        << found->first[0];
  }
}

inline Result<StepId> sums_by_all_but_last(Plan& plan, const Table& table) {
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const auto x = static_cast<std::uint32_t>(table.columns.size() - 1);
  std::vector<Projection> keys;
  for (std::uint32_t c = 0; c < x; c++) keys.push_back({table.names[c], b.column(c)});
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(x), "sum", nullptr},
                                            {Aggregate::count_rows, 0, "rows", nullptr}};
  return plan.group_by(source, b.graph(), keys, calls);
}

}  // namespace penstock::plan
