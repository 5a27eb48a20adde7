// Joins with right sides that exceed the memory for them, and run on the device by partitions,
// against the host's tables of the same rows. Rows without an order come partition by partition.
#include <algorithm>
#include <atomic>

#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

const std::vector<JoinKind> kinds_to_partition = {JoinKind::inner, JoinKind::left, JoinKind::semi,
                                                  JoinKind::anti, JoinKind::not_in};

std::vector<std::string> rows_by_text(const Table& table) {
  std::vector<std::string> rows;
  for (std::uint64_t row = 0; row < table.row_count; row++) rows.push_back(text_of_row(table, row));
  std::sort(rows.begin(), rows.end());
  return rows;
}

bool has_note_of(const RunReport& report, std::string_view part) {
  return std::any_of(report.notes.begin(), report.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}
std::string all_notes(const RunReport& report) {
  std::string text;
  for (const std::string& note : report.notes) text += note + "\n";
  return text;
}

// A quarter of it is for right sides.
RunOptions limited_to(std::uint64_t kibibytes, std::uint64_t batch_rows = 512) {
  RunOptions options;
  options.memory_limit_bytes = 4 * kibibytes << 10;
  options.batch_rows = batch_rows;
  return options;
}

// Runs a step with the host's tables and without a limit, and then with the device's within
// `options`; compares all rows, and expects a note of the second run.
void expect_as_without_limit(const Plan& plan, StepId step, RunOptions options,
                             std::string_view note) {
  on_each_device([&](Device& device) {
    RunOptions unlimited;
    unlimited.device = options.device = device.traits().id;
    unlimited.intermediate_rows = IntermediateRows::host;
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult here, run(plan, step, unlimited));
    TAKE(const QueryResult there, run(plan, step, options));
    EXPECT_EQ(rows_by_text(there.table), rows_by_text(here.table));
    EXPECT_TRUE(has_note_of(there.report, note)) << all_notes(there.report);
  });
}

using MaybeKeys = std::vector<std::optional<std::int64_t>>;

// Keys `start`, `start` + `step`, ...; every so many are NULL.
MaybeKeys keys_of(std::uint64_t rows, std::int64_t start, std::int64_t step,
                  std::uint64_t nulls_every = 0) {
  MaybeKeys keys;
  for (std::uint64_t row = 0; row < rows; row++)
    keys.push_back(nulls_every > 0 && row % nulls_every == 1
                       ? std::nullopt
                       : std::optional(start + static_cast<std::int64_t>(row) * step));
  return keys;
}

// Keys beside a number, a text and a truth, the last two with NULLs.
Table rows_of_keys(const MaybeKeys& keys) {
  std::vector<std::int32_t> numbers;
  std::vector<std::optional<std::string>> texts;
  std::vector<Scalar> truths;
  for (std::size_t row = 0; row < keys.size(); row++) {
    numbers.push_back(static_cast<std::int32_t>(row * 7));
    texts.push_back(row % 5 == 2 ? std::nullopt
                                 : std::optional<std::string>("text " + std::to_string(row % 11)));
    truths.push_back(row % 7 == 3 ? Scalar::null_of({Kind::boolean}) : Scalar::of(row % 2 == 0));
  }
  return Table::of({{"key", Column::from(keys)},
                    {"number", Column::from(numbers)},
                    {"text", Column::from_strings(texts)},
                    {"truth", column_of({Kind::boolean}, truths)}});
}

struct TwoSides {
  Plan plan;
  StepId left = 0, right = 0, joined = 0;
};
TwoSides joined_by(Table left, Table right, JoinKind kind, std::vector<JoinKey> keys = {{0, 0}}) {
  TwoSides sides;
  sides.left = sides.plan.source(table_source(std::move(left), "left"));
  sides.right = sides.plan.source(table_source(std::move(right), "right"));
  sides.joined = *sides.plan.join(sides.left, sides.right, kind, std::move(keys));
  return sides;
}

// 4,000 rows and their table take 176 KiB; 133 KiB where only a partner is asked for.
TEST(JoinPartitions, EveryKindFindsWhatTheHostFinds) {
  for (const JoinKind kind : kinds_to_partition) {
    const bool has_columns = kind == JoinKind::inner || kind == JoinKind::left;
    for (const auto& [kibibytes, note] :
         {std::pair{has_columns ? 110 : 70, "join in 2 partitions"},
          std::pair{has_columns ? 24 : 18, "join in 8 partitions"}}) {
      SCOPED_TRACE(std::string(name_of(kind)) + ": " + note);
      const TwoSides sides = joined_by(rows_of_keys(keys_of(3000, -900, 3, 9)),
                                       rows_of_keys(keys_of(4000, 0, 2)), kind);
      expect_as_without_limit(sides.plan, sides.joined,
                              limited_to(static_cast<std::uint64_t>(kibibytes)), note);
    }
  }
}

TEST(JoinPartitions, NullKeysMatchNothingAndDecideNotIn) {
  for (const JoinKind kind : kinds_to_partition) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const TwoSides sides = joined_by(rows_of_keys(keys_of(2000, 0, 3, 4)),
                                     rows_of_keys(keys_of(4000, 0, 2, 3999)), kind);
    expect_as_without_limit(sides.plan, sides.joined, limited_to(32), "partitions");
  }
}

TEST(JoinPartitions, RepeatedKeysOfSemiAndAntiJoinsAreFound) {
  MaybeKeys keys = keys_of(4000, 0, 1);
  for (std::size_t row = 0; row < keys.size(); row++) keys[row] = *keys[row] % 700 * 5;
  for (const JoinKind kind : {JoinKind::semi, JoinKind::anti, JoinKind::not_in}) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const TwoSides sides =
        joined_by(rows_of_keys(keys_of(3000, -200, 1)), rows_of_keys(keys), kind);
    expect_as_without_limit(sides.plan, sides.joined, limited_to(24), "partitions");
  }
}

// The key of a row is its text, its number and its key.
TEST(JoinPartitions, TextsAndSeveralKeysAreDealtOutAlike) {
  for (const JoinKind kind : kinds_to_partition) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const TwoSides sides =
        joined_by(rows_of_keys(keys_of(3000, 0, 1, 9)), rows_of_keys(keys_of(4000, 0, 1, 7)), kind,
                  {{2, 2}, {1, 1}, {0, 0}});
    expect_as_without_limit(sides.plan, sides.joined, limited_to(32), "partitions");
  }
}

TEST(JoinPartitions, AggregatesAddUpOverPartitions) {
  TwoSides sides = joined_by(rows_of_keys(keys_of(3000, 0, 1)), rows_of_keys(keys_of(4000, 0, 2)),
                             JoinKind::inner);
  Builder b(sides.plan.step(sides.joined).schema);
  TAKE(const NodeId sum, b.binary(Op::add, b.column(1), b.column(5)));
  const std::vector<AggregateCall> calls = {{Aggregate::count_rows, 0, "n", nullptr},
                                            {Aggregate::sum, sum, "sum", nullptr},
                                            {Aggregate::maximum, b.column(5), "most", nullptr}};
  TAKE(const StepId reduced, sides.plan.reduce(sides.joined, b.graph(), calls));
  expect_as_without_limit(sides.plan, reduced, limited_to(32), "partitions");
  TAKE(const StepId grouped,
       sides.plan.group_by(sides.joined, b.graph(), {{"text", b.column(6)}}, calls));
  expect_as_without_limit(sides.plan, grouped, limited_to(32), "partitions");
}

// 40,000 rows that have each key four times: a table by the keys' range leaves no memory for the
// order of the rows.
TEST(JoinPartitions, TablesLeaveMemoryForPairs) {
  MaybeKeys repeated;
  for (std::int64_t row = 0; row < 40000; row++) repeated.push_back(row - row % 4);
  TwoSides sides =
      joined_by(rows_of_keys(keys_of(500, 0, 4)), rows_of_keys(repeated), JoinKind::inner);
  Builder b(sides.plan.step(sides.joined).schema);
  TAKE(const StepId counted, sides.plan.reduce(sides.joined, b.graph(),
                                               {{Aggregate::count_rows, 0, "n", nullptr},
                                                {Aggregate::sum, b.column(5), "sum", nullptr}}));
  for (const std::uint64_t kibibytes : {300, 400, 500, 600, 900}) {
    SCOPED_TRACE(kibibytes);
    expect_as_without_limit(sides.plan, counted, limited_to(kibibytes, 4096), "partitions");
  }
}

TEST(JoinPartitions, TheFirstRowsOfAnOrderAreThoseOfAllPartitions) {
  TwoSides sides = joined_by(rows_of_keys(keys_of(3000, 0, 1)), rows_of_keys(keys_of(4000, 0, 2)),
                             JoinKind::left);
  TAKE(const StepId ordered, sides.plan.order_by(sides.joined, {{5, true, false}, {0, true}}));
  TAKE(const StepId first, sides.plan.limit(ordered, 40));
  expect_as_without_limit(sides.plan, first, limited_to(32), "partitions");
  expect_as_without_limit(sides.plan, ordered, limited_to(32), "partitions");
}

// The larger one of two right sides that do not fit.
TEST(JoinPartitions, OneOfSeveralJoinsIsPartitioned) {
  Plan plan;
  const StepId left = plan.source(table_source(rows_of_keys(keys_of(3000, 0, 1)))),
               small = plan.source(table_source(rows_of_keys(keys_of(100, 0, 14)))),
               large = plan.source(table_source(rows_of_keys(keys_of(4000, 0, 2)))),
               larger = plan.source(table_source(rows_of_keys(keys_of(6000, 0, 3))));
  TAKE(const StepId once, plan.join(left, small, JoinKind::left, {{1, 0}}));
  TAKE(const StepId twice, plan.join(once, large, JoinKind::inner, {{0, 0}}));
  expect_as_without_limit(plan, twice, limited_to(32), "partitions");
  TAKE(const StepId thrice, plan.join(twice, larger, JoinKind::semi, {{0, 0}}));
  expect_as_without_limit(plan, thrice, limited_to(32), "partitions");
  expect_as_without_limit(plan, thrice, limited_to(32), "another one runs by partitions");
}

TEST(JoinPartitions, ARightSideMayBeAPartitionedJoin) {
  Plan plan;
  const StepId left = plan.source(table_source(rows_of_keys(keys_of(2000, 0, 1)))),
               middle = plan.source(table_source(rows_of_keys(keys_of(3000, 0, 1)))),
               last = plan.source(table_source(rows_of_keys(keys_of(4000, 0, 2))));
  TAKE(const StepId right, plan.join(middle, last, JoinKind::semi, {{0, 0}}));
  TAKE(const StepId joined, plan.join(left, right, JoinKind::anti, {{0, 0}}));
  expect_as_without_limit(plan, joined, limited_to(32), "partitions");
}

// A function of a text, and a text that another function reads, by their codes.
TEST(JoinPartitions, FunctionsOfTextsAreComputedForEachPartition) {
  TwoSides sides = joined_by(rows_of_keys(keys_of(3000, 0, 1)), rows_of_keys(keys_of(4000, 0, 2)),
                             JoinKind::left);
  Builder b(sides.plan.step(sides.joined).schema);
  TAKE(const NodeId length, b.string_function("length", {b.column(6)}));
  TAKE(const NodeId is_third,
       b.binary(Op::equal, b.column(6), b.literal(Scalar::of(std::string("text 3")))));
  TAKE(const StepId mapped, sides.plan.map(sides.joined, b.graph(),
                                           {{"key", b.column(0)},
                                            {"length", length},
                                            {"third", is_third},
                                            {"text", b.column(6)},
                                            {"truth", b.column(7)}}));
  expect_as_without_limit(sides.plan, mapped, limited_to(32), "partitions");
}

// More columns than one kernel may write: several programs, each with its own passes.
TEST(JoinPartitions, ProgramsOfOneChainYieldTheSameRowsBesideEachOther) {
  TwoSides sides = joined_by(rows_of_keys(keys_of(3000, 0, 1)), rows_of_keys(keys_of(4000, 0, 2)),
                             JoinKind::inner);
  Builder b(sides.plan.step(sides.joined).schema);
  std::vector<Projection> sums;
  for (std::int32_t i = 0; i < 60; i++) {
    TAKE(const NodeId sum,
         b.binary(Op::add, b.column(i % 2 == 0 ? 1 : 5), b.literal(Scalar::of(std::int64_t{i}))));
    sums.push_back({"c" + std::to_string(i), sum});
  }
  TAKE(const StepId mapped, sides.plan.map(sides.joined, b.graph(), std::move(sums)));
  expect_as_without_limit(sides.plan, mapped, limited_to(32), "partitions");
}

// Rows that can be scanned once.
class ReadOnceSource : public TableSource {
 public:
  explicit ReadOnceSource(Table table) : inner_(table_source(std::move(table), "once")) {}
  const Schema& schema() const override { return inner_->schema(); }
  std::optional<std::uint64_t> row_count() const override { return inner_->row_count(); }
  bool can_be_scanned_again() const override { return false; }
  Result<std::unique_ptr<BatchStream>> scan(std::span<const std::uint32_t> columns,
                                            const ScanOptions& options) const override {
    return scans_++ == 0 ? inner_->scan(columns, options)
                         : Result<std::unique_ptr<BatchStream>>(Status(Code::invalid, "again"));
  }
  std::string describe() const override { return "once"; }

 private:
  std::shared_ptr<TableSource> inner_;
  mutable std::atomic<int> scans_ = 0;
};

TEST(JoinPartitions, ALeftSideThatIsReadOnceIsHeld) {
  on_each_device([&](Device& device) {
    Plan plan;
    const StepId left = plan.source(
                     std::make_shared<ReadOnceSource>(rows_of_keys(keys_of(3000, 0, 1)))),
                 right = plan.source(table_source(rows_of_keys(keys_of(4000, 0, 2))));
    TAKE(const StepId joined, plan.join(left, right, JoinKind::semi, {{0, 0}}));
    RunOptions options = limited_to(32);
    options.device = device.traits().id;
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult found, run(plan, joined, options));
    EXPECT_EQ(found.table.row_count, 1500u);
    EXPECT_EQ(found.report.rows_read, 7000u);  // each once, however often
    EXPECT_TRUE(has_note_of(found.report, "partitions")) << all_notes(found.report);
  });
}

TEST(JoinPartitions, ALimitStopsWithThePartitionThatReachesIt) {
  on_each_device([&](Device& device) {
    TwoSides sides = joined_by(rows_of_keys(keys_of(3000, 0, 1)), rows_of_keys(keys_of(4000, 0, 2)),
                               JoinKind::left);
    TAKE(const StepId first, sides.plan.limit(sides.joined, 700));
    RunOptions options = limited_to(32);
    options.device = device.traits().id;
    options.intermediate_rows = IntermediateRows::device;
    TAKE(const QueryResult found, run(sides.plan, first, options));
    TAKE(const QueryResult all, run(sides.plan, sides.joined, options));
    const std::vector<std::string> some = rows_by_text(found.table),
                                   every = rows_by_text(all.table);
    EXPECT_EQ(some.size(), 700u);
    EXPECT_TRUE(std::includes(every.begin(), every.end(), some.begin(), some.end()));
  });
}

MaybeKeys repeated_keys(std::uint64_t rows, std::uint64_t distinct) {
  MaybeKeys keys;
  for (std::uint64_t row = 0; row < rows; row++)
    keys.push_back(row % 13 == 5 ? std::nullopt
                                 : std::optional(static_cast<std::int64_t>(row % distinct) * 3));
  return keys;
}

TEST(JoinPartitions, PairsOfRepeatedKeysAreMadeByPartitions) {
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left}) {
    SCOPED_TRACE(std::string(name_of(kind)));
    TwoSides sides = joined_by(rows_of_keys(repeated_keys(2000, 1900)),
                               rows_of_keys(repeated_keys(4000, 1500)), kind);
    expect_as_without_limit(sides.plan, sides.joined, limited_to(160), "partitions");
    Builder b(sides.plan.step(sides.joined).schema);
    TAKE(const NodeId sum, b.binary(Op::add, b.column(1), b.column(5)));
    TAKE(const StepId grouped, sides.plan.group_by(sides.joined, b.graph(), {{"t", b.column(6)}},
                                                   {{Aggregate::count_rows, 0, "n", nullptr},
                                                    {Aggregate::sum, sum, "sum", nullptr}}));
    expect_as_without_limit(sides.plan, grouped, limited_to(160), "partitions");
  }
}

// The second right side exceeds what the first one and the pairs leave.
TEST(JoinPartitions, PairsByPartitionsLeaveOtherJoinsToTheHost) {
  Plan plan;
  const StepId left = plan.source(table_source(rows_of_keys(repeated_keys(2000, 1900)))),
               right = plan.source(table_source(rows_of_keys(repeated_keys(4000, 1500)))),
               large = plan.source(table_source(rows_of_keys(keys_of(12000, 0, 2))));
  TAKE(const StepId paired, plan.join(left, right, JoinKind::inner, {{0, 0}}));
  TAKE(const StepId joined, plan.join(paired, large, JoinKind::semi, {{0, 0}}));
  expect_as_without_limit(plan, joined, limited_to(160), "partitions");
  expect_as_without_limit(plan, joined, limited_to(160), "another one runs by partitions");
}

TEST(JoinPartitions, PairsOfALargeLeftSideAreTheHostsWithANote) {
  const TwoSides sides = joined_by(rows_of_keys(repeated_keys(4000, 1900)),
                                   rows_of_keys(repeated_keys(4000, 1500)), JoinKind::inner);
  expect_as_without_limit(sides.plan, sides.joined, limited_to(64), "its left side does not stay");
}

// The left rows fit the device, and the counts for them do not.
TEST(JoinPartitions, PairsWithoutMemoryForCountsAreTheHostsWithANote) {
  const TwoSides sides = joined_by(rows_of_keys(repeated_keys(1400, 1900)),
                                   rows_of_keys(repeated_keys(4000, 1500)), JoinKind::inner);
  expect_as_without_limit(sides.plan, sides.joined, limited_to(60), "its left side does not stay");
}

// Rows of one key stay together.
TEST(JoinPartitions, ManyRowsOfOneKeyAreTheHostsWithANote) {
  const TwoSides sides =
      joined_by(rows_of_keys(keys_of(300, 0, 1)), rows_of_keys(MaybeKeys(4000, 5)), JoinKind::semi);
  expect_as_without_limit(sides.plan, sides.joined, limited_to(32), "rows with one key exceed");
}

TEST(JoinPartitions, ValidationIsTheHosts) {
  const TwoSides sides = joined_by(rows_of_keys(keys_of(3000, 0, 1)),
                                   rows_of_keys(keys_of(4000, 0, 2)), JoinKind::inner);
  RunOptions options = limited_to(32);
  options.validate = true;
  expect_as_without_limit(sides.plan, sides.joined, options, "rows on the host: a quarter of");
}

}  // namespace
}  // namespace penstock::test
