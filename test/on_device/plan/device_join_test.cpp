// Joins with right sides that stay in device memory, against the host's tables of the same rows,
// which join_test.cpp compares with a loop.
#include <numeric>
#include <utility>

#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

const std::vector<JoinKind> kinds_of_joins = {JoinKind::inner, JoinKind::left, JoinKind::semi,
                                              JoinKind::anti, JoinKind::not_in};

std::vector<std::string> texts_of_rows(const Table& table) {
  std::vector<std::string> texts;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    texts.push_back(text_of_row(table, row));
  return texts;
}

// Runs a step with the tables of joins on the device and on the host, and compares all rows. Passes
// on the report of the run with them on the device.
void expect_joined_as_on_host(const Plan& plan, StepId step, const RunOptions& base,
                              const std::function<void(const RunReport&)>& look = {}) {
  on_each_device([&](Device& device) {
    RunOptions options = base;
    options.device = device.traits().id;
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, run(plan, step, options));
    EXPECT_FALSE(has_kernel(here.report, "join_table"));
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult there, run(plan, step, options));
    EXPECT_EQ(texts_of_rows(there.table), texts_of_rows(here.table));
    if (look) look(there.report);
  });
}

void expect_table_there(const RunReport& report) {
  EXPECT_TRUE(has_kernel(report, "join_table"));
  EXPECT_TRUE(report.notes.empty());
}
void expect_note(const RunReport& report, std::string_view part) {
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes[0].find(part), std::string::npos) << report.notes[0];
}

struct Sides {
  Plan plan;
  StepId left = 0, right = 0, joined = 0;
};
Sides join_of(Table left, Table right, JoinKind kind, std::size_t key_count = 1) {
  Sides sides;
  sides.left = sides.plan.source(table_source(std::move(left), "left"));
  sides.right = sides.plan.source(table_source(std::move(right), "right"));
  std::vector<JoinKey> keys;
  for (std::uint32_t key = 0; key < key_count; key++) keys.push_back({key, key});
  sides.joined = *sides.plan.join(sides.left, sides.right, kind, std::move(keys));
  return sides;
}

// Row i has the key start + i * step, or NULL if i is a multiple of `nulls_every`; and a number,
// a text, a truth and a float, the last three with NULLs.
Table keyed_rows(std::uint64_t rows, std::int64_t start, std::int64_t step,
                 std::uint64_t nulls_every = 0) {
  std::vector<std::optional<std::int64_t>> keys;
  std::vector<std::int32_t> numbers;
  std::vector<std::optional<std::string>> texts;
  std::vector<Scalar> truths;
  std::vector<std::optional<double>> reals;
  for (std::uint64_t row = 0; row < rows; row++) {
    const auto i = static_cast<std::int64_t>(row);
    keys.push_back(nulls_every > 0 && row % nulls_every == 0
                       ? std::nullopt
                       : std::optional<std::int64_t>(start + i * step));
    numbers.push_back(static_cast<std::int32_t>(i * 7));
    texts.push_back(row % 5 == 2 ? std::nullopt
                                 : std::optional<std::string>("text " + std::to_string(row % 11)));
    truths.push_back(row % 7 == 3 ? Scalar::null_of({Kind::boolean}) : Scalar::of(row % 2 == 0));
    reals.push_back(row % 4 == 1 ? std::nullopt
                                 : std::optional<double>(static_cast<double>(i) * 0.5));
  }
  return Table::of({{"key", Column::from(keys)},
                    {"number", Column::from(numbers)},
                    {"text", Column::from_strings(texts)},
                    {"truth", column_of({Kind::boolean}, truths)},
                    {"real", Column::from(reals)}});
}

// Keys of a narrow range have positions of their own; keys of a wide range are hashed.
TEST(DeviceJoin, EveryKindFindsWhatTheHostFinds) {
  for (const std::int64_t step : {1LL, 3LL, 0x123456789ABCLL})
    for (const JoinKind kind : kinds_of_joins) {
      SCOPED_TRACE(std::string(name_of(kind)) + ", keys " + std::to_string(step) + " apart");
      const Sides sides = join_of(keyed_rows(900, -300 * step, step, 9),
                                  keyed_rows(400, -200 * step, 2 * step), kind);
      expect_joined_as_on_host(sides.plan, sides.joined, {}, expect_table_there);
    }
}

TEST(DeviceJoin, NullKeysMatchNothingAndDecideNotIn) {
  for (const JoinKind kind : kinds_of_joins) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const Sides sides = join_of(keyed_rows(300, 0, 1, 4), keyed_rows(200, 0, 1, 3), kind);
    expect_joined_as_on_host(sides.plan, sides.joined, {}, expect_table_there);
  }
}

// Four columns at a time are the keys of a table with itself, so that a row finds itself.
TEST(DeviceJoin, KeysOfEveryTypeHaveTheHostsWords) {
  const Table rows = random_table(400, 1);
  std::vector<JoinKey> keys;
  for (std::uint32_t column = 0; column < rows.columns.size(); column++) {
    if (width_bytes(rows.columns[column].type) <= 8) keys.push_back({column, column});
    if (keys.size() < 4 && column + 1 < rows.columns.size()) continue;
    SCOPED_TRACE(rows.names[column]);
    Plan plan;
    const StepId left = plan.source(std::make_shared<FixedSchemaSource>(rows)),
                 right = plan.source(std::make_shared<FixedSchemaSource>(rows));
    TAKE(const StepId joined, plan.join(left, right, JoinKind::semi, std::exchange(keys, {})));
    expect_joined_as_on_host(plan, joined, {}, expect_table_there);
  }
}

TEST(DeviceJoin, RepeatedKeysOfSemiAndAntiJoinsNeedNoHost) {
  Table right = keyed_rows(600, 0, 1);
  std::vector<std::int64_t> keys;
  for (std::int64_t row = 0; row < 600; row++) keys.push_back(row % 50 * 3);
  right.columns[0] = Column::from(keys);
  for (const JoinKind kind : {JoinKind::semi, JoinKind::anti, JoinKind::not_in}) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const Sides sides = join_of(keyed_rows(300, -20, 1), right, kind);
    expect_joined_as_on_host(sides.plan, sides.joined, {}, expect_table_there);
  }
}

// Every 50th right row of each table has one key, which 20 left rows have: rows of several chunks
// of pairs, in the host's order. Keys of a wide range are hashed.
Table rows_of_repeated_keys(std::uint64_t rows, std::int64_t apart, std::uint64_t distinct) {
  Table table = keyed_rows(rows, 0, 1);
  std::vector<std::optional<std::int64_t>> keys;
  for (std::uint64_t row = 0; row < rows; row++)
    keys.push_back(row % 13 == 5 ? std::nullopt
                   : row % 3 == 0
                       ? std::optional<std::int64_t>(7)
                       : std::optional(static_cast<std::int64_t>(row % distinct) * apart));
  table.columns[0] = Column::from(keys);
  return table;
}

const KernelReport* kernel_named(const RunReport& report, std::string_view name) {
  const auto found =
      std::ranges::find_if(report.kernels, [&](const auto& kernel) { return kernel.name == name; });
  return found == report.kernels.end() ? nullptr : &*found;
}

void expect_pairs_there(const RunReport& report) {
  const KernelReport* const pairs = kernel_named(report, "join_pairs");
  ASSERT_NE(pairs, nullptr);
  EXPECT_GT(pairs->device_seconds, 0);
  EXPECT_GT(pairs->bytes_moved, 0u);
  EXPECT_TRUE(report.notes.empty());
}

TEST(DeviceJoin, RepeatedKeysHaveTheHostsPairsInItsOrder) {
  for (const std::int64_t apart : {1LL, 0x123456789ABCLL})
    for (const JoinKind kind : {JoinKind::inner, JoinKind::left})
      for (const std::uint64_t batch_rows : {0u, 64u}) {
        SCOPED_TRACE(std::string(name_of(kind)) + ", keys " + std::to_string(apart) + " apart");
        const Sides sides = join_of(rows_of_repeated_keys(90, apart, 40),
                                    rows_of_repeated_keys(200, apart, 30), kind);
        RunOptions options;
        options.batch_rows = batch_rows;
        expect_joined_as_on_host(sides.plan, sides.joined, options, expect_pairs_there);
      }
}

// A chunk has 64 of 102,400 pairs that one key has: most chunks begin and end within a left row.
TEST(DeviceJoin, OneKeyOfManyPairsIsCutIntoChunks) {
  const std::vector<std::int64_t> keys(320, 5);
  std::vector<std::int32_t> numbers(320);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Table rows = Table::of({{"key", Column::from(keys)}, {"number", Column::from(numbers)}});
  Sides sides = join_of(rows, rows, JoinKind::inner);
  Builder b(sides.plan.step(sides.joined).schema);
  TAKE(const NodeId product, b.binary(Op::multiply, b.column(1), b.column(3)));
  TAKE(const StepId sums, sides.plan.reduce(sides.joined, b.graph(),
                                            {{Aggregate::count_rows, 0, "n", nullptr},
                                             {Aggregate::sum, product, "sum", nullptr}}));
  RunOptions options;
  options.batch_rows = 6400;
  expect_joined_as_on_host(sides.plan, sums, options, [](const RunReport& report) {
    expect_pairs_there(report);
    EXPECT_GE(report.chunks, 16u);
    EXPECT_GE(kernel_named(report, "join_pairs")->launches, 16u);
  });
}

// The left side of each of two joins takes more than half of the limit, a quarter of the memory.
TEST(DeviceJoin, PairsLeaveTheirMemoryToTheNextJoin) {
  const Table left = rows_of_repeated_keys(20000, 1, 5000);
  Plan plan;
  const StepId first = plan.source(table_source(left, "first")),
               few = plan.source(table_source(rows_of_repeated_keys(9, 1, 4), "few")),
               second = plan.source(table_source(left, "second"));
  TAKE(const StepId pairs, plan.join(first, few, JoinKind::inner, {{0, 0}}));
  Builder b(plan.step(pairs).schema);
  TAKE(const NodeId is_small,
       b.binary(Op::less, b.column(1), b.literal(Scalar::of(std::int32_t{900}))));
  TAKE(const StepId small, plan.filter(pairs, b.graph(), is_small));
  TAKE(const StepId joined, plan.join(second, small, JoinKind::inner, {{0, 0}}));
  Builder counted(plan.step(joined).schema);
  TAKE(const StepId count,
       plan.reduce(joined, counted.graph(), {{Aggregate::count_rows, 0, "n", nullptr}}));
  RunOptions options;
  options.memory_limit_bytes = 4 << 20;
  options.batch_rows = 4096;
  expect_joined_as_on_host(plan, count, options, expect_pairs_there);
}

TEST(DeviceJoin, PairsBeyondTheMemoryLimitAreTheHostsWithANote) {
  const Sides sides = join_of(rows_of_repeated_keys(20000, 1, 5000),
                              rows_of_repeated_keys(40, 1, 30), JoinKind::inner);
  RunOptions options;
  options.memory_limit_bytes = 1 << 20;
  expect_joined_as_on_host(sides.plan, sides.joined, options, [](const RunReport& report) {
    expect_note(report, "its left side does not stay");
  });
}

TEST(DeviceJoin, ARightSideWithoutRowsHasATable) {
  for (const JoinKind kind : kinds_of_joins) {
    SCOPED_TRACE(std::string(name_of(kind)));
    Sides sides = join_of(keyed_rows(100, 0, 1, 5), keyed_rows(100, 0, 1), kind);
    Builder b(sides.plan.step(sides.right).schema);
    TAKE(const NodeId none, b.binary(Op::less, b.column(1), b.literal(Scalar::of(-1))));
    TAKE(const StepId nothing, sides.plan.filter(sides.right, b.graph(), none));
    TAKE(const StepId joined, sides.plan.join(sides.left, nothing, kind, {{0, 0}}));
    expect_joined_as_on_host(sides.plan, joined, {}, expect_table_there);
  }
}

TEST(DeviceJoin, RowsOfManyChunksStandInTheirOrder) {
  Sides sides = join_of(keyed_rows(3000, 0, 1), keyed_rows(3000, 0, 1, 13), JoinKind::left);
  Builder b(sides.plan.step(sides.right).schema);
  TAKE(const NodeId some, b.binary(Op::greater, b.column(1), b.literal(Scalar::of(2000))));
  TAKE(const StepId kept, sides.plan.filter(sides.right, b.graph(), some));
  TAKE(const StepId joined, sides.plan.join(sides.left, kept, JoinKind::left, {{0, 0}}));
  RunOptions options;
  options.batch_rows = 64;
  expect_joined_as_on_host(sides.plan, joined, options, expect_table_there);
}

TEST(DeviceJoin, SeveralKeysAreHashedTogether) {
  std::vector<std::int64_t> first, third;
  std::vector<std::optional<std::int32_t>> second;
  for (std::int64_t row = 0; row < 500; row++) {
    first.push_back(row % 7 << 40);
    second.push_back(row % 31 == 5 ? std::nullopt
                                   : std::optional<std::int32_t>(static_cast<int>(row % 11)));
    third.push_back(row / 77 - 3);
  }
  const auto rows = [&] {
    return Table::of(
        {{"a", Column::from(first)}, {"b", Column::from(second)}, {"c", Column::from(third)}});
  };
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::anti}) {
    const Sides sides = join_of(rows(), rows(), kind, 3);
    expect_joined_as_on_host(sides.plan, sides.joined, {}, expect_table_there);
  }
}

// A text of the right side as a value, as a function's input, as what another lookup asks for, and
// as a column of the result.
TEST(DeviceJoin, TextsOfTheRightSideAreReadByTheirCodes) {
  Sides sides = join_of(keyed_rows(200, 0, 1), keyed_rows(150, 10, 1), JoinKind::left);
  Builder b(sides.plan.step(sides.joined).schema);
  TAKE(const NodeId length, b.string_function("length", {b.column(7)}));
  TAKE(const NodeId is_third,
       b.binary(Op::equal, b.column(7), b.literal(Scalar::of(std::string("text 3")))));
  TAKE(const StepId mapped, sides.plan.map(sides.joined, b.graph(),
                                           {{"length", length},
                                            {"third", is_third},
                                            {"text", b.column(7)},
                                            {"truth", b.column(8)}}));
  expect_joined_as_on_host(sides.plan, mapped, {}, expect_table_there);
  TAKE(const StepId grouped, sides.plan.group_by(sides.joined, b.graph(), {{"text", b.column(7)}},
                                                 {{Aggregate::count_rows, 0, "n", nullptr}}));
  expect_joined_as_on_host(sides.plan, grouped, {}, expect_table_there);
}

TEST(DeviceJoin, ARightSideMayBeAJoin) {
  Plan plan;
  const StepId left = plan.source(table_source(keyed_rows(500, 0, 1))),
               middle = plan.source(table_source(keyed_rows(300, 0, 2))),
               last = plan.source(table_source(keyed_rows(200, 0, 7)));
  TAKE(const StepId right, plan.join(middle, last, JoinKind::inner, {{1, 0}}));
  TAKE(const StepId joined, plan.join(left, right, JoinKind::inner, {{0, 0}}));
  expect_joined_as_on_host(plan, joined, {}, [](const RunReport& report) {
    EXPECT_EQ(std::count_if(report.kernels.begin(), report.kernels.end(),
                            [](const KernelReport& k) { return k.name == "join_table"; }),
              2);
  });
}

TEST(DeviceJoin, ValidationAgrees) {
  for (const JoinKind kind : kinds_of_joins) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const Sides sides = join_of(keyed_rows(300, 0, 1, 9), keyed_rows(200, 50, 1, 7), kind);
    Builder b(sides.plan.step(sides.joined).schema);
    Plan plan = sides.plan;
    TAKE(const NodeId twice, b.binary(Op::add, b.column(1), b.column(1)));
    TAKE(const StepId mapped, plan.map(sides.joined, b.graph(), {{"twice", twice}}));
    RunOptions options;
    options.validate = true;
    expect_joined_as_on_host(plan, mapped, options, expect_table_there);
  }
}

TEST(DeviceJoin, AStepThatTwoReadIsTheHosts) {
  Sides sides = join_of(keyed_rows(200, 0, 1), keyed_rows(100, 0, 1), JoinKind::semi);
  TAKE(const StepId both, sides.plan.join(sides.joined, sides.right, JoinKind::inner, {{0, 0}}));
  expect_joined_as_on_host(sides.plan, both, {}, [](const RunReport& report) {
    EXPECT_FALSE(has_kernel(report, "join_table"));
  });
}

}  // namespace
}  // namespace penstock::test
