// The first rows of chunks, selected on the device before they are downloaded, against the host's
// selection of the same chunks.
#include "on_device/plan/plan_fixture.hpp"
#include "plan/execution/run_tiles.hpp"

namespace penstock::test {
namespace {

struct FirstRun {
  Table table;
  RunReport report;
};

Result<FirstRun> first_rows_at(plan::MergeLocation location, Device& device, const Plan& plan,
                               StepId filtered, const plan::TopK& top_k) {
  const StepId source = plan.step(filtered).inputs[0];
  PENSTOCK_ASSIGN(const plan::TileProgram program, plan::fuse_top_k(plan, source, filtered, top_k));
  PENSTOCK_ASSIGN(auto shared, open_device(device.traits().id));
  plan::StringPool strings;
  const RunOptions options{.batch_rows = 4096};
  FirstRun first;
  const plan::TileRun run{.device = shared,
                          .options = &options,
                          .strings = &strings,
                          .report = &first.report,
                          .merges = location};
  PENSTOCK_ASSIGN(first.table, plan::run_tiles(run, program, *plan.step(source).source));
  return first;
}

// Rows of every type, of which a filter drops some, by each way of an order.
void expect_first_rows(const Table& table, const std::vector<std::uint32_t>& columns,
                       std::uint64_t count, bool is_selected = true) {
  Plan plan;
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const NodeId passes = *b.binary(Op::greater, *b.column("row"), b.literal(Scalar::of(40)));
  TAKE(const StepId filtered, plan.filter(source, b.graph(), passes));
  on_each_device([&](Device& device) {
    for (const unsigned way : {0u, 1u, 2u, 3u}) {
      SCOPED_TRACE(way);
      plan::TopK top_k{{}, count};
      for (const std::uint32_t column : columns)
        top_k.keys.push_back({column, (way & 1) != 0, (way & 2) != 0});
      TAKE(const FirstRun there,
           first_rows_at(plan::MergeLocation::device, device, plan, filtered, top_k));
      TAKE(const FirstRun here,
           first_rows_at(plan::MergeLocation::host, device, plan, filtered, top_k));
      EXPECT_EQ(has_kernel(there.report, "first_rows"), is_selected);
      ASSERT_EQ(there.table.row_count, here.table.row_count);
      for (std::uint64_t row = 0; row < here.table.row_count; row++)
        ASSERT_EQ(text_of_row(there.table, row), text_of_row(here.table, row)) << row;
    }
  });
}

// Some columns of random_table(), and the rows' numbers: with more columns the host gathers them.
Table numbered(std::uint64_t rows, const std::vector<std::string>& columns) {
  const Table random = random_table(rows, rows);
  std::vector<std::pair<std::string, Column>> named;
  for (const std::string& name : columns) {
    const auto at = std::find(random.names.begin(), random.names.end(), name);
    named.emplace_back(name, random.columns[static_cast<std::size_t>(at - random.names.begin())]);
  }
  std::vector<std::int32_t> numbers(rows);
  for (std::uint64_t row = 0; row < rows; row++) numbers[row] = static_cast<std::int32_t>(row);
  named.emplace_back("row", Column::from(numbers));
  return Table::of(std::move(named));
}

TEST(FirstOfChunk, ByColumnsOfEveryTypeEqualRowsKeepTheirOrder) {
  const Table table =
      numbered(20'000, {"b_null", "i8", "u32_null", "i64_null", "f32_null", "f64_null", "d15_2"});
  for (std::uint32_t column = 0; column < 7; column++) {
    SCOPED_TRACE(table.names[column]);
    expect_first_rows(table, {column, 1}, 25);
  }
}

TEST(FirstOfChunk, TiedRowsAreDividedByTheNextKeyAndByStringsOnTheHost) {
  const Table table = numbered(20'000, {"i8", "s"});
  expect_first_rows(table, {0, 2}, 100);
  expect_first_rows(table, {0, 1, 2}, 100);
}

TEST(FirstOfChunk, AStringFirstIsTheHosts) {
  expect_first_rows(numbered(5000, {"s"}), {0, 1}, 10, false);
}

}  // namespace
}  // namespace penstock::test
