// Rows that a step leaves in device memory for the kernel of the next one, against the same rows on
// the host.
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

}  // namespace
}  // namespace penstock::test
