// Windows against loops over the rows of each partition, on every device.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "exec/validate/validate.hpp"
#include "exec/window/window_rows.hpp"
#include "expr/value.hpp"
#include "kernel_c/host_device.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

enum : std::uint32_t { part, key, amount, real, word };

// `partitions` and `keys` are how many different ones there are, NULL among them; every
// `present`-th amount, real and word is there.
Table rows_of(std::uint64_t rows, std::uint64_t partitions, std::uint64_t keys,
              std::uint64_t present) {
  std::mt19937_64 numbers(rows + 7 * partitions + 11 * keys);
  std::vector<std::optional<std::int32_t>> parts(rows), order(rows);
  std::vector<std::optional<std::int64_t>> amounts(rows);
  std::vector<std::optional<double>> reals(rows);
  std::vector<std::optional<std::string>> texts(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    const std::uint64_t drawn = numbers();
    if (drawn % partitions != 0) parts[i] = static_cast<std::int32_t>(drawn % partitions);
    if (drawn / 1024 % keys != 0) order[i] = static_cast<std::int32_t>(drawn / 1024 % keys);
    if (present == 0 || drawn % 7 % present != 0) continue;
    amounts[i] = static_cast<std::int64_t>(drawn % 100'000'007) - 50'000'003;
    reals[i] = drawn % 41 == 0 ? std::nan("") : static_cast<double>(drawn % 4096) / 8;
    texts[i] = "text " + std::to_string(drawn / 512 % 90);
  }
  return Table::of({{"part", Column::from(parts)},
                    {"key", Column::from(order)},
                    {"amount", Column::from(amounts)},
                    {"real", Column::from(reals)},
                    {"text", Column::from_strings(texts)}});
}

// NULLs last.
int compared(const Column& column, std::uint64_t a, std::uint64_t b) {
  if (!column.is_valid(a) || !column.is_valid(b))
    return static_cast<int>(!column.is_valid(a)) - static_cast<int>(!column.is_valid(b));
  return expr::compare(scalar_at(column, a), scalar_at(column, b));
}

// The rows of one partition in their order.
struct Reference {
  const Table& table;
  const WindowCall& call;
  const std::vector<std::uint64_t>& rows;
  bool ordered;

  bool peers(std::size_t a, std::size_t b) const {
    return !ordered || compared(table.columns[key], rows[a], rows[b]) == 0;
  }
  std::size_t end(std::size_t i) const {
    if (call.frame == WindowFrame::rows) return i;
    std::size_t last = i;
    while (last + 1 < rows.size() && (call.frame == WindowFrame::partition || peers(i, last + 1)))
      last++;
    return last;
  }
  std::size_t first_peer(std::size_t i) const {
    while (i > 0 && peers(i - 1, i)) i--;
    return i;
  }
  std::string number(Int128 value) const { return text_of(Scalar::of({Kind::int64}, value)); }
  std::string value_at(std::size_t i) const {
    return i < rows.size() ? text_of(scalar_at(table.columns[call.column], rows[i]))
                           : std::string("NULL");
  }

  std::string added(std::size_t i) const {
    Int128 sum = 0, count = 0;
    double real_sum = 0;
    std::optional<std::size_t> best;
    const bool greatest = call.function == WindowFunction::maximum;
    for (std::size_t at = 0; at <= end(i); at++) {
      const Scalar value = scalar_at(table.columns[call.column], rows[at]);
      if (value.is_null) continue;
      count++;
      sum += value.integer;
      real_sum += value.real;
      const int order = best ? compared(table.columns[call.column], rows[at], rows[*best]) : 0;
      if (!best || (greatest ? order > 0 : order < 0)) best = at;
    }
    if (call.function == WindowFunction::count) return number(count);
    if (count == 0) return "NULL";
    if (call.function == WindowFunction::average && is_float(table.columns[call.column].type))
      return text_of(Scalar::of(real_sum / static_cast<double>(count)));
    if (call.function == WindowFunction::average)
      return text_of(Scalar::of(
          static_cast<double>(static_cast<long double>(sum) / static_cast<long double>(count))));
    if (call.function != WindowFunction::sum) return value_at(*best);
    return is_float(table.columns[call.column].type) ? text_of(Scalar::of(real_sum))
                                                     : text_of(Scalar::of({Kind::int128}, sum));
  }

  std::string at(std::size_t i) const {
    std::size_t distinct = 1;
    switch (call.function) {
      case WindowFunction::row_number: return number(i + 1);
      case WindowFunction::rank: return number(first_peer(i) + 1);
      case WindowFunction::dense_rank:
        for (std::size_t k = 1; k <= i; k++) distinct += peers(k - 1, k) ? 0 : 1;
        return number(distinct);
      case WindowFunction::count_rows: return number(end(i) + 1);
      case WindowFunction::first_value: return value_at(0);
      case WindowFunction::last_value: return value_at(end(i));
      case WindowFunction::lag:
        if (i < call.distance && call.otherwise)
          return text_of(scalar_at(table.columns[*call.otherwise], rows[i]));
        return i >= call.distance ? value_at(i - call.distance) : "NULL";
      case WindowFunction::lead: return value_at(i + call.distance);
      default: return added(i);
    }
  }
};

std::vector<WindowCall> every_call() {
  using enum WindowFunction;
  using enum WindowFrame;
  return {{row_number, 0, peers, 1, "a"},
          {rank, 0, peers, 1, "b"},
          {dense_rank, 0, peers, 1, "c"},
          {count_rows, 0, peers, 1, "d"},
          {count, amount, rows, 1, "e"},
          {sum, amount, peers, 1, "f"},
          {sum, amount, rows, 1, "g"},
          {sum, real, partition, 1, "h"},
          {average, amount, rows, 1, "i"},
          {minimum, word, rows, 1, "j"},
          {maximum, real, rows, 1, "k"},
          {minimum, amount, peers, 1, "l"},
          {first_value, word, rows, 1, "m"},
          {last_value, amount, peers, 1, "n"},
          {lag, word, peers, 1, "o"},
          {lead, real, peers, 3, "p"},
          {maximum, word, partition, 1, "q"},
          {count_rows, 0, partition, 1, "r"},
          {lag, part, peers, 2, "s", key},
          {average, real, peers, 1, "t"},
          {average, amount, partition, 1, "u"},
          {count, word, peers, 1, "v"},
          {sum, part, rows, 1, "w"},
          {sum, key, peers, 1, "x"}};
}

// A window step over a table, its rows in order, and the results beside each of them.
struct ExpectedWindow {
  ExpectedWindow(const Table& rows_of_table, bool partitioned, bool is_ordered,
                 std::vector<WindowCall> of_calls)
      : table(rows_of_table),
        calls(std::move(of_calls)),
        has_partitions(partitioned),
        ordered(is_ordered) {
    Window window{{}, {}, calls};
    if (partitioned) window.partition = {part};
    if (ordered) window.order = {{key, false, false}};
    const StepId source = plan.source(table_source(table));
    step = *plan.window(source, window);
    order_rows();
  }

  bool same_part(std::uint64_t a, std::uint64_t b) const {
    return !has_partitions || compared(table.columns[part], a, b) == 0;
  }
  void order_rows() {
    order.resize(table.row_count);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
      if (!same_part(a, b)) return compared(table.columns[part], a, b) < 0;
      return ordered && compared(table.columns[key], a, b) < 0;
    });
  }

  // Every `each`-th row of a partition.
  void check(const Table& found, std::uint64_t each) const {
    ASSERT_EQ(found.row_count, table.row_count);
    ASSERT_EQ(found.columns.size(), table.columns.size() + calls.size());
    for (std::uint64_t first = 0; first < order.size();) {
      std::vector<std::uint64_t> rows;
      for (std::uint64_t i = first; i < order.size() && same_part(order[first], order[i]); i++)
        rows.push_back(order[i]);
      first += rows.size();
      for (std::size_t i = 0; i < rows.size(); i += each)
        for (std::size_t c = 0; c < calls.size(); c++)
          ASSERT_EQ(text_of(scalar_at(found.columns[table.columns.size() + c], rows[i])),
                    (Reference{table, calls[c], rows, ordered}.at(i)))
              << name_of(calls[c].function) << ", " << name_of(calls[c].frame) << ", column "
              << calls[c].column << ", place " << i;
    }
    for (std::uint64_t row = 0; row < table.row_count; row += 97)
      EXPECT_EQ(text_of(scalar_at(found.columns[amount], row)),
                text_of(scalar_at(table.columns[amount], row)))
          << "as it stood";
  }

  const Table& table;
  std::vector<WindowCall> calls;
  bool has_partitions, ordered;
  Plan plan;
  StepId step = 0;
  std::vector<std::uint64_t> order;
};

// As the plan runs it, and with the device doing all that it can.
void expect_windows(const Table& table, bool partitioned, bool ordered,
                    const std::vector<WindowCall>& calls, std::uint64_t step = 1) {
  const ExpectedWindow expected(table, partitioned, ordered, calls);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome,
         run(expected.plan, expected.step, {.device = device.traits().id, .batch_rows = 1024}));
    expected.check(outcome.table, step);
    EXPECT_EQ(has_kernel(outcome.report, "window_scan"),
              plan::sorts_on_device(table.row_count, table.row_count));
    RunReport report;
    TAKE(const auto shared, open_device(device.traits().id));
    TAKE(const Table there, plan::window_rows(shared, table, expected.plan.step(expected.step),
                                              report, plan::WindowLocation::device));
    SCOPED_TRACE("by the device");
    expected.check(there, step);
    EXPECT_EQ(has_kernel(report, "window_scan"), table.row_count > 0)
        << "the report says what ran where";
  });
}

TEST(Window, EveryFunctionOverPartitionsAndTies) {
  expect_windows(rows_of(600, 5, 9, 2), true, true, every_call());
}
TEST(Window, OnePartitionInOrder) {
  expect_windows(rows_of(300, 1, 40, 2), false, true, every_call());
}
TEST(Window, WithoutAnOrderAllRowsArePeers) {
  expect_windows(rows_of(300, 4, 9, 2), true, false, every_call());
}
TEST(Window, OverAllRows) { expect_windows(rows_of(200, 4, 9, 2), false, false, every_call()); }
TEST(Window, EveryRowItsOwnPartition) {
  expect_windows(rows_of(500, 1'000'000'007, 9, 2), true, true, every_call());
}
TEST(Window, OfNullsAlone) { expect_windows(rows_of(200, 3, 5, 0), true, true, every_call()); }
TEST(Window, NoRows) { expect_windows(rows_of(0, 3, 5, 2), true, true, every_call()); }
TEST(Window, OneRow) { expect_windows(rows_of(1, 3, 5, 2), true, true, every_call()); }

TEST(Window, SumsBeyond64Bits) {
  Table table = rows_of(400, 3, 5, 1);
  std::vector<std::optional<std::int64_t>> amounts(400);
  for (std::size_t i = 0; i < 400; i++)
    amounts[i] = std::numeric_limits<std::int64_t>::max() - static_cast<std::int64_t>(i * i);
  table.columns[amount] = Column::from(amounts);
  expect_windows(table, true, true, {every_call()[5], every_call()[6], every_call()[8]});
}

// 4095 times 2^52 - 1 does not fit 63 bits, 2047 times does.
TEST(Window, SumsThatJustFit64BitsAndThatDoNot) {
  for (const std::uint64_t rows : {2047, 4095}) {
    Table table = rows_of(rows, 1, 5, 1);
    table.columns[amount] =
        Column::from(std::vector<std::int64_t>(rows, (std::int64_t{1} << 52) - 1));
    expect_windows(table, true, true, {every_call()[5], every_call()[6]}, 101);
  }
}

// So many that the device finds the order; few rows of each partition are looked at.
TEST(Window, MoreRowsThanTheHostOrders) {
  const Table table = rows_of(plan::min_device_sort_rows + 12'345, 5'000, 40, 2);
  expect_windows(table, true, true,
                 {every_call()[1], every_call()[5], every_call()[9], every_call()[14]}, 11);
}

// Some values of every kind that can be added up, the extremes among them; one in seven is NULL in
// every second column.
template <class T>
void add_columns(std::vector<std::pair<std::string, Column>>& columns, std::uint64_t rows) {
  std::mt19937_64 numbers(rows + sizeof(T));
  using Limits = std::numeric_limits<T>;
  std::vector<T> values(rows);
  std::vector<std::optional<T>> some(rows);
  for (std::uint64_t i = 0; i < rows; i++) {
    const std::uint64_t drawn = numbers();
    if constexpr (std::is_floating_point_v<T>)
      values[i] = static_cast<T>(static_cast<int>(drawn % 2048) - 1024) / 4;
    else
      values[i] = drawn % 5 == 0   ? Limits::max()
                  : drawn % 5 == 1 ? Limits::min()
                                   : static_cast<T>(drawn >> 8);
    if (drawn % 7 != 0) some[i] = values[i];
  }
  columns.emplace_back(std::to_string(columns.size()), Column::from(values));
  columns.emplace_back(std::to_string(columns.size()), Column::from(some));
}

// The device's sums of a column of each type against the host's; both are exact here.
TEST(Window, EveryTypeIsAddedUpAsOnTheHost) {
  constexpr std::uint64_t rows = 2'000;
  std::vector<std::pair<std::string, Column>> columns = {
      {"part", rows_of(rows, 7, 9, 1).columns[part]}};
  add_columns<std::int8_t>(columns, rows);
  add_columns<std::uint8_t>(columns, rows);
  add_columns<std::int16_t>(columns, rows);
  add_columns<std::uint16_t>(columns, rows);
  add_columns<std::int32_t>(columns, rows);
  add_columns<std::uint32_t>(columns, rows);
  add_columns<std::int64_t>(columns, rows);
  add_columns<std::uint64_t>(columns, rows);
  add_columns<float>(columns, rows);
  add_columns<double>(columns, rows);
  std::vector<std::int64_t> small(
      rows);  // sums about zero with halves that carry; one value makes halves needed
  for (std::uint64_t i = 0; i < rows; i++) small[i] = static_cast<std::int64_t>(i * 37 % 101) - 50;
  small[17] = std::numeric_limits<std::int64_t>::max();
  columns.emplace_back("small", Column::from(small));
  columns.push_back(columns[13]);
  columns.back().second.type = Type::decimal(18, 2);
  const Table table = Table::of(std::move(columns));
  std::vector<WindowCall> calls;
  for (std::uint32_t column = 1; column < table.columns.size(); column++)
    for (const WindowFunction function :
         {WindowFunction::average, WindowFunction::sum, WindowFunction::count})
      calls.push_back({function, column,
                       column % 3 == 0 ? WindowFrame::partition : WindowFrame::rows, 1,
                       std::to_string(calls.size())});
  Plan plan;
  TAKE(const StepId looked,
       plan.window(plan.source(table_source(table)), {{0}, {{1, true, false}}, calls}));
  RunReport report;
  TAKE(const Table expected,
       plan::window_rows(nullptr, table, plan.step(looked), report, plan::WindowLocation::host));
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    TAKE(const Table found,
         plan::window_rows(shared, table, plan.step(looked), report, plan::WindowLocation::device));
    for (std::size_t c = table.columns.size(); c < found.columns.size(); c++)
      for (std::uint64_t row = 0; row < rows; row++)
        ASSERT_EQ(text_of(scalar_at(found.columns[c], row)),
                  text_of(scalar_at(expected.columns[c], row)))
            << "row " << row << ", " << name_of(calls[c - table.columns.size()].function) << " of "
            << name_of(table.columns[calls[c - table.columns.size()].column].type);
  });
}

// Races and accesses out of bounds, in the texts of GPUs with and without sub-groups, and of CPUs.
class WindowOnTheHost : public ::testing::TestWithParam<kernel::HostDeviceOptions> {};
INSTANTIATE_TEST_SUITE_P(
    Devices, WindowOnTheHost,
    ::testing::Values(kernel::HostDeviceOptions{false, 32, kernel::ThreadOrder::shuffled},
                      kernel::HostDeviceOptions{false, 64, kernel::ThreadOrder::shuffled, 32},
                      kernel::HostDeviceOptions{true, 1, kernel::ThreadOrder::forward}));

TEST_P(WindowOnTheHost, RunsWithoutAFinding) {
  const auto device = kernel::make_host_device(GetParam());
  const Table table = rows_of(150, 4, 9, 2);
  using enum WindowFunction;
  using enum WindowFrame;
  const ExpectedWindow expected(table, true, true,
                                {{rank, 0, peers, 1, "a"},
                                 {count, word, partition, 1, "b"},
                                 {sum, amount, peers, 1, "c"},
                                 {average, real, rows, 1, "d"}});
  RunReport report;
  TAKE(const Table found, plan::window_rows(device, table, expected.plan.step(expected.step),
                                            report, plan::WindowLocation::device));
  expected.check(found, 1);
}

// Sums that the order of addition rounds, of keys of both signs; then one that is wrong.
TEST(Window, ValidationAllowsForTheOrderOfAdditionAndNoMore) {
  std::mt19937_64 numbers(3);
  std::vector<std::optional<double>> reals(40'000);
  for (std::optional<double>& real : reals)
    if (numbers() % 9 != 0) real = std::uniform_real_distribution<double>(-1, 1)(numbers) * 1e9;
  const Table table = Table::of({{"x", Column::from(reals)}});
  using enum WindowFunction;
  Plan plan;
  const std::vector<WindowCall> calls = {{row_number, 0, WindowFrame::rows, 1, "n"},
                                         {sum, 0, WindowFrame::rows, 1, "s"},
                                         {average, 0, WindowFrame::peers, 1, "a"}};
  TAKE(const StepId looked,
       plan.window(plan.source(table_source(table)), {{}, {{0, false, true}}, calls}));
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    RunReport report;
    TAKE(Table found,
         plan::window_rows(shared, table, plan.step(looked), report, plan::WindowLocation::device));
    EXPECT_OK(plan::check_window(table, plan.step(looked), found, "the device"));
    std::vector<double> sums(found.columns[2].values.as<double>(),
                             found.columns[2].values.as<double>() + table.row_count);
    sums[5'489] *= 1 + 1e-6;
    found.columns[2].values = Bytes::own(std::move(sums));
    const Status differs = plan::check_window(table, plan.step(looked), found, "the device");
    EXPECT_NE(differs.text().find("row 5489, column 's': the device has"), std::string::npos)
        << differs.text();
  });
}

TEST(Window, StepsGoOnFromItsRows) {
  const Table table = rows_of(1000, 5, 9, 2);
  Plan plan;
  const StepId source = plan.source(table_source(table));
  const WindowCall number{WindowFunction::row_number, 0, WindowFrame::peers, 1, "n"};
  TAKE(const StepId looked, plan.window(source, {{part}, {{key, true, true}}, {number}}));
  Builder b(plan.step(looked).schema);
  TAKE(const NodeId first,
       b.binary(Op::equal, b.column(5u), b.captured(Scalar::of(std::int64_t{1}))));
  TAKE(const StepId kept, plan.filter(looked, b.graph(), first));
  TAKE(const StepId counted,
       plan.reduce(kept, b.graph(), {{Aggregate::count_rows, 0, "n", nullptr}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult outcome, run(plan, counted, {.device = device.traits().id}));
    EXPECT_EQ(scalar_at(outcome.table.columns[0], 0).integer, 5) << "one first row a partition";
  });
}

TEST(Window, WhatItCannotTakeIsRefused) {
  Plan plan;
  const StepId source = plan.source(table_source(rows_of(10, 2, 2, 1)));
  EXPECT_FALSE(
      plan.window(source, {{}, {}, {{WindowFunction::sum, word, WindowFrame::peers, 1, "s"}}})
          .ok());
  EXPECT_FALSE(
      plan.window(source, {{}, {}, {{WindowFunction::lag, 99, WindowFrame::peers, 1, "s"}}}).ok());
  EXPECT_FALSE(plan.window(source, {{99}, {}, {}}).ok());
  EXPECT_FALSE(plan.window(99, {}).ok());
}

}  // namespace
}  // namespace penstock::test
