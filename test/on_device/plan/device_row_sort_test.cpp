// Rows sorted where kernels leave them, against the order that the host finds of the same rows.
#include <filesystem>

#include "on_device/plan/plan_fixture.hpp"
#include "penstock/session.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

// Enough rows for the device, few of which are equal in all columns.
const Table& many_rows() {
  static const Table table = [] {
    constexpr std::uint64_t rows = plan::min_device_sort_rows + 777;
    std::vector<std::optional<double>> f64(rows);
    std::vector<std::optional<float>> f32(rows);
    std::vector<std::optional<std::int64_t>> i64(rows);
    std::vector<std::optional<std::string>> text(rows);
    std::vector<std::int32_t> i32(rows), row_number(rows);
    std::vector<std::int16_t> i16(rows);
    for (std::uint64_t i = 0; i < rows; i++) {
      const std::uint64_t mixed = i * 0x9E3779B97F4A7C15u >> 20;
      if (i % 11 != 0) f64[i] = static_cast<double>(mixed % 5000) / 8 - 300;
      if (i % 13 == 1) f64[i] = -0.0;
      if (i % 17 == 2) f64[i] = std::numeric_limits<double>::quiet_NaN();
      if (i % 5 != 0) f32[i] = static_cast<float>(mixed % 90) - 45;
      if (i % 7 != 0) i64[i] = static_cast<std::int64_t>(mixed << 20 ^ i);
      if (i % 3 != 0) text[i] = std::string(mixed % 4, 'z') + std::to_string(mixed % 800);
      i32[i] = static_cast<std::int32_t>(mixed) >> 3;
      i16[i] = static_cast<std::int16_t>(mixed % 600) - 300;
      row_number[i] = static_cast<std::int32_t>(i);
    }
    return Table::of({{"f64", Column::from(f64)},
                      {"f32", Column::from(f32)},
                      {"i64", Column::from(i64)},
                      {"text", Column::from_strings(text)},
                      {"i32", Column::from(i32)},
                      {"i16", Column::from(i16)},
                      {"row_number", Column::from(row_number)}});
  }();
  return table;
}

struct SortedRows {
  Plan plan;
  StepId filtered = 0, ordered = 0;
};

// The rows, or only rows with a number below `last`, in an order.
SortedRows sorted_rows(const std::vector<SortKey>& keys, std::int32_t last,
                       std::uint64_t limit = ~std::uint64_t{0}) {
  SortedRows sorted;
  const StepId source = sorted.plan.source(table_source(many_rows()));
  Builder b(sorted.plan.step(source).schema);
  const NodeId passes = *b.binary(Op::less, b.column(6u), b.literal(Scalar::of(last)));
  sorted.filtered = *sorted.plan.filter(source, b.graph(), passes);
  sorted.ordered = *sorted.plan.order_by(sorted.filtered, keys);
  if (limit != ~std::uint64_t{0}) sorted.ordered = *sorted.plan.limit(sorted.ordered, limit);
  return sorted;
}

// Sorts on each device where the rows lie, as a whole and by ranges of a batch's rows, and on the
// host, row by row alike.
void expect_sorted(const SortedRows& rows, bool is_there) {
  on_each_device([&](Device& device) {
    RunOptions options{.device = device.traits().id, .batch_rows = 1 << 16};
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, run(rows.plan, rows.ordered, options));
    options.intermediate_rows = IntermediateRows::device;
    for (const std::uint64_t batch_rows : {1u << 16, 1u << 17}) {
      options.batch_rows = batch_rows;
      TAKE(const QueryResult there, run(rows.plan, rows.ordered, options));
      EXPECT_EQ(has_kernel(there.report, "radix_sort"), is_there);
      EXPECT_EQ(has_kernel(there.report, "order_ranges"), is_there && batch_rows == 1u << 16);
      ASSERT_EQ(there.table.row_count, here.table.row_count);
      if (is_there) {
        EXPECT_LT(there.report.bytes_uploaded, here.report.bytes_uploaded) << "no word is uploaded";
      }
      for (std::uint64_t row = 0; row < here.table.row_count; row += row < 3000 ? 1 : 61)
        ASSERT_EQ(text_of_row(there.table, row), text_of_row(here.table, row)) << row;
    }
  });
}

TEST(DeviceRowSort, KeysOfEveryWidthWithNullsFirstAndLast) {
  for (std::uint32_t column = 0; column < 6; column++)
    for (const unsigned way : {0u, 3u, column % 2 + 1}) {
      SCOPED_TRACE("column " + std::to_string(column) + ", order " + std::to_string(way));
      expect_sorted(sorted_rows({{column, (way & 1) != 0, (way & 2) != 0}}, 1 << 30), true);
    }
}

TEST(DeviceRowSort, SeveralKeysAndEqualRowsThatKeepTheirOrder) {
  expect_sorted(sorted_rows({{3, true, true}, {5, false, false}, {1, true, false}}, 1 << 30), true);
  expect_sorted(sorted_rows({{1, false, true}, {3, false, false}}, 1 << 30), true);
}

// In place of a NULL, a kernel writes a value computed from the operands that are there.
TEST(DeviceRowSort, NullsOfAnExpressionAreEqual) {
  const std::string path = own_path("device_row_sort.arrow");
  ASSERT_OK(write_table(many_rows(), path, FileFormat::arrow_ipc));
  on_each_device([&](Device& device) {
    const auto session = Session::create({.device = device.traits().id});
    const std::string statement =
        "SELECT f64 + i32 AS s, row_number FROM '" + path + "' WHERE row_number >= 0 ORDER BY s";
    RunOptions options;
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult there, session->sql(statement, options));
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, session->sql(statement, options));
    EXPECT_TRUE(has_kernel(there.report, "radix_sort"));
    for (std::uint64_t row = 0; row < here.table.row_count; row += 7)
      ASSERT_EQ(text_of_row(there.table, row), text_of_row(here.table, row)) << row;
  });
  std::filesystem::remove(path);
}

// Keys differ in two bytes that are apart, in none, and in the lowest three.
TEST(DeviceRowSort, BytesInWhichNoKeysDifferAreLeftOut) {
  constexpr std::uint64_t rows = plan::min_device_sort_rows + 100;
  std::vector<std::int64_t> apart(rows), equal(rows, -7), places(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    apart[i] = static_cast<std::int64_t>((i * 7919 % 200) << 40 | (i * 31 % 90));
    places[i] = static_cast<std::int64_t>(i);
  }
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"apart", Column::from(apart)},
                                                            {"equal", Column::from(equal)},
                                                            {"place", Column::from(places)}})));
  for (const auto& [column, passes] : {std::pair{0u, 2u}, {1u, 0u}, {2u, 3u}}) {
    const StepId ordered = *plan.order_by(source, {{column, true, false}});
    on_each_device([&](Device& device) {
      RunOptions options{.device = device.traits().id};
      options.intermediate_rows = IntermediateRows::device;
      TAKE(const QueryResult there, run(plan, ordered, options));
      options.intermediate_rows = IntermediateRows::host;
      TAKE(const QueryResult here, run(plan, ordered, options));
      for (const KernelReport& kernel : there.report.kernels)
        if (kernel.name == "radix_sort") { EXPECT_EQ(kernel.launches, passes); }
      EXPECT_EQ(has_kernel(there.report, "radix_sort"), passes > 0);
      for (std::uint64_t row = 0; row < rows; row++)
        ASSERT_EQ(there.table.columns[2].values.as<std::int64_t>()[row],
                  here.table.columns[2].values.as<std::int64_t>()[row]);
    });
  }
}

TEST(DeviceRowSort, TwoOrdersOfOneRun) {
  SortedRows rows = sorted_rows({{3, true, true}}, 1 << 30);
  const StepId source = rows.plan.source(table_source(many_rows()));
  Builder b(rows.plan.step(source).schema);
  const NodeId passes = *b.binary(Op::less, b.column(6u), b.literal(Scalar::of(1 << 29)));
  const StepId filtered = *rows.plan.filter(source, b.graph(), passes);
  const StepId second = *rows.plan.order_by(filtered, {{3, false, false}, {4, true, true}});
  on_each_device([&](Device& device) {
    RunOptions options{.device = device.traits().id, .batch_rows = 1 << 16};
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const std::vector<QueryResult> there, run(rows.plan, {rows.ordered, second}, options));
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, run(rows.plan, second, options));
    for (std::uint64_t row = 0; row < here.table.row_count; row += 61)
      ASSERT_EQ(text_of_row(there[1].table, row), text_of_row(here.table, row)) << row;
  });
}

TEST(DeviceRowSort, MoreFirstRowsThanATopKHolds) {
  expect_sorted(sorted_rows({{0, true, false}}, 1 << 30, 100'000), true);
}

TEST(DeviceRowSort, FewRowsAndNoneAreTheHosts) {
  expect_sorted(sorted_rows({{2, false, false}, {0, true, true}}, 500), false);
  expect_sorted(sorted_rows({{2, false, false}}, -1), false);
}

TEST(DeviceRowSort, BeyondTheMemoryLimitTheHostSortsAndSaysSo) {
  const SortedRows rows = sorted_rows({{2, true, false}}, 1 << 30);
  on_each_device([&](Device& device) {
    RunOptions options{.device = device.traits().id, .batch_rows = 1 << 16};
    options.intermediate_rows = IntermediateRows::device;
    options.memory_limit_bytes = 4 << 20;
    TAKE(const QueryResult limited, run(rows.plan, rows.ordered, options));
    EXPECT_FALSE(has_kernel(limited.report, "radix_sort"));
    EXPECT_EQ(limited.table.row_count, many_rows().row_count);
    EXPECT_EQ(limited.report.notes.size(), 1u);
  });
}

}  // namespace
}  // namespace penstock::test
