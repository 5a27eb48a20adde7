// A device that is listed several times, and lists of devices with one that fails.
#pragma once
#include "exec/devices/run_on_devices.hpp"
#include "on_device/device/failing_device.hpp"
#include "on_device/plan/plan_fixture.hpp"

namespace penstock::test {

inline std::string list_of(const std::string& id, std::size_t count) {
  std::string list = id;
  for (std::size_t i = 1; i < count; i++) list += "," + id;
  return list;
}

// As groups, or as sums that groups were not yet made of.
inline bool groups_are_exchanged(const RunReport& report) {
  return has_kernel(report, "group_parts") || has_kernel(report, "group_sums");
}

inline void expect_equal_rows(const Table& got, const Table& wanted) {
  ASSERT_EQ(got.row_count, wanted.row_count);
  ASSERT_EQ(got.names, wanted.names);
  for (std::uint64_t row = 0; row < got.row_count; row++)
    ASSERT_EQ(text_of_row(got, row), text_of_row(wanted, row)) << "row " << row;
}

inline std::vector<plan::ListedDevice> three_of_which_one_fails(const std::string& id,
                                                                int launches) {
  const auto device = open_device(id);
  return {
      {id, device},
      {"failing:0", std::shared_ptr<Device>(std::make_shared<FailingDevice>(*device, launches))},
      {id, device}};
}

inline RunOptions rows_on_device(const std::string& id) {
  RunOptions options{.device = id};
  options.intermediate_rows = IntermediateRows::device;
  return options;
}

// If a device is lost, the others must not wait for it, whatever it was doing.
inline void expect_an_end(const Plan& plan, StepId step, const std::string& variant = {}) {
  on_each_device([&](Device& device) {
    if (!variant.empty() && device.traits().max_group_size == 1) return;
    const std::string id = device.traits().id;
    RunOptions options = rows_on_device(id);
    options.variant = variant;
    for (int launches = 0; launches < 40; launches++) {
      const auto outcome =
          plan::run_on_devices(plan, {step}, options, three_of_which_one_fails(id, launches));
      if (outcome.ok()) break;
      EXPECT_EQ(outcome.status().code(), Code::device_lost) << outcome.status().text();
      EXPECT_NE(outcome.status().text().find("failing:0"), std::string::npos)
          << outcome.status().text();
    }
  });
}

// The second of three devices refuses one allocation by `code`, whichever it is. The others must
// not wait for it, nor merge half of the rows: the step's rows come, or that error.
inline void expect_rows_or(Code code, const Plan& plan, StepId step,
                           const std::string& variant = {}) {
  on_each_device([&](Device& device) {
    if (!variant.empty() && device.traits().max_group_size == 1) return;
    const std::string id = device.traits().id;
    TAKE(const auto opened, open_device(id));
    TAKE(const QueryResult one, run(plan, step, {.device = id}));
    int answered = 0;
    for (int allocation = 0; allocation < 200; allocation++) {
      SCOPED_TRACE(allocation);
      const auto cramped = std::make_shared<CrampedDevice>(opened, allocation, code);
      RunOptions options = rows_on_device(id);
      options.variant = variant;
      const auto outcome = plan::run_on_devices(
          plan, {step}, options,
          {{id, opened}, {"cramped:0", std::shared_ptr<Device>(cramped)}, {id, opened}});
      if (!cramped->has_refused()) break;
      if (outcome.ok()) {
        answered++;
        expect_equal_rows((*outcome)[0].table, one.table);
      } else {
        EXPECT_EQ(outcome.status().code(), code) << outcome.status().text();
      }
    }
    EXPECT_GT(answered, 0);
  });
}

}  // namespace penstock::test
