// Rows that a step leaves in device memory for the kernel of the next one, against the same rows on
// the host.
#include <algorithm>

#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

// The columns of three tables, one after another. The second has no rows. A filter leaves some out.
struct AppendedRows {
  Plan plan;
  StepId rows = 0;
  Schema schema;

  explicit AppendedRows(std::uint64_t count) {
    std::vector<StepId> inputs;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Table table = random_table(seed == 2 ? 0 : count, seed);
      const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
      Builder builder(plan.step(source).schema);
      std::vector<Projection> columns;
      for (std::uint32_t i = 0; i < builder.schema().size(); i++)
        if (width_bytes(builder.schema()[i].type) <= 8)
          columns.push_back({builder.schema()[i].name, builder.column(i)});
      const NodeId keeps = *builder.string_function("like", {*builder.column("s"), text(builder)});
      const StepId kept = *plan.filter(source, builder.graph(), keeps);
      inputs.push_back(*plan.map(kept, builder.graph(), columns));
    }
    rows = *plan.append(inputs);
    schema = plan.step(rows).schema;
  }
  static NodeId text(Builder& builder) { return builder.literal(Scalar::of(std::string("%e%"))); }
  std::uint32_t first_of(Kind kind) const {
    for (std::uint32_t i = 0; i < schema.size(); i++)
      if (schema[i].type.kind == kind) return i;
    ADD_FAILURE() << "no such column";
    return 0;
  }
};

// A part in device memory is a chunk of its own. Rows on the host come in one.
void expect_resident_as_on_host(const Plan& plan, StepId step, bool stays,
                                std::uint64_t limit_bytes = 0) {
  on_each_device([&](Device& device) {
    RunOptions options;
    options.device = device.traits().id;
    options.memory_limit_bytes = limit_bytes;
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, run(plan, step, options));
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult there, run(plan, step, options));
    ASSERT_EQ(there.table.row_count, here.table.row_count);
    for (std::uint64_t row = 0; row < here.table.row_count; row++)
      ASSERT_EQ(text_of_row(there.table, row), text_of_row(here.table, row)) << row;
    if (stays) { EXPECT_EQ(there.report.chunks, here.report.chunks + 1); }
  });
}

StepId grouped(AppendedRows& of) {
  Builder builder(of.schema);
  const std::uint32_t key = of.first_of(Kind::string), truth = of.first_of(Kind::boolean),
                      number = of.first_of(Kind::int32);
  return *of.plan.group_by(of.rows, builder.graph(),
                           {{"s", builder.column(key)}, {"truth", builder.column(truth)}},
                           {{Aggregate::count_rows, 0, "rows", nullptr},
                            {Aggregate::sum, builder.column(number), "sum", nullptr},
                            {Aggregate::maximum, builder.column(number), "most", nullptr}});
}

TEST(ResidentRows, GroupsOfAppendedRowsAreThoseOfTheHost) {
  AppendedRows of(20'000);
  expect_resident_as_on_host(of.plan, grouped(of), true);
}

TEST(ResidentRows, RowsThatDoNotFitComeToTheHost) {
  AppendedRows of(20'000);
  expect_resident_as_on_host(of.plan, grouped(of), false, 1 << 20);
}

// Each type, NULLs, and functions of texts that the second kernel computes.
TEST(ResidentRows, EveryColumnOfAppendedRowsHasItsValues) {
  AppendedRows of(5000);
  Builder builder(of.schema);
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < of.schema.size(); i++)
    columns.push_back({of.schema[i].name, builder.column(i)});
  columns.push_back(
      {"length", *builder.string_function("length", {builder.column(of.first_of(Kind::string))})});
  const NodeId is_some = *builder.binary(Op::greater, builder.column(of.first_of(Kind::int32)),
                                         builder.literal(Scalar::of(std::int32_t{0})));
  const StepId kept = *of.plan.filter(of.rows, builder.graph(), is_some);
  const StepId mapped = *of.plan.map(kept, builder.graph(), columns);
  expect_resident_as_on_host(of.plan, mapped, false);
}

TEST(ResidentRows, AppendedRowsAreTheLeftSideOfAJoinThatMakesPairs) {
  AppendedRows of(2000);
  std::vector<std::string> keys;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 14; i++) {
    keys.push_back("key " + std::to_string(i % 7));
    values.push_back(i);
  }
  const StepId right = of.plan.source(table_source(
      Table::of({{"k", Column::from_strings(keys)}, {"v", Column::from(values)}}), "right"));
  const std::uint32_t key = of.first_of(Kind::string);
  const StepId joined = *of.plan.join(of.rows, right, JoinKind::inner, {{key, 0}});
  Builder builder(of.plan.step(joined).schema);
  const StepId sums = *of.plan.group_by(joined, builder.graph(), {{"s", builder.column(key)}},
                                        {{Aggregate::sum, *builder.column("v"), "sum", nullptr},
                                         {Aggregate::count_rows, 0, "rows", nullptr}});
  expect_resident_as_on_host(of.plan, sums, false);
}

// Many groups by a text, a truth and a number, and a filter and a computed column of them.
struct MappedGroups {
  Plan plan;
  StepId groups = 0, mapped = 0;

  explicit MappedGroups(std::uint64_t count) {
    const Table table = random_table(count, 7);
    const StepId source = plan.source(std::make_shared<FixedSchemaSource>(table));
    Builder rows(plan.step(source).schema);
    const NodeId number = column_of(rows, Kind::int32), text = column_of(rows, Kind::string);
    groups =
        *plan.group_by(source, rows.graph(),
                       {{"s", text}, {"truth", column_of(rows, Kind::boolean)}, {"number", number}},
                       {{Aggregate::count_rows, 0, "rows", nullptr},
                        {Aggregate::count, number, "some", nullptr},
                        {Aggregate::maximum, column_of(rows, Kind::float64), "most", nullptr}});
    mapped = map_of(groups);
  }
  StepId map_of(StepId input) {
    Builder of(plan.step(input).schema);
    const NodeId keeps = *of.binary(Op::less_equal, *of.column("some"), *of.column("rows"));
    const StepId kept = *plan.filter(input, of.graph(), keeps);
    const NodeId sum = *of.binary(Op::add, *of.column("rows"), *of.column("some"));
    return *plan.map(kept, of.graph(),
                     {{"s", *of.column("s")}, {"both", sum}, {"most", *of.column("most")}});
  }
  StepId group(StepId input, const std::string& key) {
    Builder of(plan.step(input).schema);
    return *plan.group_by(input, of.graph(), {{key, *of.column("s")}, {key + "_n", of.column(1)}},
                          {{Aggregate::count_rows, 0, key + "_groups", nullptr},
                           {Aggregate::maximum, *of.column("most"), key + "_most", nullptr}});
  }
  static NodeId column_of(Builder& builder, Kind kind) {
    for (std::uint32_t i = 0; i < builder.schema().size(); i++)
      if (builder.schema()[i].type.kind == kind) return builder.column(i);
    ADD_FAILURE() << "no such column";
    return 0;
  }
};

std::vector<std::string> sorted_rows(const Table& table) {
  std::vector<std::string> rows;
  for (std::uint64_t row = 0; row < table.row_count; row++) rows.push_back(text_of_row(table, row));
  std::ranges::sort(rows);
  return rows;
}

// Groups that stay are not downloaded.
void expect_groups_stay(const Plan& plan, StepId step) {
  on_each_device([&](Device& device) {
    RunOptions options;
    options.device = device.traits().id;
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, run(plan, step, options));
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult there, run(plan, step, options));
    EXPECT_EQ(sorted_rows(there.table), sorted_rows(here.table));
    EXPECT_LT(there.report.bytes_downloaded, here.report.bytes_downloaded);
  });
}

TEST(ResidentGroups, AreGroupedAgainWhereTheyLie) {
  MappedGroups of(50'000);
  expect_groups_stay(of.plan, of.group(of.mapped, "s"));
}

TEST(ResidentGroups, AreTheRightSideOfAJoin) {
  MappedGroups of(20'000);
  const StepId right = of.group(of.mapped, "r");
  const StepId left = of.group(of.groups, "l");
  const StepId joined = *of.plan.join(left, right, JoinKind::inner, {{0, 0}});
  Builder builder(of.plan.step(joined).schema);
  const StepId sum =
      *of.plan.reduce(joined, builder.graph(),
                      {{Aggregate::count_rows, 0, "rows", nullptr},
                       {Aggregate::maximum, *builder.column("l_most"), "most", nullptr}});
  expect_groups_stay(of.plan, sum);
}

TEST(ResidentGroups, AreReadByEachOfTheirConsumers) {
  MappedGroups of(50'000);
  const StepId again = of.map_of(of.groups);
  const StepId both = *of.plan.append({of.mapped, again});
  expect_groups_stay(of.plan, of.group(both, "s"));
}

// The host limits them, and leaves out the column that nothing reads.
TEST(ResidentGroups, AreAppendedToFewRowsOfTheHost) {
  MappedGroups of(50'000);
  const StepId ordered = *of.plan.order_by(of.map_of(of.groups), {{0}, {1}, {2}});
  const StepId few = *of.plan.limit(ordered, 5);
  const StepId both = *of.plan.append({of.mapped, few});
  Builder builder(of.plan.step(both).schema);
  const StepId counted =
      *of.plan.group_by(both, builder.graph(), {{"s", *builder.column("s")}},
                        {{Aggregate::count_rows, 0, "rows", nullptr},
                         {Aggregate::count, *builder.column("most"), "most", nullptr}});
  expect_groups_stay(of.plan, counted);
}

// Ranks, counts and sums of groups, over partitions by a text and in an order with NULLs, of which
// a filter keeps some.
StepId windows_over(MappedGroups& of) {
  const Schema& schema = of.plan.step(of.groups).schema;
  Window window;
  window.partition = {0};
  window.order = {{5, true, false}, {2, false, true}};
  using enum WindowFunction;
  using enum WindowFrame;
  window.calls = {{rank, 0, rows, 1, "rank"},           {dense_rank, 0, rows, 1, "dense"},
                  {count, 2, partition, 1, "counted"},  {sum, 3, peers, 1, "sum"},
                  {sum, 2, peers, 1, "sum of numbers"}, {average, 5, peers, 1, "average"}};
  EXPECT_EQ(schema[5].type.kind, Kind::float64);
  const StepId windows = *of.plan.window(of.groups, window);
  Builder builder(of.plan.step(windows).schema);
  const NodeId is_first = *builder.binary(Op::less_equal, *builder.column("rank"),
                                          builder.literal(Scalar::of(std::int64_t{40})));
  const StepId kept = *of.plan.filter(windows, builder.graph(), is_first);
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < builder.schema().size(); i++)
    if (width_bytes(builder.schema()[i].type) <= 8)
      columns.push_back({builder.schema()[i].name, builder.column(i)});
  return *of.plan.map(kept, builder.graph(), columns);
}

TEST(ResidentGroups, HaveWindowsWhereTheyLie) {
  MappedGroups of(50'000);
  expect_groups_stay(of.plan, windows_over(of));
}

}  // namespace
}  // namespace penstock::test
