// Tables that grow by parts.
#include "column/grown_source.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace penstock::column {
namespace {

std::shared_ptr<TableSource> table_of(std::int64_t first, std::uint64_t count) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return table_source(Table::of({{"n", Column::from(values)}}));
}

std::vector<std::int64_t> values_in(const TableSource& table, std::uint64_t batch_rows) {
  const std::uint32_t column[] = {0};
  ScanOptions options;
  options.batch_rows = batch_rows;
  auto stream = table.scan(column, options);
  EXPECT_TRUE(stream.ok());
  std::vector<std::int64_t> values;
  for (;;) {
    const auto batch = (*stream)->next();
    EXPECT_TRUE(batch.ok());
    if (!batch.ok() || !*batch) return values;
    EXPECT_LE((*batch)->row_count, batch_rows);
    const auto* const first = (*batch)->columns[0].values.as<std::int64_t>();
    values.insert(values.end(), first, first + (*batch)->row_count);
  }
}

// Yields a table that grew by parts of these sizes; its values count up.
std::shared_ptr<TableSource> grown_by(const std::vector<std::uint64_t>& sizes) {
  auto table = table_of(0, sizes[0]);
  std::uint64_t rows = sizes[0];
  for (std::size_t i = 1; i < sizes.size(); i++) {
    auto grown = grow(table, table_of(static_cast<std::int64_t>(rows), sizes[i]));
    EXPECT_TRUE(grown.ok());
    table = *grown;
    rows += sizes[i];
  }
  EXPECT_EQ(table->row_count(), rows);
  return table;
}

void expect_counts_up(const TableSource& table, std::uint64_t batch_rows) {
  std::vector<std::int64_t> expected(*table.row_count());
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(values_in(table, batch_rows), expected);
}

TEST(GrownSource, RowsStayInTheOrderInWhichTheyCame) {
  for (const auto& sizes : std::vector<std::vector<std::uint64_t>>{
           {3, 4}, {0, 5, 0, 1}, {1000, 1, 1, 1, 1, 500}, {64, 64, 1}, {1, 2, 4, 8, 16, 32}}) {
    const auto table = grown_by(sizes);
    for (const std::uint64_t batch_rows : {64u, 128u, 1u << 20})
      expect_counts_up(*table, batch_rows);
  }
}
TEST(GrownSource, ManyRowsOneByOneStayInOrder) {
  expect_counts_up(*grown_by(std::vector<std::uint64_t>(3000, 1)), 1 << 20);
}
TEST(GrownSource, PartsThatAreLargeAreNotCopied) {
  const auto large = table_of(0, 1 << 20);
  const auto grown = grow(large, table_of(1 << 20, 1 << 20));
  ASSERT_TRUE(grown.ok());
  const std::uint32_t column[] = {0};
  auto before = large->scan(column, {}), after = (*grown)->scan(column, {});
  const auto first = (*before)->next(), same = (*after)->next();
  EXPECT_EQ((*first)->columns[0].values.data, (*same)->columns[0].values.data);
}
TEST(GrownSource, APartWithNullsMakesTheColumnNullable) {
  const std::vector<std::optional<std::int64_t>> values{7, std::nullopt};
  const auto nulls = table_source(Table::of({{"n", Column::from(values)}}));
  const auto large = table_of(0, 1 << 20);
  const auto grown = grow(large, nulls);
  ASSERT_TRUE(grown.ok());
  EXPECT_FALSE(large->schema()[0].nullable);
  EXPECT_TRUE((*grown)->schema()[0].nullable);
}

}  // namespace
}  // namespace penstock::column
