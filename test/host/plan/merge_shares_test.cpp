// Shares that came from another process: what does not fit their step is an error.
#include "exec/devices/merge_shares.hpp"

#include <gtest/gtest.h>

namespace penstock::plan {
namespace {

Column sums_of(std::size_t rows) {
  Column column;
  column.type = {Kind::int128};
  column.row_count = rows;
  column.values = Bytes::own(std::vector<Int128>(rows, 5));
  return column;
}

// Groups by a string, and the rows themselves; a share of three rows of either.
struct SharedSteps {
  SharedSteps() {
    source = plan.source(
        table_source(Table::of({{"s", Column::from_strings(std::vector<std::string>{"a"})},
                                {"x", Column::from(std::vector<std::int64_t>{1})}})));
    Builder b(plan.step(source).schema);
    grouped = *plan.group_by(source, b.graph(), {{"s", b.column(0u)}},
                             {{Aggregate::sum, b.column(1u), "sum", nullptr}});
    kept = *plan.map(source, b.graph(), {{"s", b.column(0u)}, {"x", b.column(1u)}});
  }

  Result<Table> merged_groups(const Column& keys, std::uint64_t rows) const {
    const TileProgram program = *fuse(plan, source, grouped);
    Table groups;
    groups.row_count = rows;
    groups.columns.push_back(keys);
    for (std::size_t i = 0; i < program.accumulators.size(); i++)
      groups.columns.push_back(sums_of(3));
    groups.names.resize(groups.columns.size());
    const std::vector<SharePart> shares = {{{program.step_columns, groups, false, source}}};
    return merge_shares(plan, {grouped, source, ~std::uint64_t{0}}, shares);
  }
  Result<Table> merged_rows(std::vector<Column> columns) const {
    Table rows;
    rows.row_count = 3;
    rows.columns = std::move(columns);
    rows.names.resize(rows.columns.size());
    const std::vector<SharePart> shares = {{{{}, rows, false, source}}};
    return merge_shares(plan, {kept, source, ~std::uint64_t{0}}, shares);
  }

  Plan plan;
  StepId source = 0, grouped = 0, kept = 0;
};

const std::vector<std::string> three_texts = {"p", "q", "r"};

TEST(MergeShares, NumbersInPlaceOfStringsAreNoCodes) {
  const SharedSteps steps;
  ASSERT_TRUE(steps.merged_groups(Column::from_strings(three_texts), 3).ok());
  EXPECT_FALSE(steps.merged_groups(Column::from(std::vector<std::int64_t>{7, 8, 1 << 30}), 3).ok());
}

TEST(MergeShares, ColumnsOfFewerRowsThanTheirShareAreRefused) {
  const SharedSteps steps;
  EXPECT_FALSE(steps.merged_groups(Column::from_strings(three_texts), 4).ok());
  EXPECT_FALSE(
      steps.merged_groups(Column::from_strings(std::vector<std::string>{"p", "q"}), 3).ok());
}

TEST(MergeShares, RowsOfOtherColumnsAreRefused) {
  const SharedSteps steps;
  const Column texts = Column::from_strings(three_texts),
               numbers = Column::from(std::vector<std::int64_t>{1, 2, 3});
  ASSERT_TRUE(steps.merged_rows({texts, numbers}).ok());
  EXPECT_FALSE(steps.merged_rows({texts}).ok());
  EXPECT_FALSE(steps.merged_rows({numbers, numbers}).ok());
  EXPECT_FALSE(steps.merged_rows({texts, Column::from(std::vector<std::int64_t>{1, 2})}).ok());
}

TEST(MergeShares, AShareWithoutPartsIsRefused) {
  const SharedSteps steps;
  EXPECT_FALSE(
      merge_shares(steps.plan, {steps.kept, steps.source, 3}, std::vector<SharePart>(2)).ok());
}

}  // namespace
}  // namespace penstock::plan
