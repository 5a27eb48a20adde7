// A device that is listed several times, and lists of which one fails.
#pragma once
#include "on_device/device/failing_device.hpp"
#include "on_device/plan/plan_fixture.hpp"
#include "plan/devices/run_on_devices.hpp"

namespace penstock::test {

inline std::string list_of(const std::string& id, std::size_t count) {
  std::string list = id;
  for (std::size_t i = 1; i < count; i++) list += "," + id;
  return list;
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

}  // namespace penstock::test
