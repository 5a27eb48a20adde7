// The least and the greatest of strings, against std::set's of the same strings, on every device.
#include <algorithm>
#include <set>

#include "on_device/plan/merged_groups.hpp"

namespace penstock::test {
namespace {

using OptionalStrings = std::vector<std::optional<std::string>>;

AggregateCall extreme(Aggregate function, NodeId argument) {
  return {function, argument, function == Aggregate::minimum ? "least" : "greatest", nullptr};
}

// The least and the greatest of a table's strings, with counts of rows and of distinct strings, by
// its keys where they are asked for.
Grouping extremes_of(const Table& table, bool has_keys) {
  Grouping grouping;
  const StepId source = grouping.plan.source(table_source(table));
  Builder b(grouping.plan.step(source).schema);
  const NodeId s = b.column(0u);
  AggregateCall distinct{Aggregate::count, s, "n", nullptr};
  distinct.distinct = true;
  const std::vector<AggregateCall> calls = {extreme(Aggregate::minimum, s),
                                            {Aggregate::count_rows, 0, "rows", nullptr},
                                            extreme(Aggregate::maximum, s),
                                            distinct};
  grouping.step = has_keys
                      ? *grouping.plan.group_by(source, b.graph(), {{"key", b.column(1u)}}, calls)
                      : *grouping.plan.reduce(source, b.graph(), calls);
  return grouping;
}

struct StringGroup {
  std::set<std::string> strings;
  std::uint64_t rows = 0;
};

std::string text_of_group(const StringGroup& group) {
  const bool is_empty = group.strings.empty();
  return (is_empty ? "NULL" : *group.strings.begin()) + "|" + std::to_string(group.rows) + "|" +
         (is_empty ? "NULL" : *group.strings.rbegin()) + "|" +
         std::to_string(group.strings.size()) + "|";
}

// std::string compares unsigned bytes, as DuckDB does.
void expect_extremes(const OptionalStrings& strings, const std::vector<std::int32_t>& keys) {
  StringGroup all;
  std::map<std::int32_t, StringGroup> groups;
  for (std::size_t row = 0; row < strings.size(); row++)
    for (StringGroup* const group : {&all, &groups[keys[row]]}) {
      group->rows++;
      if (strings[row]) group->strings.insert(*strings[row]);
    }
  const Table table =
      Table::of({{"s", Column::from_strings(strings)}, {"key", Column::from(keys)}});
  const Grouping whole = extremes_of(table, false), by_key = extremes_of(table, true);
  on_each_device([&](Device& device) {
    for (const bool validate : {false, true}) {
      RunOptions options;
      options.device = device.traits().id;
      options.batch_rows = 64;
      options.validate = validate;
      TAKE(const QueryResult one, run(whole.plan, whole.step, options));
      EXPECT_EQ(text_of_row(one.table, 0), text_of_group(all));
      TAKE(const QueryResult some, run(by_key.plan, by_key.step, options));
      ASSERT_EQ(some.table.row_count, groups.size());
      std::uint64_t row = 0;
      for (const auto& [key, group] : groups)
        EXPECT_EQ(text_of_row(some.table, row++), std::to_string(key) + "|" + text_of_group(group));
    }
  });
}

// Codes are in the order of first sight, so that neither they nor signed bytes give the answer.
TEST(StringExtremes, BytesDecideAndNotCodes) {
  const std::vector<std::string> words = {"m", "\xC3\xA9",         "z", "", "a\x7F",
                                          "a", "\xF0\x9F\x98\x80", "Z"};
  OptionalStrings strings;
  std::vector<std::int32_t> keys;
  for (std::size_t row = 0; row < 700; row++) {
    const std::string& word = words[row * 5 % 8];
    strings.push_back(row % 6 == 1 ? std::nullopt : std::optional(word + std::to_string(row % 9)));
    keys.push_back(static_cast<std::int32_t>(row * row % 13));
  }
  expect_extremes(strings, keys);
}

TEST(StringExtremes, NullsAloneHaveNone) {
  OptionalStrings strings(200);
  std::vector<std::int32_t> keys(200, 4);
  strings[150] = "only";
  keys[150] = 3;
  expect_extremes(strings, keys);
  strings[150].reset();
  expect_extremes(strings, keys);
}

TEST(StringExtremes, NoRowsHaveNone) { expect_extremes({}, {}); }

TEST(StringExtremes, GroupsThatTheDeviceMergesHaveThem) {
  OptionalStrings strings;
  std::vector<std::int32_t> keys;
  for (std::int32_t row = 0; row < 20'000; row++) {
    strings.push_back("string " + std::to_string(row * 7919 % 6007));
    keys.push_back(row % 701);
  }
  const Table table =
      Table::of({{"s", Column::from_strings(strings)}, {"key", Column::from(keys)}});
  Grouping grouping;
  const StepId source = grouping.plan.source(table_source(table));
  Builder b(grouping.plan.step(source).schema);
  TAKE(grouping.step, grouping.plan.group_by(source, b.graph(), {{"key", b.column(1u)}},
                                             {extreme(Aggregate::minimum, b.column(0u)),
                                              extreme(Aggregate::maximum, b.column(0u))}));
  expect_as_on_host(grouping.plan, grouping.step, {.batch_rows = 4096}, [](const Merged& merged) {
    EXPECT_EQ(merged.table.row_count, 701u);
    EXPECT_TRUE(has_kernel(merged.report, "group_merge"));
    EXPECT_FALSE(has_kernel(merged.report, "distinct_totals")) << "codes have no order";
  });
}

}  // namespace
}  // namespace penstock::test
