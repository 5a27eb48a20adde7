// Orders and windows with too little device memory: the host goes on, and the run says so.
#include <algorithm>
#include <atomic>

#include "exec/window/window_rows.hpp"
#include "on_device/device/forwarding_device.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

constexpr std::uint64_t sorted_row_count = plan::min_device_sort_rows + 4321;
constexpr std::uint64_t sort_memory_bytes = sorted_row_count * 80,
                        too_little_memory_bytes = sorted_row_count * 79;

Table rows() {
  std::vector<std::int64_t> keys(sorted_row_count), values(sorted_row_count);
  std::vector<std::optional<std::int32_t>> some(sorted_row_count);
  for (std::uint64_t i = 0; i < sorted_row_count; i++) {
    keys[i] = static_cast<std::int64_t>(i * 7919 % 10'007) - 5'000;
    values[i] = static_cast<std::int64_t>(i % 1000) - 300;
    if (i % 5 != 0) some[i] = static_cast<std::int32_t>(i % 77);
  }
  return Table::of(
      {{"key", Column::from(keys)}, {"value", Column::from(values)}, {"some", Column::from(some)}});
}

struct Windows {
  Plan plan;
  StepId step = 0;
};

// Windows of both kinds: some are for a device, and one is for the host.
Windows windows_of(const Table& table) {
  using enum WindowFunction;
  Windows windows;
  const std::vector<WindowCall> calls = {
      {row_number, 0, WindowFrame::rows, 1, "n"}, {sum, 1, WindowFrame::peers, 1, "s"},
      {maximum, 1, WindowFrame::peers, 1, "m"},   {average, 2, WindowFrame::rows, 1, "a"},
      {rank, 0, WindowFrame::peers, 1, "r"},      {count, 2, WindowFrame::partition, 1, "c"}};
  auto step = windows.plan.window(windows.plan.source(table_source(table)),
                                  {{2}, {{0, false, false}}, calls});
  EXPECT_TRUE(step.ok()) << step.status().text();
  windows.step = *step;
  return windows;
}

void expect_same(const Table& found, const Table& expected) {
  ASSERT_EQ(found.row_count, expected.row_count);
  ASSERT_EQ(found.columns.size(), expected.columns.size());
  for (std::size_t c = 0; c < found.columns.size(); c++)
    for (std::uint64_t row = 0; row < found.row_count; row += 101)
      ASSERT_EQ(text_of(scalar_at(found.columns[c], row)),
                text_of(scalar_at(expected.columns[c], row)))
          << expected.names[c] << ", row " << row;
}

TEST(DeviceMemory, ASortBeyondTheLimitIsTheHosts) {
  const Table table = rows();
  Plan plan;
  TAKE(const StepId ordered, plan.order_by(plan.source(table_source(table)), {{0, true, false}}));
  on_each_device([&](Device& device) {
    TAKE(const QueryResult there,
         run(plan, ordered,
             {.device = device.traits().id, .memory_limit_bytes = sort_memory_bytes}));
    EXPECT_TRUE(has_kernel(there.report, "radix_sort"));
    EXPECT_TRUE(there.report.notes.empty()) << there.report.notes[0];
    TAKE(const QueryResult here,
         run(plan, ordered,
             {.device = device.traits().id, .memory_limit_bytes = too_little_memory_bytes}));
    EXPECT_FALSE(has_kernel(here.report, "radix_sort"));
    ASSERT_EQ(here.report.notes.size(), 1);
    EXPECT_TRUE(here.report.notes[0].starts_with(
        "sort of 266,465 rows on the host: it takes 10.2 MiB on " + device.traits().id))
        << here.report.notes[0];
    expect_same(here.table, there.table);
  });
}

TEST(DeviceMemory, AWindowBeyondTheLimitIsTheHosts) {
  const Table table = rows();
  const Windows windows = windows_of(table);
  on_each_device([&](Device& device) {
    TAKE(const QueryResult there, run(windows.plan, windows.step, {.device = device.traits().id}));
    EXPECT_TRUE(has_kernel(there.report, "window_scan"));
    EXPECT_TRUE(there.report.notes.empty());
    TAKE(const QueryResult here,
         run(windows.plan, windows.step,
             {.device = device.traits().id, .memory_limit_bytes = sort_memory_bytes}));
    EXPECT_FALSE(has_kernel(here.report, "window_scan"));
    EXPECT_TRUE(has_kernel(here.report, "radix_sort"));
    ASSERT_EQ(here.report.notes.size(), 1);
    EXPECT_TRUE(here.report.notes[0].starts_with("window of 266,465 rows on the host: "))
        << here.report.notes[0];
    expect_same(here.table, there.table);
  });
}

// A device with memory that others take: every allocation from one on is refused.
class CrowdedDevice final : public ForwardingDevice {
 public:
  CrowdedDevice(std::shared_ptr<Device> device, int allocations)
      : ForwardingDevice(std::move(device)), left_(allocations) {}
  Result<std::shared_ptr<Buffer>> allocate(std::uint64_t bytes) override {
    if (left_-- <= 0) return Status(Code::no_memory, "no memory left");
    return ForwardingDevice::allocate(bytes);
  }

 private:
  std::atomic<int> left_;
};

TEST(DeviceMemory, ASortThatTheDeviceRefusesHalfWayIsTheHosts) {
  const Table table = rows();
  const std::vector<SortKey> keys = {{2, true, false}, {0, false, false}};
  RunReport alone;
  TAKE(const Table expected, plan::order_rows(nullptr, table, keys, sorted_row_count / 17, alone));
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    for (int allocations = 0;; allocations += 2) {
      RunReport report;
      const auto crowded = std::make_shared<CrowdedDevice>(shared, allocations);
      TAKE(Table found, plan::order_rows(crowded, table, keys, sorted_row_count, report));
      found.row_count = expected.row_count;
      expect_same(found, expected);
      if (report.notes.empty()) {
        EXPECT_GT(allocations, 2);
        break;
      }
      EXPECT_EQ(report.notes,
                std::vector<std::string>{"sort of 266,465 rows on the host: no memory left"});
    }
  });
}

TEST(DeviceMemory, AWindowThatTheDeviceRefusesHalfWayIsTheHosts) {
  const Table table = rows();
  const Windows windows = windows_of(table);
  RunReport alone;
  TAKE(const Table expected, plan::window_rows(nullptr, table, windows.plan.step(windows.step),
                                               alone, plan::WindowLocation::host));
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    std::size_t begun_there = 0;  // and gone on here
    for (int allocations = 0;; allocations += 3) {
      RunReport report;
      const auto crowded = std::make_shared<CrowdedDevice>(shared, allocations);
      TAKE(const Table found,
           plan::window_rows(crowded, table, windows.plan.step(windows.step), report));
      expect_same(found, expected);
      if (report.notes.empty()) break;
      EXPECT_NE(std::find(report.notes.begin(), report.notes.end(),
                          "window of 266,465 rows on the host: no memory left"),
                report.notes.end());
      begun_there += has_kernel(report, "window_scan");
    }
    EXPECT_GT(begun_there, 1);
  });
}

// It is an error if the caller asked for the device.
TEST(DeviceMemory, AWindowAskedOfTheDeviceFails) {
  const Table table = rows();
  const Windows windows = windows_of(table);
  on_each_device([&](Device& device) {
    TAKE(const auto shared, open_device(device.traits().id));
    RunReport report;
    const auto found =
        plan::window_rows(std::make_shared<CrowdedDevice>(shared, 12), table,
                          windows.plan.step(windows.step), report, plan::WindowLocation::device);
    EXPECT_EQ(found.status().code(), Code::no_memory);
  });
}

}  // namespace
}  // namespace penstock::test
