// Groups in partitions, asked for by name, on every device: sums by key against a map of the rows.
#include <random>
#include <set>

#include "on_device/plan/merged_groups.hpp"

namespace penstock::test {
namespace {

using Keys = std::vector<std::optional<std::int32_t>>;
using Values = std::vector<std::optional<float>>;
struct Group {
  double sum = 0;
  std::int64_t rows = 0, values = 0;
};

template <class T> Column column_of_all(const std::vector<std::optional<T>>& values) {
  if (std::any_of(values.begin(), values.end(), [](const auto& value) { return !value; }))
    return Column::from(values);
  std::vector<T> plain;
  for (const auto& value : values) plain.push_back(*value);
  return Column::from(plain);
}

// sum(x), count(*) and count(x) by key on every device; `wanted` and `wanted_on_cpu` are the
// variant at the end.
class Partitions : public ::testing::Test {
 protected:
  void expect_groups(const Keys& keys, const Values& values) {
    std::map<std::optional<std::int32_t>, Group> expected;
    for (std::size_t row = 0; row < keys.size(); row++) {
      Group& group = expected[keys[row]];
      group.rows++;
      if (values[row]) group.sum += static_cast<double>(*values[row]), group.values++;
    }
    Plan plan;
    const StepId source = plan.source(
        table_source(Table::of({{"key", column_of_all(keys)}, {"x", column_of_all(values)}})));
    Builder b(plan.step(source).schema);
    const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "sum", nullptr},
                                              {Aggregate::count_rows, 0, "rows", nullptr},
                                              {Aggregate::count, b.column(1u), "values", nullptr}};
    TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
    on_each_device_of_groups([&](Device& device) {
      options.device = device.traits().id;
      options.variant = "group_dense_partitioned";
      TAKE(const QueryResult outcome, run(plan, groups, options));
      EXPECT_EQ(outcome.report.kernels[0].variant, device.traits().is_cpu ? wanted_on_cpu : wanted);
      expect_table(outcome.table, expected);
    });
  }

  static void expect_table(const Table& got,
                           const std::map<std::optional<std::int32_t>, Group>& expected) {
    ASSERT_EQ(got.row_count, expected.size());
    for (std::uint64_t row = 0; row < got.row_count; row++) {
      const Scalar key = scalar_at(got.columns[0], row), sum = scalar_at(got.columns[1], row);
      const auto found = expected.find(
          key.is_null ? std::nullopt : std::optional(static_cast<std::int32_t>(key.integer)));
      ASSERT_NE(found, expected.end()) << text_of(key);
      const Group& group = found->second;
      EXPECT_EQ(sum.is_null, group.values == 0) << text_of(key);
      EXPECT_TRUE(sum.is_null || sum.real == group.sum) << text_of(key) << ": " << sum.real;
      EXPECT_EQ(static_cast<std::int64_t>(scalar_at(got.columns[2], row).integer), group.rows)
          << text_of(key);
      EXPECT_EQ(static_cast<std::int64_t>(scalar_at(got.columns[3], row).integer), group.values)
          << text_of(key);
    }
  }

  RunOptions options;
  std::string wanted = "group_dense_partitioned", wanted_on_cpu = wanted;
  std::mt19937_64 numbers{7};
};

Values whole_numbers(std::size_t rows) {
  Values values(rows);
  for (std::size_t i = 0; i < rows; i++)
    values[i] = static_cast<float>(i * 2654435761u % 2001) - 1000.0f;
  return values;
}

TEST_F(Partitions, UniformKeysOfManyPartitions) {
  Keys keys(400000);
  for (auto& key : keys) key = static_cast<std::int32_t>(numbers() % 300000) - 150000;
  expect_groups(keys, whole_numbers(keys.size()));
}

// Nine rows of ten meet at one key; the others are spread.
TEST_F(Partitions, AKeyOfMostRows) {
  Keys keys(400000);
  for (auto& key : keys)
    key = numbers() % 10 != 0 ? 123456 : static_cast<std::int32_t>(numbers() % 200000);
  expect_groups(keys, whole_numbers(keys.size()));
}

TEST_F(Partitions, OneKey) { expect_groups(Keys(100001, 5), whole_numbers(100001)); }

TEST_F(Partitions, FewRowsOfASparseRange) {
  Keys keys(3000);
  for (auto& key : keys) key = static_cast<std::int32_t>(numbers() % (1u << 24));
  expect_groups(keys, whole_numbers(keys.size()));
}

TEST_F(Partitions, NullKeysAndNullValues) {
  Keys keys(200000);
  Values values = whole_numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); i++) {
    if (numbers() % 5 != 0) keys[i] = static_cast<std::int32_t>(numbers() % 70000);
    if (numbers() % 3 == 0 || (keys[i] && *keys[i] % 2 == 0)) values[i].reset();
  }
  expect_groups(keys, values);
}

// The first chunk has keys of 0 to 9999; later ones have others on either side, and larger values.
TEST_F(Partitions, KeysThatTheFirstChunkLacks) {
  Keys keys(300000);
  Values values = whole_numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); i++) {
    keys[i] = static_cast<std::int32_t>(numbers() % 10000) + (i < 100000   ? 0
                                                              : i < 200000 ? 90000
                                                                           : -70000);
    if (i >= 200000) values[i] = *values[i] * 1024.0f;
  }
  options.batch_rows = 64000;
  expect_groups(keys, values);
}

// Tables and results of 100,000 slots are 5.6 MB and fit an eighth of the limit; the records, 3 MB
// more, do not.
TEST_F(Partitions, RecordsBeyondTheMemoryLimitTakeAnotherVariant) {
  Keys keys(300000);
  for (std::size_t i = 0; i < keys.size(); i++) keys[i] = static_cast<std::int32_t>(i % 100000);
  options.batch_rows = 300032;
  options.memory_limit_bytes = 56 << 20;
  wanted = "group_dense_global";
  wanted_on_cpu = "group_cpu";
  expect_groups(keys, whole_numbers(keys.size()));
}

TEST_F(Partitions, AFilterThatNoRowPasses) {
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"key", Column::from(std::vector<std::int32_t>(50000, 3))}})));
  Builder f(plan.step(source).schema);
  TAKE(const NodeId above, f.binary(Op::greater, f.column(0u), f.captured(Scalar::of(3))));
  TAKE(const StepId kept, plan.filter(source, f.graph(), above));
  Builder b(plan.step(kept).schema);
  TAKE(const StepId groups, plan.group_by(kept, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::count_rows, 0, "rows", nullptr}}));
  on_each_device_of_groups([&](Device& device) {
    options.device = device.traits().id;
    options.variant = "group_dense_partitioned";
    TAKE(const QueryResult outcome, run(plan, groups, options));
    EXPECT_EQ(outcome.report.kernels[0].variant, "group_dense_partitioned");
    EXPECT_EQ(outcome.table.row_count, 0u);
    const plan::TopK first{{{0, false, false}}, 10};
    TAKE(const Merged none,
         merged_at(plan::MergeLocation::device, device, plan, groups, options, &first));
    EXPECT_EQ(none.table.row_count, 0u);
  });
}

// Sums of integers are kept from chunk to chunk. Later chunks have keys on either side of the
// first chunk's, so that tables of three layouts are left, and a chunk that did not fit is added
// once.
TEST_F(Partitions, ExactSumsOfChunksWithOtherKeysAreAddedOnce) {
  const std::size_t rows = 300000;
  Keys keys(rows);
  std::vector<std::int64_t> x(rows);
  std::vector<std::optional<std::int32_t>> y(rows);
  for (std::size_t i = 0; i < rows; i++) {
    const std::int32_t first = i < 100000 ? 0 : i < 200000 ? 90000 : -70000;
    if (i % 11 != 3) keys[i] = static_cast<std::int32_t>(numbers() % 10000) + first;
    x[i] = static_cast<std::int64_t>(numbers());
    if (i % 3 != 0) y[i] = static_cast<std::int32_t>(numbers());
  }
  Plan plan;
  const StepId source = plan.source(table_source(
      Table::of({{"key", column_of_all(keys)}, {"x", Column::from(x)}, {"y", column_of_all(y)}})));
  Builder b(plan.step(source).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(1u), "x", nullptr},
                                            {Aggregate::sum, b.column(2u), "y", nullptr},
                                            {Aggregate::minimum, b.column(2u), "least", nullptr},
                                            {Aggregate::maximum, b.column(2u), "most", nullptr},
                                            {Aggregate::count, b.column(2u), "values", nullptr},
                                            {Aggregate::count_rows, 0, "rows", nullptr}};
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}}, calls));
  on_each_device_of_groups([&](Device& device) {
    TAKE(const Merged wanted,
         merged_at(plan::MergeLocation::host, device, plan, groups,
                   {.batch_rows = 300032,
                    .variant = device.traits().is_cpu ? "group_cpu" : "group_global"}));
    // With the limit the sums of the third layout are not kept beside the others.
    for (const std::uint64_t limit_bytes : {std::uint64_t{0}, std::uint64_t{256} << 20})
      for (const auto location : {plan::MergeLocation::host, plan::MergeLocation::device}) {
        RunOptions limited{.batch_rows = 64000, .variant = "group_dense_partitioned"};
        limited.memory_limit_bytes = limit_bytes;
        TAKE(const Merged got, merged_at(location, device, plan, groups, limited));
        EXPECT_EQ(got.report.kernels[0].variant, "group_dense_partitioned");
        EXPECT_EQ(texts_of(got.table), texts_of(wanted.table));
      }
  });
}

// A range that is widened beyond its type's greatest value would have the least ones after it.
TEST_F(Partitions, GroupsOfKeysAtTheEndsOfTheirTypeAreInOrder) {
  std::vector<std::uint32_t> keys(200'000);
  for (std::size_t i = 0; i < keys.size(); i++)
    keys[i] = i < 50'000 || i % 3 != 0 ? ~static_cast<std::uint32_t>(numbers() % 20'000)
                                       : static_cast<std::uint32_t>(i % 40);
  const std::set<std::uint32_t> ordered(keys.begin(), keys.end());
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"key", Column::from(keys)}})));
  Builder b(plan.step(source).schema);
  TAKE(const StepId groups, plan.group_by(source, b.graph(), {{"key", b.column(0u)}},
                                          {{Aggregate::count_rows, 0, "rows", nullptr}}));
  on_each_device_of_groups([&](Device& device) {
    TAKE(const Merged got, merged_at(plan::MergeLocation::device, device, plan, groups,
                                     {.batch_rows = 25'600, .variant = "group_dense_partitioned"}));
    ASSERT_EQ(got.table.row_count, ordered.size());
    std::uint64_t row = 0;
    for (const std::uint32_t key : ordered)
      ASSERT_EQ(scalar_at(got.table.columns[0], row++).integer, key) << "row " << row;
  });
}

// Two keys, one of 64 bits, of rows that pass a filter; extremes beside sums of 64 bits.
TEST_F(Partitions, SeveralKeysAndAggregatesOfFilteredRows) {
  struct Seen {
    Int128 sum = 0;
    std::int32_t least = INT32_MAX;
    std::int64_t rows = 0;
  };
  const std::size_t rows = 150000;
  std::vector<std::int16_t> a(rows);
  std::vector<std::int64_t> c(rows), x(rows);
  std::vector<std::int32_t> y(rows);
  std::map<std::pair<std::int16_t, std::int64_t>, Seen> expected;
  for (std::size_t i = 0; i < rows; i++) {
    a[i] = static_cast<std::int16_t>(numbers() % 300) - 100,
    c[i] = (std::int64_t{1} << 45) - static_cast<std::int64_t>(numbers() % 400);
    x[i] = static_cast<std::int64_t>(numbers()), y[i] = static_cast<std::int32_t>(numbers());
    if (y[i] <= 0) continue;
    Seen& seen = expected[{a[i], c[i]}];
    seen.sum += x[i], seen.least = std::min(seen.least, y[i]), seen.rows++;
  }
  Plan plan;
  const StepId source = plan.source(table_source(Table::of({{"a", Column::from(a)},
                                                            {"c", Column::from(c)},
                                                            {"x", Column::from(x)},
                                                            {"y", Column::from(y)}})));
  Builder f(plan.step(source).schema);
  TAKE(const NodeId above, f.binary(Op::greater, f.column(3u), f.captured(Scalar::of(0))));
  TAKE(const StepId kept, plan.filter(source, f.graph(), above));
  Builder b(plan.step(kept).schema);
  const std::vector<AggregateCall> calls = {{Aggregate::sum, b.column(2u), "sum", nullptr},
                                            {Aggregate::minimum, b.column(3u), "least", nullptr},
                                            {Aggregate::count_rows, 0, "rows", nullptr}};
  TAKE(const StepId groups,
       plan.group_by(kept, b.graph(), {{"a", b.column(0u)}, {"c", b.column(1u)}}, calls));
  on_each_device_of_groups([&](Device& device) {
    options.device = device.traits().id;
    options.variant = "group_dense_partitioned";
    TAKE(const QueryResult outcome, run(plan, groups, options));
    EXPECT_EQ(outcome.report.kernels[0].variant, "group_dense_partitioned");
    ASSERT_EQ(outcome.table.row_count, expected.size());
    std::uint64_t row = 0;
    for (const auto& [key, seen] : expected) {
      EXPECT_TRUE(scalar_at(outcome.table.columns[2], row).integer == seen.sum) << row;
      EXPECT_EQ(static_cast<std::int32_t>(scalar_at(outcome.table.columns[3], row).integer),
                seen.least)
          << row;
      EXPECT_EQ(static_cast<std::int64_t>(scalar_at(outcome.table.columns[4], row).integer),
                seen.rows)
          << row;
      row++;
    }
  });
}

}  // namespace
}  // namespace penstock::test
