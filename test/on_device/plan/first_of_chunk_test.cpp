// The first rows of chunks, selected on the device before they are downloaded, against the host's
// selection of the same chunks.
#include <atomic>

#include "exec/collect/run_tiles.hpp"
#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {
namespace {

struct FirstRun {
  Table table;
  RunReport report;
};

Result<FirstRun> first_rows_at(plan::MergeLocation location, std::shared_ptr<Device> device,
                               const Plan& plan, StepId filtered, const plan::TopK& top_k,
                               const RunOptions& options) {
  const StepId source = plan.step(filtered).inputs[0];
  PENSTOCK_ASSIGN(const plan::TileProgram program, plan::fuse_top_k(plan, source, filtered, top_k));
  plan::StringPool strings;
  FirstRun first;
  const plan::RunContext run{.device = std::move(device),
                             .options = &options,
                             .strings = &strings,
                             .report = &first.report};
  PENSTOCK_ASSIGN(first.table,
                  plan::run_tiles(run, program, *plan.step(source).source, {.merges = location}));
  return first;
}

constexpr std::int32_t last_dropped_row = 40;

StepId without_dropped_rows(Plan& plan, const Table& table) {
  const StepId source = plan.source(table_source(table));
  Builder b(plan.step(source).schema);
  const NodeId passes =
      *b.binary(Op::greater, *b.column("row"), b.literal(Scalar::of(last_dropped_row)));
  return *plan.filter(source, b.graph(), passes);
}

void expect_same_rows(const Table& found, const Table& expected) {
  ASSERT_EQ(found.row_count, expected.row_count);
  for (std::uint64_t row = 0; row < expected.row_count; row++)
    ASSERT_EQ(text_of_row(found, row), text_of_row(expected, row)) << row;
}

// Rows of every type, of which a filter drops some, by each way of an order.
void expect_first_rows(const Table& table, const std::vector<std::uint32_t>& columns,
                       std::uint64_t count, bool is_selected = true,
                       const RunOptions& options = {.batch_rows = 4096}) {
  Plan plan;
  const StepId filtered = without_dropped_rows(plan, table);
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    for (const unsigned way : {0u, 1u, 2u, 3u}) {
      SCOPED_TRACE(way);
      plan::TopK top_k{{}, count};
      for (const std::uint32_t column : columns)
        top_k.keys.push_back({column, (way & 1) != 0, (way & 2) != 0});
      TAKE(const FirstRun there,
           first_rows_at(plan::MergeLocation::device, shared, plan, filtered, top_k, options));
      TAKE(const FirstRun here,
           first_rows_at(plan::MergeLocation::host, shared, plan, filtered, top_k, options));
      EXPECT_EQ(has_kernel(there.report, "first_rows"), is_selected);
      expect_same_rows(there.table, here.table);
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

// So many rows as are false, then as many NULLs, then some that are true: more of either than the
// device passes on without dividing them.
Table flagged(std::size_t true_rows) {
  constexpr std::size_t equal_rows = 10'000;
  const std::size_t rows = 2 * equal_rows + true_rows;
  std::vector<bool> flags(2 * equal_rows, false);
  flags.resize(rows, true);
  std::vector<std::int32_t> numbers(rows);
  std::vector<std::optional<std::int32_t>> known(rows);
  for (std::size_t row = 0; row < rows; row++) {
    numbers[row] = static_cast<std::int32_t>(row);
    if (row / equal_rows != 1) known[row] = numbers[row];
  }
  Column flag = Column::from_booleans(flags);
  flag.validity = Column::from(known).validity;
  return Table::of({{"flag", flag}, {"row", Column::from(numbers)}});
}

TEST(FirstOfChunk, NullsAreNotDividedWithTheValuesWhoseWordTheyShare) {
  for (const std::size_t true_rows : {5u, 40'000u}) {
    SCOPED_TRACE(true_rows);
    expect_first_rows(flagged(true_rows), {0, 1}, 10, true, {.batch_rows = 1 << 16});
  }
}

TEST(FirstOfChunk, AStringFirstIsTheHosts) {
  expect_first_rows(numbered(5000, {"s"}), {0, 1}, 10, false);
}

TEST(FirstOfChunk, BeyondTheMemoryLimitTheHostSelects) {
  constexpr std::uint64_t selected_anywhere = 44, bytes_per_row = 9;  // from that many rows on
  const Table table = numbered(20'000, {"i64_null"});
  expect_first_rows(
      table, {0, 1}, 10, false,
      {.batch_rows = 4096, .memory_limit_bytes = 2 * (selected_anywhere * bytes_per_row - 1)});
  expect_first_rows(table, {0, 1}, 10, true, {.batch_rows = 4096, .memory_limit_bytes = 1 << 20});
}

// A device that refuses one allocation: so many after the first one of `begin_bytes`.
class RefusingDevice final : public ForwardingDevice {
 public:
  RefusingDevice(std::shared_ptr<Device> device, std::uint64_t begin_bytes, int after)
      : ForwardingDevice(std::move(device)), begin_bytes_(begin_bytes), after_(after) {}
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    if (bytes == begin_bytes_) has_begun_ = true;
    if (has_begun_ && after_-- == 0) return Status(Code::no_memory, "no memory left");
    return ForwardingDevice::allocate(bytes);
  }
  bool has_refused() const { return after_ < 0; }

 private:
  const std::uint64_t begin_bytes_;
  std::atomic<bool> has_begun_ = false;
  std::atomic<int> after_;
};

TEST(FirstOfChunk, WhereTheDeviceRefusesMemoryTheHostSelects) {
  constexpr int allocations = 8;  // words, sides, counts, kept rows, their order, three columns
  constexpr std::uint64_t row_count = 20'000;
  std::vector<std::optional<std::int64_t>> values(row_count);
  std::vector<std::int32_t> numbers(row_count);
  for (std::uint64_t row = 0; row < row_count; row++) {
    if (row % 5 != 0) values[row] = static_cast<std::int64_t>(row * 7919 % 20'011);
    numbers[row] = static_cast<std::int32_t>(row);
  }
  const Table table = Table::of({{"value", Column::from(values)}, {"row", Column::from(numbers)}});
  constexpr std::uint64_t words_bytes = 8 * (row_count - last_dropped_row - 1);
  const RunOptions options{.batch_rows = 1 << 16};
  const plan::TopK top_k{{{0, false, false}, {1, false, false}}, 10};
  Plan plan;
  const StepId filtered = without_dropped_rows(plan, table);
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    TAKE(const FirstRun expected,
         first_rows_at(plan::MergeLocation::host, shared, plan, filtered, top_k, options));
    for (int after = 0; after < allocations; after++) {
      SCOPED_TRACE(after);
      const auto refusing = std::make_shared<RefusingDevice>(shared, words_bytes, after);
      TAKE(const FirstRun found,
           first_rows_at(plan::MergeLocation::device, refusing, plan, filtered, top_k, options));
      EXPECT_TRUE(refusing->has_refused());
      expect_same_rows(found.table, expected.table);
    }
  });
}

}  // namespace
}  // namespace penstock::test
