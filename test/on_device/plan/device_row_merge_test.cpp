// Runs of sorted rows that a device cannot merge: they are left to a sort, or the error is
// returned.
#include "table/sort/device_row_merge.hpp"

#include "on_device/plan/several_devices.hpp"
#include "table/sort/sort_rows.hpp"

namespace penstock::test {
namespace {

using plan::DeviceRowMerge;
using plan::DeviceRows;

class WithoutLocalMemory final : public ForwardingDevice {
 public:
  explicit WithoutLocalMemory(std::shared_ptr<Device> device)
      : ForwardingDevice(std::move(device)) {
    traits_.local_bytes = 1024;
  }
};

// Only the program that merges does not compile.
class WithoutMergeKernels final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Result<std::shared_ptr<Program>> build(const ProgramSource& source) override {
    if (source.text.find("merge_splits") != std::string::npos)
      return Status(Code::compile, "no merge compiles here");
    return ForwardingDevice::build(source);
  }
};

// Waits for what was enqueued, and says then that the device is lost.
class LostAtTheEnd final : public ForwardingQueue {
 public:
  using ForwardingQueue::ForwardingQueue;
  Status finish() override {
    static_cast<void>(ForwardingQueue::finish());
    return {Code::device_lost, "lost at the end"};
  }
};
class LostAtTheEndOfEach final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  Result<std::unique_ptr<Queue>> queue() override {
    PENSTOCK_ASSIGN(auto queue, ForwardingDevice::queue());
    return std::unique_ptr<Queue>(std::make_unique<LostAtTheEnd>(std::move(queue)));
  }
};

// Two runs of numbers; merged, they are 0, 1, 2 ...
constexpr std::uint64_t rows_in_two_runs = 3000, first_run = 1100;

std::vector<std::int64_t> numbers_in_runs() {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rows_in_two_runs); i++)
    if (i % 30 < 11) numbers.push_back(i);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(rows_in_two_runs); i++)
    if (i % 30 >= 11) numbers.push_back(i);
  return numbers;
}

Result<DeviceRows> rows_in_runs(Device& device) {
  const std::vector<std::int64_t> numbers = numbers_in_runs();
  PENSTOCK_ASSIGN(const auto queue, device.queue());
  PENSTOCK_ASSIGN(auto values, device.allocate(numbers.size() * 8));
  PENSTOCK_TRY(queue->upload(*values, numbers.data(), numbers.size() * 8));
  PENSTOCK_TRY(queue->finish());
  return DeviceRows{rows_in_two_runs, {{{Kind::int64}, std::move(values), nullptr}}};
}

// Merges the rows on a device that was made of another one.
Result<std::optional<DeviceRows>> merged_on(const std::shared_ptr<Device>& device,
                                            const DeviceRows& rows, RunReport& report) {
  return DeviceRowMerge::begin(device)->merge(rows, {first_run, rows_in_two_runs}, {{0}}, report);
}

std::vector<std::int64_t> numbers_of(Device& device, const DeviceRows& rows) {
  std::vector<std::int64_t> numbers(rows.row_count);
  const auto queue = *device.queue();
  EXPECT_OK(queue->download(numbers.data(), *rows.columns[0].values, numbers.size() * 8));
  EXPECT_OK(queue->finish());
  return numbers;
}

void expect_left_to_a_sort(const std::shared_ptr<Device>& device, const DeviceRows& rows) {
  RunReport report;
  const auto merge = DeviceRowMerge::begin(device);
  for (std::size_t turn = 1; turn <= 2; turn++) {
    TAKE(const auto merged, merge->merge(rows, {first_run, rows_in_two_runs}, {{0}}, report));
    EXPECT_FALSE(merged.has_value());
    ASSERT_EQ(report.notes.size(), turn) << "the compiler tells it once";
    EXPECT_EQ(report.notes.back().find("exchanged rows are sorted again: "), 0u);
  }
}

TEST(DeviceRowMerge, WithoutLocalMemoryRowsAreLeftToASort) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    TAKE(const DeviceRows rows, rows_in_runs(*opened));
    expect_left_to_a_sort(std::make_shared<WithoutLocalMemory>(opened), rows);
  });
}

TEST(DeviceRowMerge, WithoutKernelsRowsAreLeftToASort) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    TAKE(const DeviceRows rows, rows_in_runs(*opened));
    expect_left_to_a_sort(std::make_shared<WithoutMergeKernels>(opened), rows);
  });
}

TEST(DeviceRowMerge, ARefusedAllocationLeavesTheRowsAsTheyWere) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    TAKE(const DeviceRows rows, rows_in_runs(*opened));
    std::vector<std::int64_t> all(rows_in_two_runs);
    for (std::size_t i = 0; i < all.size(); i++) all[i] = static_cast<std::int64_t>(i);
    int allocation = 0;
    for (bool is_merged = false; !is_merged; allocation++) {
      const auto cramped = std::make_shared<CrampedDevice>(opened, allocation);
      RunReport report;
      TAKE(const auto merged, merged_on(cramped, rows, report));
      EXPECT_EQ(merged.has_value(), !cramped->has_refused()) << allocation;
      EXPECT_EQ(numbers_of(*opened, rows), numbers_in_runs()) << allocation;
      if (merged) { EXPECT_EQ(numbers_of(*opened, *merged), all); }
      is_merged = merged.has_value();
    }
    EXPECT_GT(allocation, 4);
  });
}

TEST(DeviceRowMerge, AnotherErrorOfAnAllocationIsTold) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    TAKE(const DeviceRows rows, rows_in_runs(*opened));
    RunReport report;
    const auto merged =
        merged_on(std::make_shared<CrampedDevice>(opened, 1, Code::device_lost), rows, report);
    EXPECT_EQ(merged.status().code(), Code::device_lost);
  });
}

TEST(DeviceRowMerge, AQueueThatFailsAtItsEndYieldsNoRows) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    TAKE(const DeviceRows rows, rows_in_runs(*opened));
    RunReport report;
    const auto merged = merged_on(std::make_shared<LostAtTheEndOfEach>(opened), rows, report);
    EXPECT_EQ(merged.status().code(), Code::device_lost);
  });
}

// Memory that a failing queue may still use must not be given to a sort.
TEST(DeviceRowMerge, MemoryThatIsShortOnALostDeviceIsNoReasonToSort) {
  on_each_device([](Device& device) {
    TAKE(const auto opened, open_device(device.traits().id));
    TAKE(const DeviceRows rows, rows_in_runs(*opened));
    const auto lost = std::make_shared<LostAtTheEndOfEach>(opened);
    RunReport report;
    const auto merged = merged_on(std::make_shared<CrampedDevice>(lost, 2), rows, report);
    EXPECT_EQ(merged.status().code(), Code::device_lost);
  });
}

// A share sorts on its device from so many rows on.
TEST(DeviceRowMerge, ExchangedRowsThatCannotBeMergedAreSortedAgain) {
  constexpr std::uint64_t rows = 2 * plan::min_device_sort_rows + 5000;
  std::vector<std::int32_t> keys(rows), places(rows);
  for (std::size_t i = 0; i < rows; i++) {
    keys[i] = static_cast<std::int32_t>(i * 2654435761u % 70'007);
    places[i] = static_cast<std::int32_t>(i);
  }
  Plan plan;
  const StepId source = plan.source(
      table_source(Table::of({{"key", Column::from(keys)}, {"place", Column::from(places)}})));
  TAKE(const StepId sorted, plan.order_by(source, {{0, true, false}}));
  on_each_device([&](Device& device) {
    const std::string id = device.traits().id;
    TAKE(const QueryResult one, run(plan, sorted, {.device = id}));
    TAKE(const auto opened, open_device(id));
    const std::shared_ptr<Device> unable = std::make_shared<WithoutMergeKernels>(opened);
    TAKE(const std::vector<QueryResult> several,
         plan::run_on_devices(plan, {sorted}, rows_on_device(id), {{id, opened}, {id, unable}}));
    ASSERT_EQ(several[0].table.row_count, rows);
    for (std::uint64_t row = 0; row < rows; row++)
      ASSERT_EQ(several[0].table.columns[1].values.as<std::int32_t>()[row],
                one.table.columns[1].values.as<std::int32_t>()[row])
          << row;
    EXPECT_TRUE(std::ranges::any_of(several[0].report.notes, [](const std::string& note) {
      return note.find("exchanged rows are sorted again") != std::string::npos;
    }));
  });
}

}  // namespace
}  // namespace penstock::test
