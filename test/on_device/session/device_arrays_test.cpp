// Columns that a caller has in a device's memory, and results that stay there.
#include "on_device/plan/plan_fixture.hpp"
#include "penstock/session.hpp"

namespace penstock::test {
namespace {

constexpr std::int32_t row_count = 20'000;

Table numbers_of_arrays() {
  std::vector<std::int32_t> n;
  std::vector<float> x;
  for (std::int32_t i = 0; i < row_count; i++) {
    n.push_back(i);
    x.push_back(static_cast<float>(i) / 4);
  }
  return Table::of({{"n", Column::from(std::move(n))}, {"x", Column::from(std::move(x))}});
}

// A table whose values no host has.
std::shared_ptr<TableSource> only_there(Device& device) {
  Table table = to_device(numbers_of_arrays(), device).value();
  for (Column& column : table.columns) column.values = {};
  return table_source(std::move(table), "there");
}

SessionStatement over(std::string_view text, std::shared_ptr<TableSource> rows) {
  SessionStatement statement;
  statement.text = text;
  statement.tables["t"] = std::move(rows);
  statement.planner = Planner::own;
  return statement;
}

std::shared_ptr<Session> session_for_arrays(Device& device) {
  SessionOptions options;
  options.device = device.traits().id;
  return Session::create(options);
}

RunOptions stays() {
  RunOptions options;
  options.results_on_device = true;
  options.intermediate_rows = IntermediateRows::device;
  return options;
}

template <class T> std::vector<T> downloaded(Device& device, const Column& column) {
  std::vector<T> values(column.row_count);
  const auto queue = device.queue().value();
  EXPECT_OK(queue->download(values.data(), *column.device_values, values.size() * sizeof(T)));
  EXPECT_OK(queue->finish());
  return values;
}

TEST(DeviceArrays, ColumnsOfADeviceAreReadThereAndNotUploaded) {
  on_each_device([&](Device& device) {
    const auto answer = session_for_arrays(device)->sql(
        over("SELECT sum(n) FROM t WHERE x >= 2500", only_there(device)));
    ASSERT_OK(answer);
    EXPECT_EQ(text_of_row(answer->table, 0), "149995000|");
    EXPECT_EQ(answer->report.bytes_uploaded, 0u);
  });
}

TEST(DeviceArrays, AResultOfAFilterAndAMapStaysInDeviceMemory) {
  on_each_device([&](Device& device) {
    const auto session = session_for_arrays(device);
    const auto answer = session->sql(
        over("SELECT n + 1 AS m, x FROM t WHERE n >= 5000", only_there(device)), stays());
    ASSERT_OK(answer);
    const auto& columns = answer->table.columns;
    ASSERT_TRUE(columns[0].device_values && columns[1].device_values);
    EXPECT_TRUE(columns[0].values.empty());
    EXPECT_EQ(answer->report.bytes_downloaded, 0u);
    const auto m = downloaded<std::int32_t>(device, columns[0]);
    ASSERT_EQ(m.size(), 15'000u);
    for (std::size_t i = 0; i < m.size(); i++) ASSERT_EQ(m[i], 5001 + static_cast<int>(i));
    EXPECT_EQ(downloaded<float>(device, columns[1]).back(), 19'999.0f / 4);
  });
}

TEST(DeviceArrays, ColumnsThatOthersCannotReadComeToTheHost) {
  on_each_device([&](Device& device) {
    const auto answer = session_for_arrays(device)->sql(
        over("SELECT n, n > 7000 AS truth, CASE WHEN n > 7000 THEN n END AS part FROM t "
             "WHERE n >= 5000",
             only_there(device)),
        stays());
    ASSERT_OK(answer);
    const auto& columns = answer->table.columns;
    EXPECT_TRUE(columns[0].device_values);
    EXPECT_FALSE(columns[1].device_values || columns[2].device_values);
    EXPECT_FALSE(columns[1].boolean(0));
    EXPECT_FALSE(columns[2].is_valid(0));
    EXPECT_TRUE(columns[2].is_valid(columns[2].row_count - 1));
  });
}

TEST(DeviceArrays, AResultThatNoKernelWritesIsOnTheHost) {
  on_each_device([&](Device& device) {
    for (const std::string_view text :
         {"SELECT n FROM t ORDER BY x DESC LIMIT 3", "SELECT sum(n) AS s FROM t"}) {
      const auto answer = session_for_arrays(device)->sql(over(text, only_there(device)), stays());
      ASSERT_OK(answer);
      EXPECT_FALSE(answer->table.columns[0].device_values) << text;
    }
  });
}

}  // namespace
}  // namespace penstock::test
