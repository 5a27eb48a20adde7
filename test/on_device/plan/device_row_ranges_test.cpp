// Rows sorted and downloaded by ranges of their first key, against the order that the host finds.
// batch_rows also bounds the rows of a piece, so that few rows have many ranges.
#include "exec/physical/run_results.hpp"
#include "on_device/device/failing_device.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "table/sort/range_pieces.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t row_total = plan::min_device_sort_rows + 1234;
constexpr std::uint32_t first_key = 1;  // the columns after the row's number are keys

struct KeyedRows {
  Plan plan;
  StepId ordered = 0;
};

template <class T, class Value> std::vector<T> values_of(Value value) {
  std::vector<T> values(row_total);
  for (std::uint64_t i = 0; i < row_total; i++) values[i] = value(i);
  return values;
}
std::uint64_t mixed(std::uint64_t i) { return (i + 1) * 0x9E3779B97F4A7C15u >> 24; }

KeyedRows ordered_by(std::vector<std::pair<std::string, Column>> keys, std::vector<SortKey> order,
                     std::uint64_t limit = row_total) {
  KeyedRows made;
  std::vector<std::pair<std::string, Column>> columns = {
      {"row_number", Column::from(values_of<std::int32_t>(
                         [](std::uint64_t i) { return static_cast<std::int32_t>(i); }))}};
  for (auto& key : keys) columns.push_back(std::move(key));
  const StepId source = made.plan.source(table_source(Table::of(std::move(columns))));
  made.ordered = *made.plan.order_by(source, std::move(order));
  if (limit < row_total) made.ordered = *made.plan.limit(made.ordered, limit);
  return made;
}

RunOptions by_ranges(const std::string& id, std::uint64_t piece_rows) {
  RunOptions options{.device = id, .batch_rows = piece_rows};
  options.intermediate_rows = IntermediateRows::device;
  return options;
}

void expect_rows_of(const Table& got, const Table& wanted) {
  ASSERT_EQ(got.row_count, wanted.row_count);
  for (std::uint64_t row = 0; row < wanted.row_count; row++)
    ASSERT_EQ(got.columns[0].values.as<std::int32_t>()[row],
              wanted.columns[0].values.as<std::int32_t>()[row])
        << row;
  for (std::uint64_t row = 0; row < wanted.row_count; row += row < 500 ? 1 : 97)
    ASSERT_EQ(text_of_row(got, row), text_of_row(wanted, row)) << row;
}

// Pieces of a quarter of the rows, and of so few that there are more ranges than a sort has digits.
void expect_ordered(const KeyedRows& of) {
  on_each_device([&](Device& device) {
    RunOptions options{.device = device.traits().id};
    options.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult here, run(of.plan, of.ordered, options));
    for (const std::uint64_t piece_rows : {row_total / 4, row_total / 33, std::uint64_t{512}}) {
      SCOPED_TRACE(piece_rows);
      TAKE(const QueryResult there,
           run(of.plan, of.ordered, by_ranges(device.traits().id, piece_rows)));
      EXPECT_TRUE(has_kernel(there.report, "order_ranges"));
      expect_rows_of(there.table, here.table);
    }
  });
}

TEST(DeviceRowRanges, RandomKeysUpAndDown) {
  const auto keys = Column::from(values_of<std::int64_t>(
      [](std::uint64_t i) { return static_cast<std::int64_t>(mixed(i) % 50'000) - 25'000; }));
  expect_ordered(ordered_by({{"key", keys}}, {{first_key, false, false}}));
  expect_ordered(ordered_by({{"key", keys}}, {{first_key, true, false}}));
}

TEST(DeviceRowRanges, EqualKeysKeepTheOrderOfTheirRows) {
  expect_ordered(
      ordered_by({{"key", Column::from(values_of<std::int32_t>([](std::uint64_t) { return 7; }))}},
                 {{first_key, false, false}}));
}

TEST(DeviceRowRanges, FewerKeysThanRanges) {
  expect_ordered(ordered_by({{"key", Column::from(values_of<std::int16_t>([](std::uint64_t i) {
                                return static_cast<std::int16_t>(mixed(i) % 3);
                              }))}},
                            {{first_key, true, false}}));
}

// The most frequent key is the least, one in the middle, and the greatest.
TEST(DeviceRowRanges, MostKeysAreEqual) {
  for (const std::int32_t frequent : {-1, 500, 2000})
    expect_ordered(ordered_by({{"key", Column::from(values_of<std::int32_t>([&](std::uint64_t i) {
                                  return mixed(i) % 10 != 0
                                             ? frequent
                                             : static_cast<std::int32_t>(mixed(i) / 10 % 1000);
                                }))}},
                              {{first_key, false, false}}));
}

// All that samples are likely to meet is one key. The others make one range of many keys.
TEST(DeviceRowRanges, SamplesThatMissMostKeys) {
  expect_ordered(ordered_by({{"key", Column::from(values_of<std::int64_t>([](std::uint64_t i) {
                                return i % 3000 != 5 ? 0 : static_cast<std::int64_t>(mixed(i));
                              }))}},
                            {{first_key, true, false}}));
  // Keys in order, and the same backwards: each range is a run of the source.
  expect_ordered(ordered_by({{"key", Column::from(values_of<std::int64_t>([](std::uint64_t i) {
                                return static_cast<std::int64_t>(i / 3);
                              }))}},
                            {{first_key, true, false}}));
}

TEST(DeviceRowRanges, NullsAreInOneRangeWhateverTheWidth) {
  const auto wide = Column::from(
      values_of<std::optional<std::int64_t>>([](std::uint64_t i) -> std::optional<std::int64_t> {
        if (i % 3 == 0) return {};
        return static_cast<std::int64_t>(mixed(i) << 24) * (i % 2 == 0 ? 1 : -1);
      }));
  const auto narrow =
      Column::from(values_of<std::optional<float>>([](std::uint64_t i) -> std::optional<float> {
        if (i % 4 == 1) return {};
        if (i % 31 == 3) return std::numeric_limits<float>::quiet_NaN();
        return i % 17 == 2 ? -0.0f : static_cast<float>(mixed(i) % 70) - 35;
      }));
  const auto none = Column::from(
      values_of<std::optional<double>>([](std::uint64_t) -> std::optional<double> { return {}; }));
  for (const unsigned way : {0u, 1u, 2u, 3u})
    for (const Column& key : {wide, narrow, none}) {
      SCOPED_TRACE(way);
      expect_ordered(ordered_by({{"key", key}}, {{first_key, (way & 1) != 0, (way & 2) != 0}}));
    }
}

TEST(DeviceRowRanges, SeveralKeysOfWhichTheFirstIsAString) {
  std::vector<std::optional<std::string>> texts(row_total);
  for (std::uint64_t i = 0; i < row_total; i++)
    if (i % 7 != 3) texts[i] = std::string(mixed(i) % 3, 'b') + std::to_string(mixed(i) % 900);
  const auto flags = Column::from(
      values_of<std::optional<std::int8_t>>([](std::uint64_t i) -> std::optional<std::int8_t> {
        if (i % 5 == 0) return {};
        return static_cast<std::int8_t>(mixed(i) % 2);
      }));
  const auto numbers = Column::from(values_of<std::int16_t>(
      [](std::uint64_t i) { return static_cast<std::int16_t>(mixed(i) % 11); }));
  const std::vector<std::pair<std::string, Column>> columns = {
      {"text", Column::from_strings(texts)}, {"flag", flags}, {"number", numbers}};
  expect_ordered(ordered_by(columns, {{1, false, true}, {2, true, false}, {3, true, false}}));
  expect_ordered(ordered_by(columns, {{2, false, false}, {3, false, false}, {1, true, true}}));
}

TEST(DeviceRowRanges, ALimitWithinARangeAndAtItsEnd) {
  const auto keys = Column::from(values_of<std::int32_t>(
      [](std::uint64_t i) { return static_cast<std::int32_t>(mixed(i) % 9000); }));
  for (const std::uint64_t limit : {row_total / 2 + 17, row_total - 1, std::uint64_t{100'000}})
    expect_ordered(ordered_by({{"key", keys}}, {{first_key, false, false}}, limit));
}

TEST(DeviceRowRanges, ADeviceLostMidwayIsAnErrorAndMemoryThatIsShortTheHosts) {
  const KeyedRows of =
      ordered_by({{"key", Column::from(values_of<std::int64_t>([](std::uint64_t i) {
                     return static_cast<std::int64_t>(mixed(i) % 5000);
                   }))}},
                 {{first_key, false, false}});
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const auto opened, open_device(id));
    TAKE(const QueryResult one, run(of.plan, of.ordered, {.device = id}));
    const RunOptions options = by_ranges(id, row_total / 4);
    int lost = 0, answered = 0;
    for (int launches = 0;; launches += 3) {
      const auto failing = std::make_shared<FailingDevice>(opened, launches);
      const auto outcome = plan::run_results(of.plan, {of.ordered}, options, {.device = failing});
      if (outcome.ok()) break;
      EXPECT_EQ(outcome.status().code(), Code::device_lost) << outcome.status().text();
      lost++;
    }
    EXPECT_GT(lost, 8) << "launches of several ranges";
    for (int allocation = 0;; allocation++) {
      SCOPED_TRACE(allocation);
      const auto cramped = std::make_shared<CrampedDevice>(opened, allocation);
      const auto outcome = plan::run_results(of.plan, {of.ordered}, options, {.device = cramped});
      if (!cramped->has_refused()) break;
      if (!outcome.ok()) {
        EXPECT_EQ(outcome.status().code(), Code::no_memory) << outcome.status().text();
        continue;
      }
      answered++;
      expect_rows_of((*outcome)[0].table, one.table);
    }
    EXPECT_GT(answered, 5);
  });
}

TEST(DeviceRowRanges, BoundsAreOfSamplesAndNeverTwice) {
  using Word = plan::KeyRanges::Word;
  const auto bounds = [](const std::vector<std::uint64_t>& values, std::size_t ranges) {
    std::vector<Word> samples;
    for (const std::uint64_t value : values) samples.push_back({0, value});
    std::vector<std::uint64_t> found;
    for (const Word& word : plan::bounds_of(samples, ranges)) found.push_back(word.value);
    return found;
  };
  using Values = std::vector<std::uint64_t>;
  EXPECT_EQ(bounds({0, 1, 3, 5, 6, 7, 8, 9}, 4), (Values{3, 6, 8}));
  EXPECT_EQ(bounds({4, 4, 4, 4}, 3), Values());
  EXPECT_EQ(bounds({4, 4, 4, 9}, 4), (Values{9}));
  EXPECT_EQ(bounds({2, 9}, 8), (Values{9}));
  EXPECT_EQ(bounds({}, 8), Values());
  EXPECT_EQ(bounds({1, 2, 3}, 1), Values());
}

TEST(DeviceRowRanges, SamplesAreInTheOrderOfAllTheirBits) {
  std::vector<plan::KeyRanges::Word> samples(3000);
  for (std::uint64_t i = 0; i < samples.size(); i++)
    samples[i] = {mixed(i) % 7 == 0, i % 5 == 0 ? mixed(i) % 9 : (i + 1) * 0x9E3779B97F4A7C15u};
  for (const std::int64_t count : {0, 1, 2, 3000}) {
    std::vector<plan::KeyRanges::Word> sorted(samples.begin(), samples.begin() + count),
        wanted = sorted;
    std::ranges::sort(wanted);
    plan::sort_samples(sorted);
    EXPECT_EQ(sorted, wanted);
  }
}

std::vector<std::uint64_t> ends_of(const std::vector<plan::RangeNumbers>& pieces) {
  std::vector<std::uint64_t> ends;
  std::uint64_t end = pieces.empty() ? 0 : pieces[0].begin;
  for (const plan::RangeNumbers& piece : pieces) {
    EXPECT_EQ(piece.begin, end);
    ends.push_back(end = piece.end);
  }
  return ends;
}

TEST(DeviceRowRanges, PiecesGrowToTheirRowsAndNoFurther) {
  using Ends = std::vector<std::uint64_t>;
  EXPECT_EQ(ends_of(plan::pieces_of(std::vector<std::uint64_t>(16, 25), {1, 16}, 100)),
            (Ends{2, 4, 8, 12, 16}));
  EXPECT_EQ(ends_of(plan::pieces_of({10, 10, 300, 0, 0, 80, 20, 1}, {0, 8}, 100)),
            (Ends{2, 3, 7, 8}));
  EXPECT_EQ(ends_of(plan::pieces_of({7, 7}, {1, 1}, 100)), Ends());
}

TEST(DeviceRowRanges, SharesHaveEveryRangeOnce) {
  for (const std::vector<std::uint64_t>& rows :
       {std::vector<std::uint64_t>(40, 10), {0, 0, 900, 1, 1, 0}, {5, 0, 0, 5}, {3}, {0, 0}})
    for (const std::size_t shares : {1u, 2u, 3u, 8u}) {
      std::uint64_t end = 0;
      for (std::size_t share = 0; share < shares; share++) {
        const plan::RangeNumbers ranges = plan::ranges_of_share(rows, share, shares);
        EXPECT_EQ(ranges.begin, end) << share << " of " << shares;
        end = ranges.end;
      }
      EXPECT_EQ(end, rows.size());
    }
}

// A boundary of shares is off by half of the longest range at most. Shares in the middle have two.
TEST(DeviceRowRanges, SharesHaveNearlyEqualRowsThoughRangesAreUneven) {
  std::vector<std::uint64_t> rows(68);
  for (std::uint64_t i = 0; i < rows.size(); i++) rows[i] = 50 + mixed(i) % 51;
  const std::uint64_t all = plan::rows_of(rows, {0, rows.size()});
  for (const std::size_t shares : {2u, 4u})
    for (std::size_t share = 0; share < shares; share++) {
      const std::uint64_t of_share =
          plan::rows_of(rows, plan::ranges_of_share(rows, share, shares));
      EXPECT_NEAR(static_cast<double>(of_share), static_cast<double>(all / shares),
                  shares == 2 ? 51.0 : 101.0);
    }
}

TEST(DeviceRowRanges, NoMoreRangesThanAByteCounts) {
  EXPECT_EQ(plan::range_count(4, 2), 32u);
  EXPECT_EQ(plan::range_count(std::uint64_t{1} << 40, 1), plan::max_key_ranges);
  for (const std::size_t shares : {2u, 3u, 255u})
    EXPECT_LE(plan::range_count(1000, shares), plan::max_key_ranges) << shares;
}

}  // namespace
}  // namespace penstock::test
