#include "device/device_list.hpp"

#include <gtest/gtest.h>

namespace penstock::test {
namespace {

using Ids = std::vector<std::string>;

TEST(DeviceList, ANumberIsOfTheDriverBeforeIt) {
  const auto devices = device::devices_of_list("cuda:0,1,opencl:2,3");
  ASSERT_TRUE(devices.ok()) << devices.status().text();
  EXPECT_EQ(*devices, (Ids{"cuda:0", "cuda:1", "opencl:2", "opencl:3"}));
}

TEST(DeviceList, ADeviceThatIsNamedTwiceStaysTwice) {
  const auto devices = device::devices_of_list("opencl:0,opencl:0,0");
  ASSERT_TRUE(devices.ok()) << devices.status().text();
  EXPECT_EQ(*devices, (Ids{"opencl:0", "opencl:0", "opencl:0"}));
}

TEST(DeviceList, OneDeviceIsNoList) {
  for (const char* const one : {"", "cuda:0", "gpu"}) {
    EXPECT_FALSE(device::names_several(one));
    const auto devices = device::devices_of_list(one);
    ASSERT_TRUE(devices.ok()) << devices.status().text();
    EXPECT_EQ(*devices, Ids{one});
  }
}

TEST(DeviceList, WhatNamesNoDeviceIsRefused) {
  for (const char* const wrong : {"0,1", "cuda:0,", ",cuda:0", "cuda:0,,1", "warp:*"}) {
    const auto devices = device::devices_of_list(wrong);
    EXPECT_FALSE(devices.ok()) << wrong;
  }
}

}  // namespace
}  // namespace penstock::test
