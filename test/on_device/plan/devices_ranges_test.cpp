// Sorts of several devices that divide their rows by ranges before they sort them, against one
// device. batch_rows also bounds the rows of a piece, so that few rows have many ranges.
#include "on_device/plan/several_devices.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

// More rows than a share sorts on its device if it gets no rows of other shares.
constexpr std::uint64_t rows_to_divide = 3 * plan::min_device_sort_rows + 5000;

std::uint64_t scattered(std::uint64_t i) { return (i + 1) * 0x9E3779B97F4A7C15u >> 24; }

struct DividedRows {
  Plan plan;
  StepId source = 0, sorted = 0;
};

// A key of each row, columns of each way to be downloaded, and the row's number.
template <class T, class Value>
DividedRows divided_rows(const std::vector<SortKey>& keys, Value key_of) {
  std::vector<T> values(rows_to_divide);
  std::vector<std::optional<std::int16_t>> small(rows_to_divide);
  std::vector<double> real(rows_to_divide);
  std::vector<std::int32_t> places(rows_to_divide);
  for (std::uint64_t i = 0; i < rows_to_divide; i++) {
    values[i] = key_of(i);
    if (i % 5 != 1) small[i] = static_cast<std::int16_t>(scattered(i) % 7) - 3;
    real[i] = static_cast<double>(scattered(i) % 1000) / 8;
    places[i] = static_cast<std::int32_t>(i);
  }
  DividedRows rows;
  rows.source = rows.plan.source(table_source(Table::of({{"key", Column::from(values)},
                                                         {"small", Column::from(small)},
                                                         {"real", Column::from(real)},
                                                         {"place", Column::from(places)}})));
  rows.sorted = *rows.plan.order_by(rows.source, keys);
  return rows;
}

RunOptions in_pieces(const std::string& id, std::uint64_t piece_rows) {
  RunOptions options = rows_on_device(id);
  options.batch_rows = piece_rows;
  return options;
}

void expect_places(const Table& got, const Table& wanted) {
  ASSERT_EQ(got.row_count, wanted.row_count);
  for (std::uint64_t row = 0; row < wanted.row_count; row++)
    ASSERT_EQ(got.columns[3].values.as<std::int32_t>()[row],
              wanted.columns[3].values.as<std::int32_t>()[row])
        << row;
  for (std::uint64_t row = 0; row < wanted.row_count; row += 97)
    ASSERT_EQ(text_of_row(got, row), text_of_row(wanted, row)) << row;
}

void expect_divided(const DividedRows& rows) {
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    RunOptions on_host{.device = id};
    on_host.intermediate_rows = IntermediateRows::host;
    TAKE(const QueryResult one, run(rows.plan, rows.sorted, on_host));
    for (const std::size_t count : {2u, 3u, 8u}) {
      SCOPED_TRACE(count);
      TAKE(const QueryResult several,
           run(rows.plan, rows.sorted, in_pieces(list_of(id, count), rows_to_divide / count / 5)));
      expect_places(several.table, one.table);
      EXPECT_TRUE(has_kernel(several.report, "order_ranges"));
      EXPECT_FALSE(has_kernel(several.report, "merge_runs"));
      EXPECT_GT(several.report.bytes_exchanged, 0u);
      EXPECT_GE(several.report.bytes_downloaded, rows_to_divide * 16);
      EXPECT_LT(several.report.bytes_downloaded, rows_to_divide * 25);
    }
  });
}

TEST(DevicesRanges, ScatteredKeysUpAndDown) {
  for (const bool is_descending : {false, true})
    expect_divided(divided_rows<std::int32_t>({{0, is_descending, false}}, [](std::uint64_t i) {
      return static_cast<std::int32_t>(scattered(i) % 70'007) - 35'000;
    }));
}

TEST(DevicesRanges, RowsInOrderAndBackwards) {
  for (const bool is_descending : {false, true})
    expect_divided(divided_rows<std::int64_t>({{0, is_descending, false}}, [](std::uint64_t i) {
      return static_cast<std::int64_t>(i / 2);
    }));
}

// One device gets all rows, or nearly all.
TEST(DevicesRanges, AllKeysAreEqualOrMostAre) {
  for (const std::uint64_t others : {0u, 1u, 30u})
    expect_divided(divided_rows<std::int64_t>({{0, false, false}}, [&](std::uint64_t i) {
      return scattered(i) % 100 < others ? static_cast<std::int64_t>(scattered(i)) : 1 << 20;
    }));
}

TEST(DevicesRanges, FewerKeysThanDevicesAndSeveralKeys) {
  expect_divided(divided_rows<std::int16_t>(
      {{0, true, false}, {1, false, true}, {2, true, false}, {1, true, true}, {0, false, false}},
      [](std::uint64_t i) { return static_cast<std::int16_t>(scattered(i) % 2); }));
}

TEST(DevicesRanges, NullsAreOfOneDevice) {
  for (const unsigned way : {0u, 1u, 2u, 3u})
    expect_divided(divided_rows<std::optional<std::int64_t>>(
        {{0, (way & 1) != 0, (way & 2) != 0}, {1, false, false}},
        [](std::uint64_t i) -> std::optional<std::int64_t> {
          if (i % 3 == 2) return {};
          return static_cast<std::int64_t>(scattered(i) % 900) << 40;
        }));
  expect_divided(divided_rows<std::optional<float>>(
      {{0, true, true}}, [](std::uint64_t i) -> std::optional<float> {
        if (scattered(i) % 7 != 0) return {};
        return i % 2 == 0 ? -0.0f : static_cast<float>(scattered(i) % 40);
      }));
}

// A byte in which keys differ only between shares, not within a share.
TEST(DevicesRanges, BytesThatAreEqualInEachShareAreSortedAllTheSame) {
  expect_divided(divided_rows<std::int64_t>({{0, false, false}}, [](std::uint64_t i) {
    const std::uint64_t third = 2 - 3 * i / rows_to_divide;
    return static_cast<std::int64_t>((scattered(i) % 97) << 40 | third);
  }));
}

// Shares with few rows, or none: a filter keeps only the last rows.
TEST(DevicesRanges, UnevenSharesAndOneWithoutRows) {
  for (const std::int32_t from : {200'000, 300'000}) {
    DividedRows rows = divided_rows<std::int32_t>({{0, false, false}}, [](std::uint64_t i) {
      return static_cast<std::int32_t>(scattered(i) % 9001);
    });
    Builder b(rows.plan.step(rows.source).schema);
    TAKE(const NodeId passes,
         b.binary(Op::greater_equal, b.column(3u), b.literal(Scalar::of(from))));
    TAKE(const StepId kept, rows.plan.filter(rows.source, b.graph(), passes));
    TAKE(const StepId sorted, rows.plan.order_by(kept, {{0, false, false}}));
    on_each_device([&](Device& device) {
      const std::string id = device.traits().id;
      TAKE(const QueryResult one, run(rows.plan, sorted, {.device = id}));
      TAKE(const QueryResult several,
           run(rows.plan, sorted, in_pieces(list_of(id, 3), rows_to_divide / 40)));
      expect_places(several.table, one.table);
      EXPECT_EQ(has_kernel(several.report, "order_ranges"), from == 200'000)
          << "a share without rows divides none";
    });
  }
}

// Somewhere among these limits rows stay on a device and ranges do not fit.
TEST(DevicesRanges, WhereRangesDoNotFitRowsAreSortedInAnotherWay) {
  const DividedRows rows = divided_rows<std::int32_t>({{0, false, false}}, [](std::uint64_t i) {
    return scattered(i) % 3 == 0 ? static_cast<std::int32_t>(scattered(i)) : 11;
  });
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(rows.plan, rows.sorted, {.device = id}));
    int divided = 0, given_up = 0, others = 0;
    for (std::uint64_t limit = 1 << 20; limit < 512 << 20; limit += limit / 3) {
      SCOPED_TRACE(limit);
      RunOptions options = in_pieces(list_of(id, 3), rows_to_divide / 40);
      options.memory_limit_bytes = limit;
      TAKE(const QueryResult several, run(rows.plan, rows.sorted, options));
      expect_places(several.table, one.table);
      const bool are_exchanged = several.report.bytes_exchanged > rows_to_divide * 20;
      if (!has_kernel(several.report, "order_ranges"))
        others++;
      else
        (are_exchanged ? divided : given_up)++;
    }
    EXPECT_GT(divided, 0);
    EXPECT_GT(given_up, 0) << "after rows were divided";
    EXPECT_GT(others, 0);
  });
}

TEST(DevicesRanges, ADeviceLostMidwayEndsTheRunByItsName) {
  const DividedRows rows = divided_rows<std::int32_t>({{0, true, false}}, [](std::uint64_t i) {
    return static_cast<std::int32_t>(scattered(i) % 5003);
  });
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    int lost = 0;
    for (int launches = 0;; launches += 5) {
      const auto outcome =
          plan::run_on_devices(rows.plan, {rows.sorted}, in_pieces(id, rows_to_divide / 30),
                               three_of_which_one_fails(id, launches));
      if (outcome.ok()) break;
      lost++;
      EXPECT_EQ(outcome.status().code(), Code::device_lost) << outcome.status().text();
      EXPECT_NE(outcome.status().text().find("failing:0"), std::string::npos)
          << outcome.status().text();
    }
    EXPECT_GT(lost, 10) << "launches of several ranges";
  });
}

TEST(DevicesRanges, ARefusedAllocationHoldsNobodyUp) {
  const DividedRows rows = divided_rows<std::int32_t>({{0, false, false}}, [](std::uint64_t i) {
    return static_cast<std::int32_t>(scattered(i) % 5003);
  });
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const auto opened, open_device(id));
    TAKE(const QueryResult one, run(rows.plan, rows.sorted, {.device = id}));
    int answered = 0;
    for (int allocation = 0;; allocation++) {
      SCOPED_TRACE(allocation);
      const auto cramped = std::make_shared<CrampedDevice>(opened, allocation);
      const auto outcome = plan::run_on_devices(
          rows.plan, {rows.sorted}, in_pieces(id, rows_to_divide / 30),
          {{id, opened}, {"cramped:0", std::shared_ptr<Device>(cramped)}, {id, opened}});
      if (!cramped->has_refused()) break;
      if (!outcome.ok()) {
        EXPECT_EQ(outcome.status().code(), Code::no_memory) << outcome.status().text();
        continue;
      }
      answered++;
      expect_places((*outcome)[0].table, one.table);
    }
    EXPECT_GT(answered, 3);
  });
}

}  // namespace
}  // namespace penstock::test
