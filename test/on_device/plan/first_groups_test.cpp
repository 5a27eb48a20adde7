// The first of merged groups in an order, selected on the device, against the order of all groups
// on the host.
#include <numeric>

#include "on_device/plan/merged_groups.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

using plan::MergeLocation;

std::vector<std::string> first_of(const Merged& merged, const plan::TopK& first) {
  RunReport report;
  return texts_of(*plan::order_rows(nullptr, merged.table, first.keys, first.count, report));
}

// Compares the first groups, and passes on the device's.
void expect_first(const Grouping& grouping, const plan::TopK& first,
                  const std::function<void(const Merged&)>& look) {
  on_each_device([&](Device& device) {
    const RunOptions options{.batch_rows = 1024};
    TAKE(const Merged there,
         merged_at(MergeLocation::device, device, grouping.plan, grouping.step, options, &first));
    TAKE(const Merged here,
         merged_at(MergeLocation::host, device, grouping.plan, grouping.step, options));
    EXPECT_EQ(first_of(there, first), first_of(here, first));
    look(there);
  });
}

void expect_selected(const Merged& merged) {
  EXPECT_TRUE(has_kernel(merged.report, "first_groups"));
}

// Groups of `rows` rows by a unique key, and of every seventh row by NULL, with aggregates of a
// column of random_table().
Grouping aggregates_of(const char* column, std::uint64_t rows) {
  Grouping grouping;
  Table table = random_table(rows, 77);
  std::vector<std::optional<std::int64_t>> key(rows);
  for (std::uint64_t row = 0; row < rows; row++)
    if (row % 7 != 3) key[row] = static_cast<std::int64_t>(row * 7919 % rows) - 500;
  table.names.emplace_back("key");
  table.columns.push_back(Column::from(key));
  const StepId source = grouping.plan.source(table_source(table));
  Builder b(grouping.plan.step(source).schema);
  std::vector<AggregateCall> calls;
  for (const Aggregate function : {Aggregate::count, Aggregate::sum, Aggregate::average,
                                   Aggregate::minimum, Aggregate::maximum})
    calls.push_back({function, *b.column(column), "a", nullptr});
  grouping.step = *grouping.plan.group_by(source, b.graph(), {{"key", *b.column("key")}}, calls);
  return grouping;
}

TEST(FirstGroups, ByEveryAggregateOfEveryType) {
  for (const char* column :
       {"i8", "u8_null", "i32", "u32_null", "i64_null", "u64", "f32_null", "f64_null", "d15_2"}) {
    SCOPED_TRACE(column);
    const Grouping grouping = aggregates_of(column, 2000);
    for (std::uint32_t by = 0; by < 6; by++)
      for (const unsigned way : {0u, 1u, 2u, 3u}) {
        SCOPED_TRACE("column " + std::to_string(by) + ", order " + std::to_string(way));
        const plan::TopK first{{{by, (way & 1) != 0, (way & 2) != 0}, {0, false, false}}, 20};
        expect_first(grouping, first, expect_selected);
      }
  }
}

TEST(FirstGroups, ByKeysOfEveryType) {
  for (const char* column : {"i8", "u8_null", "i16_null", "i32", "u32_null", "i64_null", "u64",
                             "f32_null", "f64_null", "b_null", "d15_2"}) {
    SCOPED_TRACE(column);
    Grouping grouping;
    const StepId source =
        grouping.plan.source(std::make_shared<FixedSchemaSource>(random_table(3000, 5)));
    Builder b(grouping.plan.step(source).schema);
    grouping.step = *grouping.plan.group_by(
        source, b.graph(), {{"a", *b.column(column)}, {"b", *b.column("i64_null")}}, {});
    for (const bool descending : {false, true}) {
      const plan::TopK first{{{0, descending, !descending}, {1, descending, descending}}, 9};
      expect_first(grouping, first, expect_selected);
    }
  }
}

// 6000 groups of `sums`, by turns.
Grouping sums_of(const std::vector<std::int64_t>& sums) {
  Grouping grouping;
  std::vector<std::int64_t> key(18'000), x(18'000);
  for (std::size_t i = 0; i < key.size(); i++) {
    key[i] = static_cast<std::int64_t>(i % 6000);
    x[i] = sums[i % 6000 % sums.size()];
  }
  const StepId source = grouping.plan.source(
      table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
  Builder b(grouping.plan.step(source).schema);
  grouping.step = *grouping.plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(1u), "sum", nullptr}});
  return grouping;
}

// The lower halves alone have another order.
TEST(FirstGroups, ByExtremesOf128Bits) {
  Grouping grouping;
  const StepId source = grouping.plan.source(table_source(random_table(3000, 78)));
  Builder b(grouping.plan.step(source).schema);
  const NodeId huge = *b.cast(*b.column("i64_null"), {Kind::int128});
  const NodeId value = *b.binary(
      Op::multiply, huge, b.literal(Scalar::of(Type{Kind::int128}, (Int128{1} << 40) + 12345)));
  grouping.step = *grouping.plan.group_by(
      source, b.graph(), {{"key", *b.column("i32")}},
      {{Aggregate::minimum, value, "low", nullptr}, {Aggregate::maximum, value, "high", nullptr}});
  for (const std::uint32_t column : {1u, 2u})
    for (const bool descending : {false, true})
      expect_first(grouping, {{{column, descending, false}, {0, false, false}}, 20},
                   expect_selected);
}

TEST(FirstGroups, TiedGroupsAreDividedByTheNextKey) {
  expect_first(sums_of({5}), {{{1, true, false}, {0, true, false}}, 10}, [](const Merged& merged) {
    expect_selected(merged);
    EXPECT_LE(merged.table.row_count, 4096u);
    EXPECT_LT(merged.report.bytes_downloaded, 6000u * 24) << "not all groups came";
  });
}

TEST(FirstGroups, TiedGroupsAreDividedByTheirOwnKeys) {
  expect_first(sums_of({5}), {{{1, false, false}}, 10}, [](const Merged& merged) {
    expect_selected(merged);
    EXPECT_LE(merged.table.row_count, 4096u);
  });
}

TEST(FirstGroups, WithoutAnOrderTheLeastKeysCome) {
  expect_first(sums_of({5, 4}), {{}, 10}, [](const Merged& merged) {
    expect_selected(merged);
    EXPECT_LE(merged.table.row_count, 4096u);
  });
}

TEST(FirstGroups, SumsBeyond64BitsAreNotConfused) {
  const std::int64_t large = std::numeric_limits<std::int64_t>::max() / 2 - 7;
  expect_first(sums_of({large, large + 1, large - 1, 3, -large, -large - 1}),
               {{{1, true, false}, {0, false, false}}, 30}, expect_selected);
  expect_first(sums_of({large, large + 1, -large + 2, 3, -large, -large - 1}),
               {{{1, false, false}, {0, false, false}}, 30}, expect_selected);
}

// The largest sums have the last keys.
TEST(FirstGroups, SumsBeyond64BitsAreNotDividedByTheNextKey) {
  std::vector<std::int64_t> sums(6000);
  std::iota(sums.begin(), sums.end(), std::int64_t{1} << 62);
  expect_first(sums_of(sums), {{{1, true, false}, {0, false, false}}, 10}, [](const Merged&) {});
}

// `large` groups with unsigned sums of 64 bits that grow with the key, and `small` other groups.
Grouping large_sums_and_small(std::uint64_t large, std::uint64_t small) {
  Grouping grouping;
  std::vector<std::int64_t> key(large + small);
  std::vector<std::uint64_t> x(large + small, 3);
  for (std::uint64_t i = 0; i < key.size(); i++) {
    key[i] = static_cast<std::int64_t>(i);
    if (i < large) x[i] = (std::uint64_t{1} << 63) + i;
  }
  const StepId source = grouping.plan.source(
      table_source(Table::of({{"key", Column::from(key)}, {"x", Column::from(x)}})));
  Builder b(grouping.plan.step(source).schema);
  grouping.step = *grouping.plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::sum, b.column(1u), "sum", nullptr}});
  return grouping;
}

TEST(FirstGroups, UnsignedSumsOf64BitsComeWithoutTheSmallOnes) {
  const plan::TopK first{{{1, true, false}, {0, false, false}}, 10};
  expect_first(large_sums_and_small(6000, 9000), first, [](const Merged& merged) {
    expect_selected(merged);
    EXPECT_LT(merged.report.bytes_downloaded, 15'000u * 24) << "not all groups came";
  });
}

TEST(FirstGroups, AsManyAsThereAreTakeNoSelection) {
  expect_first(sums_of({1, 2, 3}), {{{1, false, false}}, 6000}, [](const Merged& merged) {
    EXPECT_FALSE(has_kernel(merged.report, "first_groups"));
    EXPECT_EQ(merged.table.row_count, 6000u);
  });
}

}  // namespace
}  // namespace penstock::test
